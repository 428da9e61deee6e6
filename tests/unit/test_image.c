/* SPDX-License-Identifier: Apache-2.0
 * Images, symbols, routines and source lines against what nm, readelf, objdump, addr2line and c++filt say about the same files at the time of the test. The test process is its own guest: its
 * libraries are real images, with real load offsets. Programs to look at are compiled here, with and without symbols, debug data and a name. */
#include "unit.h"

#include "api/objects.h"
#include "arch/arch.h"
#include "decode.h"
#include "image/image.h"
#include "linchpin/api_text.h"
#include "os/linux/hostmem.h"
#include "os/linux/mapsfile.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

pid_t waitpid(pid_t pid, int *status, int options); /* <sys/wait.h> brings names (REG_RAX) that are the API's here */

static char dir[] = "/tmp/lp-image-XXXXXX";

/* --- what the engine would give ----------------------------------------------------------------------------------- */

size_t arch_safe_copy(void *dst, const void *src, size_t bytes)
{
    struct iovec to = {dst, bytes}, from = {(void *)src, bytes};
    ssize_t n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    return n < 0 ? 0 : (size_t)n;
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

static void write_source(const char *name, const char *text)
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

/* --- symbols ------------------------------------------------------------------------------------------------------------ */

/* nm's list of functions must be ours: the same names at the same addresses, and none more. */
static u32 check_against_nm(IMG img, const char *nm_args, bool all_of_ours)
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
static u32 check_against_readelf(IMG img, const char *file)
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
            fail_msg("%s: %lu bytes, readelf says %lu", name, RTN_Size(r), size);
        assert_true(RTN_Range(r) >= RTN_Size(r));
        if (size)
            assert_int_equal(RTN_FindByAddress(at + RTN_Size(r) - 1).index, r.index);
        checked++;
    }
    pclose(f);
    return checked;
}

static IMG opened(const char *path)
{
    IMG img = IMG_Open(path);
    assert_true(IMG_Valid(img));
    return img;
}

static void symbols_of_compiled_programs(void **state)
{
    static const char *const files[] = {"p4", "p5", "pclang", "pibt", "pstatic", "lib.so"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        const char *path = path_of(files[i]);
        IMG img = opened(path);
        assert_true(check_against_nm(img, path, true) > 4);
        assert_true(check_against_readelf(img, path) > 4);
        IMG_Close(img);
        assert_false(IMG_Valid(img));
    }
}

static void names_of_one_address(void **state)
{
    (void)state;
    IMG img = opened(path_of("p5"));
    RTN a = RTN_FindByName(img, "visible"), b = RTN_FindByName(img, "other_name"), helper = RTN_FindByName(img, "helper");
    assert_true(RTN_Valid(a));
    assert_int_equal(a.index, b.index);
    assert_string_equal(RTN_Name(a), "visible");
    assert_string_equal(RTN_Name(helper), "helper");
    assert_false(SYM_Dynamic(RTN_Sym(helper)));
    assert_string_equal(SYM_Name(RTN_Sym(helper)), "helper");
    RTN bare = RTN_FindByName(img, "bare_label");
    assert_true(RTN_Valid(bare));
    assert_true(RTN_Size(bare) >= 3 && RTN_Size(bare) < 32); /* no size in the file: up to the next one */
    assert_false(RTN_Valid(RTN_FindByName(img, "no_such_function")));
    assert_string_equal(RTN_FindNameByAddress(RTN_Address(helper) + 1), "helper");
    IMG_Close(img);
}

static void symbols_of_stripped_programs(void **state)
{
    (void)state;
    IMG img = opened("/bin/ls");
    assert_true(check_against_nm(img, "-D /bin/ls", true) < 200);
    check_against_readelf(img, "/bin/ls");
    IMG_Close(img);
    img = opened(path_of("withlink"));
    assert_true(check_against_nm(img, path_of("p5"), true) > 4);
    assert_true(RTN_Valid(RTN_FindByName(img, "helper")));
    IMG_Close(img);
}

static void functions_from_unwind_information(void **state)
{
    const char *const files[] = {path_of("stripped"), "/bin/ls"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        IMG img = opened(files[i]);
        char line[512];
        unsigned long start, end;
        u32 checked = 0;
        FILE *f = output_of("readelf --debug-dump=frames %s | grep -o 'pc=[0-9a-f]*\\.\\.[0-9a-f]*'", files[i]);
        while (fgets(line, sizeof line, f)) {
            assert_int_equal(sscanf(line, "pc=%lx..%lx", &start, &end), 2);
            RTN r = RTN_FindByAddress(start);
            assert_true(RTN_Valid(r));
            if (strncmp(SEC_Name(RTN_Sec(r)), ".plt", 4) == 0)
                continue;
            if (RTN_Address(r) != start)
                fail_msg("%s: no routine at %lx but %s", files[i], start, RTN_Name(r));
            checked++;
        }
        pclose(f);
        assert_true(checked > 4);
        RTN entry = RTN_FindByAddress(IMG_EntryAddress(img));
        assert_string_equal(RTN_Name(entry), "unnamedImageEntryPoint");
        assert_true(RTN_IsArtificial(entry));
        IMG_Close(img);
    }
}

static void stubs_have_names(void **state)
{
    const char *const files[] = {path_of("p5"), path_of("pibt"), path_of("pclang"), "/bin/ls"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        IMG img = opened(files[i]);
        char line[512], name[256];
        unsigned long at;
        u32 checked = 0;
        FILE *f = output_of("objdump -d -j .plt -j .plt.sec -j .plt.got %s 2>/dev/null | grep '^0.*@plt>:'", files[i]);
        while (fgets(line, sizeof line, f)) {
            assert_int_equal(sscanf(line, "%lx <%255[^>]", &at, name), 2);
            RTN r = RTN_FindByAddress(at);
            if (!strstr(name, "@plt+") && RTN_Valid(r) && strcmp(SEC_Name(RTN_Sec(r)), ".plt") == 0 && strcmp(RTN_Name(r), ".plt") == 0)
                continue; /* the lazy half of a stub in two halves */
            assert_string_equal(RTN_Name(r), name);
            assert_int_equal(RTN_Address(r), at);
            checked++;
        }
        pclose(f);
        assert_true(checked >= 3);
        IMG_Close(img);
    }
}

/* --- sections ------------------------------------------------------------------------------------------------------------- */

static void sections_as_readelf_has_them(void **state)
{
    (void)state;
    IMG img = opened("/bin/ls");
    char line[512], name[128];
    unsigned long addr, off, size;
    SEC sec = IMG_SecHead(img);
    FILE *f = output_of("readelf -SW /bin/ls | sed -n 's/^ *\\[ *[0-9]*\\] \\(\\.\\)/\\1/p'");
    while (fgets(line, sizeof line, f)) {
        assert_int_equal(sscanf(line, "%127s %*s %lx %lx %lx", name, &addr, &off, &size), 4);
        assert_true(SEC_Valid(sec));
        assert_string_equal(SEC_Name(sec), name);
        assert_int_equal(SEC_Address(sec), addr);
        assert_int_equal(SEC_Size(sec), size);
        assert_int_equal(SEC_Type(sec) == SEC_TYPE_BSS, strstr(line, "NOBITS") != NULL);
        assert_int_equal(SEC_IsExecutable(sec), strstr(line, " AX ") != NULL);
        if (strcmp(name, ".text") == 0)
            assert_int_equal(SEC_Type(sec), SEC_TYPE_EXEC);
        if (strcmp(name, ".rodata") == 0) {
            char a[64], *b = (char *)SEC_Data(sec);
            int fd = open("/bin/ls", O_RDONLY);
            assert_int_equal(pread(fd, a, sizeof a, (off_t)off), sizeof a);
            close(fd);
            assert_memory_equal(a, b, sizeof a);
        }
        if (!SEC_Valid(SEC_Next(sec)))
            assert_int_equal(IMG_SecTail(img).index, sec.index);
        sec = SEC_Next(sec);
    }
    pclose(f);
    assert_false(SEC_Valid(sec));
    IMG_Close(img);
}

static void routines_of_sections_are_all_routines(void **state)
{
    (void)state;
    IMG img = opened(path_of("pstatic"));
    u32 n = 0;
    for (SEC s = IMG_SecHead(img); SEC_Valid(s); s = SEC_Next(s)) {
        RTN last = RTN_Invalid();
        for (RTN r = SEC_RtnHead(s); RTN_Valid(r); r = RTN_Next(r)) {
            assert_true(RTN_Address(r) >= SEC_Address(s) && RTN_Address(r) + RTN_Size(r) <= SEC_Address(s) + SEC_Size(s));
            if (RTN_Valid(last)) {
                assert_true(RTN_Address(last) + RTN_Size(last) <= RTN_Address(r));
                assert_int_equal(RTN_Prev(r).index, last.index);
            }
            last = r;
            n++;
        }
        assert_int_equal(SEC_RtnTail(s).index, last.index);
    }
    image_lock();
    assert_int_equal(n, image_get((u32)img.index)->nrtns);
    image_unlock();
    assert_true(n > 500);
    assert_int_equal(IMG_Type(img), IMG_TYPE_STATIC);
    IMG_Close(img);
}

static void nothing_but_sections_without_symbols(void **state)
{
    (void)state;
    run("cp p5 nosym"); /* not looked at before */
    assert_true(PIN_InitSymbolsAlt(NO_SYMBOLS));
    IMG img = opened(path_of("nosym"));
    assert_false(RTN_Valid(RTN_FindByName(img, "main")));
    assert_string_equal(RTN_FindNameByAddress(IMG_EntryAddress(img)), ".text");
    assert_false(SYM_Valid(IMG_RegsymHead(img)));
    IMG_Close(img);
    run("cp p5 exported");
    assert_true(PIN_InitSymbolsAlt(EXPORT_SYMBOLS));
    img = opened(path_of("exported"));
    assert_false(RTN_Valid(RTN_FindByName(img, "helper")));
    IMG_Close(img);
    assert_false(PIN_InitSymbolsAlt(SYMBOL_INFO_MODE_INVALID));
    PIN_InitSymbols();
}

/* --- lines ------------------------------------------------------------------------------------------------------------------ */

/* Every third byte of the routine, asked of addr2line in one go. */
static void check_lines(const char *path, const char *debug, const char *function)
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

static void lines_as_addr2line_has_them(void **state)
{
    static const char *const files[] = {"p4", "p5", "pclang", "pz", "pibt", "lib.so"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        check_lines(path_of(files[i]), path_of(files[i]), i + 1 < ARRAY_LEN(files) ? "loop" : "lib_b");
    check_lines(path_of("withlink"), path_of("p5"), "main");
    const char *file;
    INT32 line = 7, column = 7;
    IMG img = opened("/bin/ls");
    PIN_GetSourceLocation(IMG_EntryAddress(img), &column, &line, &file);
    assert_int_equal(line, 0);
    assert_int_equal(column, 0);
    assert_null(file);
    IMG_Close(img);
}

/* --- names --------------------------------------------------------------------------------------------------------------------- */

static void undecorated_as_cxxfilt_does(void **state)
{
    char line[8192], name[2048], full[4096], bare[2048];
    u32 checked = 0;
    (void)state;
    FILE *f = output_of("cd %s && nm --defined-only x.so | awk '{print $3}' | grep ^_Z > names; c++filt < names > full; c++filt -p < names > bare; paste names full bare", dir);
    while (fgets(line, sizeof line, f)) {
        assert_int_equal(sscanf(line, "%2047[^\t]\t%4095[^\t]\t%2047[^\n]", name, full, bare), 3);
        assert_string_equal(PIN_UndecorateSymbolName(name, UNDECORATION_COMPLETE), full);
        assert_string_equal(PIN_UndecorateSymbolName(name, UNDECORATION_NAME_ONLY), bare);
        checked++;
    }
    pclose(f);
    assert_true(checked > 10);
    assert_string_equal(PIN_UndecorateSymbolName("main", UNDECORATION_COMPLETE), "main");
    assert_string_equal(PIN_UndecorateSymbolName("_start", UNDECORATION_NAME_ONLY), "_start");
    assert_string_equal(PIN_UndecorateSymbolName("_ZN1a1bEi@plt", UNDECORATION_NAME_ONLY), "a::b@plt");
    assert_string_equal(PIN_UndecorateSymbolName("_ZN1a1bEi", UNDECORATION_COMPLETE), "a::b(int)");
    assert_string_equal(PIN_UndecorateSymbolName("_RNvCsi1_4core3foo", UNDECORATION_COMPLETE), "core::foo");
}

/* --- the running process --------------------------------------------------------------------------------------------------------- */

static u32 loaded[64], nloaded, unloaded_image, rtns_told;
static char unloaded_name[512];

static VOID on_load(IMG img, VOID *v)
{
    assert_ptr_equal(v, &nloaded);
    assert_true(IMG_Valid(img) && nloaded < 64);
    loaded[nloaded++] = IMG_Id(img);
}

static VOID on_unload(IMG img, VOID *v)
{
    (void)v;
    unloaded_image = IMG_Id(img);
    snprintf(unloaded_name, sizeof unloaded_name, "%s", IMG_Name(img));
}

static VOID on_rtn(RTN rtn, VOID *v)
{
    (void)v;
    rtns_told += RTN_Valid(rtn);
}

static IMG image_with(const char *part)
{
    for (IMG i = APP_ImgHead(); IMG_Valid(i); i = IMG_Next(i))
        if (strstr(IMG_Name(i), part))
            return i;
    return IMG_Invalid();
}

static void start_finds_what_is_mapped(void **state)
{
    char exe[4096] = "";
    (void)state;
    gmap_init();
    struct image_origin o = {getauxval(AT_ENTRY), getauxval(AT_BASE), getauxval(AT_SYSINFO_EHDR)};
    IMG_AddInstrumentFunction(on_load, &nloaded);
    IMG_AddUnloadFunction(on_unload, NULL);
    struct tool_callback *rtn = (struct tool_callback *)RTN_AddInstrumentFunction(on_rtn, NULL);
    image_start(&o);
    assert_true(image_notify_wanted());
    assert_int_equal(nloaded, 0);
    image_notify_tool();
    assert_false(image_notify_wanted());
    assert_true(nloaded >= 4 && rtns_told > 3000);
    rtn_callbacks = rtn->next;
    IMG main_image = APP_ImgHead();
    assert_int_equal((INT32)loaded[0], main_image.index);
    assert_true(IMG_IsMainExecutable(main_image));
    assert_true(readlink("/proc/self/exe", exe, sizeof exe - 1) > 0);
    assert_string_equal(IMG_Name(main_image), exe);
    assert_int_equal(IMG_EntryAddress(main_image), o.main_entry);
    assert_int_equal(IMG_Type(main_image), IMG_TYPE_SHARED);
    IMG ld = image_with("ld-linux"), vdso = image_with("[vdso]"), libc = image_with("libc.so");
    assert_true(IMG_IsInterpreter(ld) && !IMG_IsInterpreter(libc) && !IMG_IsMainExecutable(libc));
    assert_int_equal(IMG_Type(libc), IMG_TYPE_SHAREDLIB);
    assert_true(IMG_IsVDSO(vdso));
    assert_true(RTN_Valid(RTN_FindByName(vdso, "__vdso_clock_gettime")));
    assert_int_equal(IMG_FindByAddress((ADDRINT)start_finds_what_is_mapped).index, main_image.index);
    assert_string_equal(RTN_FindNameByAddress((ADDRINT)start_finds_what_is_mapped), "start_finds_what_is_mapped");
    assert_false(IMG_Valid(IMG_FindByAddress((ADDRINT)&ld)));
}

static void libc_with_its_debug_file(void **state)
{
    (void)state;
    IMG libc = image_with("libc.so");
    Dl_info info;
    assert_true(dladdr((void *)puts, &info));
    assert_int_equal(IMG_LoadOffset(libc), (u64)info.dli_fbase);
    assert_string_equal(RTN_FindNameByAddress((ADDRINT)puts), "puts");
    assert_int_equal(RTN_Address(RTN_FindByName(libc, "fopen")), (u64)dlsym(RTLD_DEFAULT, "fopen"));
    check_against_readelf(libc, IMG_Name(libc));
    /* libc6-dbg may be installed or not. */
    image_lock();
    struct elffile *debug = elffile_debug(image_get((u32)libc.index)->file);
    image_unlock();
    if (!debug) {
        print_message("no debug file for libc: symbols from .symtab not checked\n");
        return;
    }
    assert_true(check_against_nm(libc, debug->path, false) > 3000);
    assert_true(check_against_readelf(libc, debug->path) > 3000);
    assert_true(RTN_Valid(RTN_FindByName(libc, "_int_malloc")));
    check_lines(IMG_Name(libc), debug->path, "qsort_r");
}

static void ifunc_gives_its_implementation(void **state)
{
    (void)state;
    IMG libc = image_with("libc.so");
    RTN r = RTN_FindByName(libc, "memcpy");
    assert_true(RTN_Valid(r));
    assert_int_equal(RTN_Address(r), (u64)dlsym(RTLD_DEFAULT, "memcpy"));
    RTN resolver = RTN_IFuncResolver(r);
    assert_true(RTN_Valid(resolver));
    assert_int_not_equal(resolver.index, r.index);
    assert_true(SYM_IFuncResolver(RTN_Sym(resolver)));
    assert_false(RTN_Valid(RTN_IFuncImplementation(RTN_FindByName(libc, "puts"))));
}

/* Tells of a mapping as the system call would. */
static u64 tell_mapped(const char *part, int fd, bool code)
{
    struct gmap_area a = {0};
    gmap_init();
    struct maps_reader r;
    struct maps_area m;
    assert_true(maps_open(&r, 0));
    while (maps_next(&r, &m))
        if (strstr(m.name, part) && !!(m.prot & PROT_EXEC) == code && !hostmem_overlaps(m.start, m.end))
            assert_true(gmap_find(m.start, &a));
    maps_close(&r);
    assert_int_not_equal(a.end, 0);
    image_mapped(&a, fd);
    return a.start;
}

static void library_comes_and_goes(void **state)
{
    (void)state;
    u32 before = nloaded;
    void *lib = dlopen(path_of("lib.so"), RTLD_NOW);
    assert_non_null(lib);
    int fd = open(path_of("lib.so"), O_RDONLY);
    tell_mapped("/lib.so", fd, false); /* the reservation */
    assert_false(image_notify_wanted());
    u64 code = tell_mapped("/lib.so", fd, true);
    tell_mapped("/lib.so", fd, true); /* protected and executable again */
    close(fd);
    image_notify_tool();
    assert_int_equal(nloaded, before + 1);
    IMG img = {(INT32)loaded[before]};
    assert_string_equal(IMG_Name(img), path_of("lib.so"));
    RTN a = RTN_FindByName(img, "lib_a");
    SEC sec = RTN_Sec(a);
    SYM sym = RTN_Sym(a);
    assert_int_equal(RTN_Address(a), (u64)dlsym(lib, "lib_a"));
    assert_int_equal(SYM_Address(sym), RTN_Address(a));
    assert_int_equal(RTN_Address(RTN_FindByName(img, "lib_chosen")), (u64)dlsym(lib, "lib_chosen"));
    image_unmapped(code - 8 * PAGE_BYTES, code - PAGE_BYTES); /* beside it */
    assert_false(image_notify_wanted());
    dlclose(lib);
    image_unmapped(IMG_LowAddress(img) & ~0xffful, IMG_HighAddress(img) + 1);
    assert_false(RTN_Valid(RTN_FindByAddress(code)));
    assert_true(IMG_Valid(img));
    image_notify_tool();
    assert_int_equal(unloaded_image, loaded[before]);
    assert_string_equal(unloaded_name, path_of("lib.so"));
    assert_false(IMG_Valid(img) || RTN_Valid(a) || SEC_Valid(sec) || SYM_Valid(sym));
    /* The same file again: other handles. */
    lib = dlopen(path_of("lib.so"), RTLD_NOW);
    tell_mapped("/lib.so", -1, true);
    image_notify_tool();
    IMG again = {(INT32)loaded[before + 1]};
    assert_int_not_equal(again.index, img.index);
    assert_int_equal(RTN_Address(RTN_FindByName(again, "lib_b")), (u64)dlsym(lib, "lib_b"));
    assert_int_not_equal(RTN_FindByName(again, "lib_a").index, a.index);
}

static void ifunc_from_bound_words(void **state)
{
    (void)state;
    void *lib = dlopen(path_of("libnoid.so"), RTLD_NOW);
    assert_non_null(lib);
    tell_mapped("libnoid.so", -1, true);
    image_notify_tool();
    IMG img = image_with("libnoid.so");
    RTN r = RTN_FindByName(img, "lib_chosen");
    assert_int_equal(RTN_Address(r), (u64)dlsym(lib, "lib_chosen"));
    assert_string_equal(RTN_Name(r), "fast");
    RTN resolver = RTN_FindByName(img, "choose"); /* has both names */
    assert_int_not_equal(resolver.index, r.index);
    assert_int_equal(RTN_IFuncImplementation(resolver).index, r.index);
}

static void check_nameless(const char *part, void *lib)
{
    image_notify_tool();
    IMG img = image_with(part);
    assert_true(IMG_Valid(img));
    RTN r = RTN_FindByAddress((ADDRINT)dlsym(lib, "lib_b"));
    assert_true(RTN_Valid(r));
    assert_string_equal(RTN_Name(r), "lib_b");
}

static void files_without_a_name(void **state)
{
    char path[64];
    (void)state;
    int in = open(path_of("lib.so"), O_RDONLY), fd = memfd_create("hidden", 0);
    struct stat st;
    assert_true(in >= 0 && fd >= 0 && fstat(in, &st) == 0);
    u8 *bytes = malloc((size_t)st.st_size);
    assert_int_equal(read(in, bytes, (size_t)st.st_size), st.st_size);
    assert_int_equal(write(fd, bytes, (size_t)st.st_size), st.st_size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    void *lib = dlopen(path, RTLD_NOW);
    assert_non_null(lib);
    tell_mapped("memfd:hidden", fd, true);
    check_nameless("memfd:hidden", lib);
    run("cp lib.so gone.so");
    lib = dlopen(path_of("gone.so"), RTLD_NOW);
    assert_non_null(lib);
    assert_int_equal(unlink(path_of("gone.so")), 0);
    tell_mapped("gone.so", -1, true);
    image_notify_tool();
    IMG img = image_with("gone.so");
    assert_true(IMG_Valid(img));
    assert_null(strstr(IMG_Name(img), "deleted"));
    assert_int_equal(IMG_FindByAddress((ADDRINT)dlsym(lib, "lib_b")).index, img.index);
    close(in);
    close(fd);
    free(bytes);
}

/* No file, no privilege: what is in memory has to do. Run in a child that has given its rights up. */
static int look_at_memory_only(void)
{
    run("cp lib.so lost.so");
    void *lib = dlopen(path_of("lost.so"), RTLD_NOW);
    if (!lib || unlink(path_of("lost.so")) != 0 || (getuid() == 0 && setresuid(65534, 65534, 65534) != 0))
        return 2;
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    if (access("/proc/self/map_files", X_OK) == 0 && open("/proc/self/map_files/0-0", O_RDONLY) >= 0)
        return 3;
    tell_mapped("lost.so", -1, true);
    image_notify_tool();
    IMG img = image_with("lost.so");
    u64 at = (u64)dlsym(lib, "lib_a");
    Dl_info info;
    if (!IMG_Valid(img) || IMG_FindByAddress(at).index != img.index || !dladdr((void *)at, &info) || IMG_LowAddress(img) != (u64)info.dli_fbase)
        return 4;
    RTN r = RTN_FindByAddress(at);
    return RTN_Valid(r) && strncmp(RTN_Name(r), "LOAD", 4) == 0 ? 0 : 5;
}

static void file_gone_and_no_privilege(void **state)
{
    (void)state;
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(look_at_memory_only());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void not_every_mapping_is_an_image(void **state)
{
    (void)state;
    u32 before = nloaded;
    write_source("text.bin", "#! not an ELF file, but mapped as code");
    int fd = open(path_of("text.bin"), O_RDONLY);
    void *p = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    tell_mapped("text.bin", fd, true);
    munmap(p, PAGE_BYTES);
    close(fd);
    image_notify_tool();
    assert_int_equal(nloaded, before);
    run("head -c 3000 p5 > cut");
    IMG img = IMG_Open(path_of("cut")); /* its section headers are missing */
    if (IMG_Valid(img)) {
        RTN_FindByName(img, "main");
        RTN_FindByAddress(IMG_EntryAddress(img));
        IMG_Close(img);
    }
    assert_false(IMG_Valid(IMG_Open(path_of("text.bin"))));
    assert_false(IMG_Valid(IMG_Open(path_of("not-there"))));
}

/* A file with any byte wrong must not bring the engine down. */
static void damaged_files(void **state)
{
    (void)state;
    int in = open(path_of("lib.so"), O_RDONLY);
    struct stat st;
    assert_int_equal(fstat(in, &st), 0);
    u8 *bytes = malloc((size_t)st.st_size);
    assert_int_equal(read(in, bytes, (size_t)st.st_size), st.st_size);
    close(in);
    u32 rounds = getenv("LP_ROUNDS") ? (u32)atoi(getenv("LP_ROUNDS")) : 200;
    for (u32 i = 0; i < rounds; i++) {
        u64 at[4];
        u8 old[4];
        for (u32 k = 0; k < 4; k++) {
            at[k] = unit_random(3) ? unit_random((u64)st.st_size) : unit_random(2) ? unit_random(64 + 56 * 11) : (u64)st.st_size - 1 - unit_random(64 * 36);
            old[k] = bytes[at[k]];
            bytes[at[k]] = (u8)unit_random(256);
        }
        char name[32];
        snprintf(name, sizeof name, "bad%u", i);
        int out = open(path_of(name), O_CREAT | O_WRONLY | O_TRUNC, 0600);
        assert_int_equal(write(out, bytes, (size_t)st.st_size), st.st_size);
        close(out);
        IMG img = IMG_Open(path_of(name));
        if (IMG_Valid(img)) {
            const char *file;
            for (SEC s = IMG_SecHead(img); SEC_Valid(s); s = SEC_Next(s))
                for (RTN r = SEC_RtnHead(s); RTN_Valid(r); r = RTN_Next(r))
                    PIN_GetSourceLocation(RTN_Address(r), NULL, NULL, &file);
            IMG_HasProperty(img, IMG_PROPERTY_IBT_ENABLED);
            RTN_FindByName(img, "lib_chosen");
            IMG_Close(img);
        }
        unlink(path_of(name));
        for (u32 k = 4; k--;)
            bytes[at[k]] = old[k];
    }
    free(bytes);
}

/* --- instructions, made routines ---------------------------------------------------------------------------------------------------- */

static void instructions_as_objdump_has_them(void **state)
{
    static const char *const functions[] = {"loop", "main", "helper", "_start"};
    (void)state;
    IMG img = opened(path_of("p5"));
    for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
        RTN r = RTN_FindByName(img, functions[i]);
        char line[256];
        FILE *f = output_of("objdump -d --no-show-raw-insn --start-address=0x%lx --stop-address=0x%lx %s | grep -E '^ +[0-9a-f]+:'", RTN_Address(r), RTN_Address(r) + RTN_Size(r), path_of("p5"));
        RTN_Open(r);
        assert_int_equal(ins_get((u32)RTN_InsHeadOnly(r).index)->pc, RTN_Address(r));
        u32 at = (u32)RTN_InsHead(r).index, n = 0, last = 0;
        assert_int_equal(at, RTN_InsHeadOnly(r).index);
        for (; fgets(line, sizeof line, f); n++) {
            struct ins *in = ins_get(at);
            assert_non_null(in);
            assert_int_equal(in->pc, strtoul(line, NULL, 16));
            assert_int_equal(in->rtn, r.index);
            assert_int_equal(in->prev, last);
            last = at;
            at = in->next;
        }
        assert_int_equal(at, 0);
        assert_int_equal(RTN_NumIns(r), n);
        assert_int_equal(RTN_InsTail(r).index, last);
        pclose(f);
        RTN_Close(r);
        objects_reset();
    }
    IMG_Close(img);
}

static void routine_made_inside_another(void **state)
{
    (void)state;
    IMG img = opened(path_of("p5"));
    RTN loop = RTN_FindByName(img, "loop"), next = RTN_Next(loop);
    u64 at = RTN_Address(loop) + 5, end = RTN_Address(loop) + RTN_Size(loop);
    assert_int_equal(RTN_CreateAt(RTN_Address(loop), "again").index, loop.index);
    RTN made = RTN_CreateAt(at, "inner");
    assert_true(RTN_Valid(made) && RTN_IsArtificial(made));
    assert_int_equal(RTN_Size(loop), 5);
    assert_int_equal(RTN_Address(made) + RTN_Size(made), end);
    assert_int_equal(RTN_Next(loop).index, made.index);
    assert_int_equal(RTN_Next(made).index, next.index);
    assert_int_equal(RTN_Prev(next).index, made.index);
    assert_int_equal(RTN_FindByName(img, "inner").index, made.index);
    assert_string_equal(RTN_FindNameByAddress(at + 1), "inner");
    assert_false(RTN_Valid(RTN_CreateAt(8, "nowhere")));
    IMG_Close(img);
    assert_false(RTN_Valid(made));
}

static void misuse_ends_the_process(void **state)
{
    (void)state;
    int fds[2];
    char text[512] = "";
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        msg_fd = fds[1];
        IMG_Name(IMG_Invalid());
        _exit(0);
    }
    close(fds[1]);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(read(fds[0], text, sizeof text - 1) > 0);
    close(fds[0]);
    assert_int_equal(WEXITSTATUS(status), 1);
    assert_non_null(strstr(text, "IMG_Name: the image is not valid"));
}

static u32 count_descriptors(void)
{
    u32 n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static u32 descriptors_before;

static void no_descriptor_is_left_open(void **state)
{
    (void)state;
    assert_int_equal(count_descriptors(), descriptors_before);
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_of_compiled_programs),
        cmocka_unit_test(names_of_one_address),
        cmocka_unit_test(symbols_of_stripped_programs),
        cmocka_unit_test(functions_from_unwind_information),
        cmocka_unit_test(stubs_have_names),
        cmocka_unit_test(sections_as_readelf_has_them),
        cmocka_unit_test(routines_of_sections_are_all_routines),
        cmocka_unit_test(nothing_but_sections_without_symbols),
        cmocka_unit_test(lines_as_addr2line_has_them),
        cmocka_unit_test(undecorated_as_cxxfilt_does),
        cmocka_unit_test(instructions_as_objdump_has_them),
        cmocka_unit_test(routine_made_inside_another),
        cmocka_unit_test(start_finds_what_is_mapped),
        cmocka_unit_test(libc_with_its_debug_file),
        cmocka_unit_test(ifunc_gives_its_implementation),
        cmocka_unit_test(library_comes_and_goes),
        cmocka_unit_test(ifunc_from_bound_words),
        cmocka_unit_test(files_without_a_name),
        cmocka_unit_test(file_gone_and_no_privilege),
        cmocka_unit_test(not_every_mapping_is_an_image),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(misuse_ends_the_process),
        cmocka_unit_test(no_descriptor_is_left_open),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
