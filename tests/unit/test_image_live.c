/* SPDX-License-Identifier: Apache-2.0
 * Images of a running process: what is there at the start, libraries that come and go, files without a name, indirect functions. The test is its own guest and tells of its mappings as the system calls would. */
#include "os/events.h"
#include "image_tools.h"

#include "os/hostmem.h"
#include "os/linux/mapsfile.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>

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

/* libc's own, whatever stands before it (a sanitizer's runtime does). */
static void *in_libc(const char *name)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    void *at = libc ? dlsym(libc, name) : NULL;
    assert_non_null(at);
    dlclose(libc);
    return at;
}

static void libc_as_the_loader_has_it(void **state)
{
    (void)state;
    IMG libc = image_with("libc.so");
    Dl_info info;
    assert_true(dladdr(in_libc("puts"), &info));
    assert_int_equal(IMG_LoadOffset(libc), (u64)info.dli_fbase);
    assert_string_equal(RTN_FindNameByAddress((ADDRINT)in_libc("puts")), "puts");
    assert_int_equal(RTN_Address(RTN_FindByName(libc, "fopen")), (u64)in_libc("fopen"));
    check_against_readelf(libc, IMG_Name(libc));
}

static void libc_with_its_debug_file(void **state)
{
    (void)state;
    IMG libc = image_with("libc.so");
    image_lock();
    struct elffile *debug = elffile_debug(image_get((u32)libc.index)->file);
    image_unlock();
    if (!debug) {
        print_message("libc_with_its_debug_file: libc6-dbg is not installed\n");
        skip();
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
    assert_int_equal(RTN_Address(r), (u64)in_libc("memcpy"));
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
    os_events.mapped(&a, fd, NULL);
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
    os_events.unmapped(code - 8 * PAGE_BYTES, code - PAGE_BYTES); /* beside it */
    assert_false(image_notify_wanted());
    dlclose(lib);
    os_events.unmapped(IMG_LowAddress(img) & ~0xffful, IMG_HighAddress(img) + 1);
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

static void no_descriptor_is_left_open(void **state)
{
    (void)state;
    assert_int_equal(count_descriptors(), descriptors_before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_finds_what_is_mapped),
        cmocka_unit_test(libc_as_the_loader_has_it),
        cmocka_unit_test(libc_with_its_debug_file),
        cmocka_unit_test(ifunc_gives_its_implementation),
        cmocka_unit_test(library_comes_and_goes),
        cmocka_unit_test(ifunc_from_bound_words),
        cmocka_unit_test(files_without_a_name),
        cmocka_unit_test(file_gone_and_no_privilege),
        cmocka_unit_test(not_every_mapping_is_an_image),
        cmocka_unit_test(no_descriptor_is_left_open),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
