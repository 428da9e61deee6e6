/* SPDX-License-Identifier: Apache-2.0
 * What the tests of src/image share: programs compiled for the occasion, and checks of an image against nm, readelf and addr2line. The two tests' own process stands for the guest. */
#ifndef LP_TEST_IMAGE_TOOLS_H
#define LP_TEST_IMAGE_TOOLS_H
#include "api/usage.h"
#include "unit.h"

#include "opt/objects.h"
#include "arch/arch.h"
#include "decode.h"
#include "image/image.h"
#include "linchpin/api_text.h"
#include "os/record.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

pid_t waitpid(pid_t pid, int *status, int options); /* <sys/wait.h> brings names (REG_RAX) that are the API's here */

static char dir[] = "/tmp/lp-image-XXXXXX";

/* --- what the engine would give ----------------------------------------------------------------------------------- */

size_t os_safe_copy(void *dst, const void *src, size_t bytes)
{
    struct iovec to = {dst, bytes}, from = {(void *)src, bytes};
    ssize_t n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    return n < 0 ? 0 : (size_t)n;
}

u32 os_record; /* nothing is recorded */
bool os_is_former(u64 at)
{
    return (void)at, false;
}

void os_record_name(u64 addr, char *out, size_t bytes)
{
    (void)out, (void)bytes;
    fail_msg("the name of a mapping at %lx is asked of a recording", addr);
}

ADDRINT TRACE_Address(TRACE trace)
{
    fail_msg("there is no trace %d", trace.index);
    return 0;
}

/* --- other programs' word ------------------------------------------------------------------------------------------ */

static void run(const char *fmt, ...)
{
    char command[2048], all[2200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(command, sizeof command, fmt, ap);
    va_end(ap);
    snprintf(all, sizeof all, "cd %s && %s", dir, command);
    if (system(all) != 0)
        fail_msg("failed: %s", all);
}

static FILE *output_of(const char *fmt, ...)
{
    char command[2048];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(command, sizeof command, fmt, ap);
    va_end(ap);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    return f;
}

static char *path_of(const char *name)
{
    static char path[4][512];
    static int n;
    char *p = path[n++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", dir, name);
    return p;
}

static inline void write_source(const char *name, const char *text)
{
    FILE *f = fopen(path_of(name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static const char program[] =
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "static __attribute__((noinline)) int helper(int x)\n"
    "{\n"
    "    return x * 3 + atoi(\"4\");\n"
    "}\n"
    "int visible(int x) { return helper(x) + 1; }\n"
    "int other_name(int x) __attribute__((alias(\"visible\")));\n"
    "__asm__(\".text\\n.globl bare_label\\nbare_label: nop\\nnop\\nret\\n\");\n"
    "__attribute__((noinline)) int loop(int n)\n"
    "{\n"
    "    int s = 0;\n"
    "    for (int i = 0; i < n; i++)\n"
    "        s += visible(i);\n"
    "    return s;\n"
    "}\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    printf(\"%d %zu\\n\", loop(argc), strlen(argv[0]));\n"
    "    return getenv(\"X\") != NULL;\n"
    "}\n";

static const char library[] =
    "int lib_a(int x) { return x + 1; }\n"
    "static int fast(int x) { return x * 2; }\n"
    "static void *choose(void) { return (void *)fast; }\n"
    "int lib_chosen(int x) __attribute__((ifunc(\"choose\")));\n"
    "int lib_b(int x) { return lib_chosen(x) + 2; }\n";

static const char cxx[] =
    "#include <string>\n#include <vector>\n#include <map>\n"
    "namespace outer { template <class T> struct box { T v; explicit box(T x); T get() const; bool operator()(const T &) const; operator bool() const; };\n"
    "template <class T> box<T>::box(T x) : v(x) {}\n template <class T> T box<T>::get() const { return v; }\n"
    "template <class T> bool box<T>::operator()(const T &o) const { return v < o; }\n template <class T> box<T>::operator bool() const { return true; }\n"
    "template struct box<std::string>; template struct box<int>; }\n"
    "template <class T> T twice(T x, void (*f)(int, char **)) { f(0, 0); return x + x; }\n template int twice<int>(int, void (*)(int, char **));\n"
    "namespace { __attribute__((used)) int hidden(std::map<int, std::vector<std::string>> &m) { return (int)m.size(); } }\n";

static void make_programs(void)
{
    assert_non_null(mkdtemp(dir));
    write_source("p.c", program);
    write_source("l.c", library);
    write_source("x.cc", cxx);
    run("gcc -O1 -gdwarf-4 p.c -o p4 && gcc -O1 -gdwarf-5 p.c -o p5 && clang -O1 -g p.c -o pclang && gcc -O1 -g -static p.c -o pstatic");
    run("gcc -O1 -g -gz=zlib p.c -o pz && gcc -O1 -g -no-pie -fcf-protection=full p.c -o pibt");
    run("cp p5 stripped && strip stripped && cp p5 withlink && objcopy --only-keep-debug p5 withlink.debug && strip withlink && objcopy --add-gnu-debuglink=withlink.debug withlink");
    run("gcc -O1 -g -fPIC -shared l.c -o lib.so && gcc -O1 -g -fPIC -shared -Wl,--build-id=none,-z,now l.c -o libnoid.so && g++ -O0 -c x.cc -o x.o && gcc -shared x.o -o x.so");
}

/* nm's list of functions must be ours: the same names at the same addresses, and none more. */
static inline u32 check_against_nm(IMG img, const char *nm_args, bool all_of_ours)
{
    char line[4096], name[4096], type;
    unsigned long value;
    u32 checked = 0, ours = 0;
    FILE *f = output_of("nm --defined-only %s | awk '$2 ~ /^[tTWwi]$/'", nm_args);
    image_lock();
    struct image *im = image_get((u32)img.index);
    image_syms(im);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%lx %c %4095s", &value, &type, name) != 3)
            continue;
        name[strcspn(name, "@")] = 0;
        const struct elffile *e = im->file;
        bool found = false;
        for (u32 i = symbols_from(im->file, value); i < e->nsymbols && e->symbol[i].value == value; i++)
            found |= strcmp(e->symbol[i].name, name) == 0;
        /* Weak data has the same letter as weak functions; a local label without a type is no function. */
        if (!found && (type == 't' || !elffile_code_section(im->file, value)))
            continue;
        if (!found)
            fail_msg("%s: nm has %s at %lx", im->name, name, value);
        checked++;
    }
    pclose(f);
    for (u32 i = 0; i < im->file->nsymbols; i++)
        ours += !(im->file->symbol[i].flags & SYMBOL_GENERATED);
    image_unlock();
    if (all_of_ours && ours > checked)
        fail_msg("%u symbols, nm has %u", ours, checked);
    return checked;
}

/* Every sized function of readelf's is a routine that begins there, has its name among its symbols and ends where it says, unless another begins before. */
static inline u32 check_against_readelf(IMG img, const char *file)
{
    char line[4096], type[32], bind[32], section[32], name[4000];
    unsigned long value;
    char size_text[32];
    u32 checked = 0;
    FILE *f = output_of("readelf -sW %s", file);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, " %*d: %lx %31s %31s %31s %*s %31s %3999s", &value, size_text, type, bind, section, name) != 6 || (strcmp(type, "FUNC") != 0 && strcmp(type, "IFUNC") != 0) ||
            strcmp(section, "UND") == 0)
            continue;
        u64 size = strtoul(size_text, NULL, 0), at = value + IMG_LoadOffset(img);
        RTN r = RTN_FindByAddress(at);
        name[strcspn(name, "@")] = 0;
        if (!RTN_Valid(r) || RTN_Address(r) != at)
            fail_msg("%s at %lx is no routine", name, value);
        assert_int_equal(SEC_Img(RTN_Sec(r)).index, img.index);
        RTN next = RTN_Next(r);
        bool cut = RTN_Valid(next) && RTN_Address(next) < at + size;
        if (size && !cut && RTN_Size(r) < size)
            fail_msg("%s: %lu bytes, readelf says %lu", name, (unsigned long)RTN_Size(r), size);
        assert_true(RTN_Range(r) >= RTN_Size(r));
        if (size)
            assert_int_equal(RTN_FindByAddress(at + RTN_Size(r) - 1).index, r.index);
        checked++;
    }
    pclose(f);
    return checked;
}

static inline IMG opened(const char *path)
{
    IMG img = IMG_Open(path);
    assert_true(IMG_Valid(img));
    return img;
}

/* Every third byte of the routine, asked of addr2line in one go. */
static inline void check_lines(const char *path, const char *debug, const char *function)
{
    IMG img = opened(path);
    RTN r = RTN_FindByName(img, function);
    assert_true(RTN_Valid(r) && IMG_hasLinesData(img));
    char command[8192], line[1024];
    int n = snprintf(command, sizeof command, "addr2line -e %s", debug);
    for (u64 at = RTN_Address(r); at < RTN_Address(r) + RTN_Size(r) && n < 8000; at += 3)
        n += snprintf(command + n, sizeof command - (size_t)n, " %lx", at);
    FILE *f = output_of("%s", command);
    u32 checked = 0;
    for (u64 at = RTN_Address(r); fgets(line, sizeof line, f); at += 3) {
        const char *file;
        INT32 column, number;
        PIN_GetSourceLocation(at, &column, &number, &file);
        char *colon = strrchr(line, ':'), got[1024];
        line[strcspn(line, " \n")] = 0; /* " (discriminator 2)" */
        snprintf(got, sizeof got, "%s:%d", file ? file : "??", number);
        if (atoi(colon + 1) == 0)
            continue;
        const char *base = strrchr(got, '/') ? strrchr(got, '/') : got, *other = strrchr(line, '/') ? strrchr(line, '/') : line;
        if (strcmp(base, other) != 0)
            fail_msg("%s %lx: %s, addr2line says %s", path, at, got, line);
        checked++;
    }
    pclose(f);
    assert_true(checked > 2);
    IMG_Close(img);
}

static u32 count_descriptors(void)
{
    u32 n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static u32 descriptors_before;

static int setup(void **state)
{
    (void)state;
    descriptors_before = count_descriptors();
    make_programs();
    decode_init();
    PIN_InitSymbols();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command);
}

/* No tool has a main here. */
void usage_need_init(const char *call) { (void)call; }
void usage_need_symbols(const char *call) { (void)call; }

#endif
