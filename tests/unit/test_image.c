/* SPDX-License-Identifier: Apache-2.0
 * Symbols, routines, sections, source lines and names of ELF files on disk (IMG_Open), against what nm, readelf, objdump, addr2line and c++filt say at the time of the test; files without symbols,
 * with a separate debug file, and damaged ones. */
#include "image_tools.h"

#include "api/ins_facts.h"

/* --- symbols ------------------------------------------------------------------------------------------------------------ */

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

/* The addresses of all functions of one name, as readelf has them: `bind` LOCAL, GLOBAL or WEAK; 0 when there is not exactly one. */
static u64 only_function(const char *path, const char *name, const char *bind)
{
    char line[512];
    u64 found = 0;
    u32 n = 0;
    FILE *f = output_of("readelf -sW %s | awk '$4 == \"FUNC\" && $5 == \"%s\" && $7 != \"UND\" && $8 == \"%s\" { print $2 }' | sort -u", path, bind, name);
    while (fgets(line, sizeof line, f)) {
        found = strtoul(line, NULL, 16);
        n++;
    }
    pclose(f);
    return n == 1 ? found : 0;
}

/* A name that several files have: what is visible to others is meant, in whatever order they were linked, in a program and in a library. */
static void one_name_for_several_functions(void **state)
{
    static const struct { const char *name, *bind; } wanted[] = {{"both", "GLOBAL"}, {"frail", "WEAK"}, {"sole", "LOCAL"}};
    static const char *const orders[] = {"hidden.o shown.o", "shown.o hidden.o"}, *const flags[] = {"-no-pie", "-pie", "-shared"};
    (void)state;
    write_source("hidden.c", "static __attribute__((noinline, used)) int both(int x) { return x + 1; }\nstatic __attribute__((noinline, used)) int frail(int x) { return x + 2; }\n"
                             "static __attribute__((noinline, used)) int sole(int x) { return x + 3; }\nint use_hidden(int x) { return both(x) + frail(x) + sole(x); }\n");
    write_source("shown.c", "int both(int x) { return x + 4; }\n__attribute__((weak)) int frail(int x) { return x + 5; }\nint use_hidden(int);\nint main(int n, char **v) { (void)v; return both(n) + frail(n) + use_hidden(n); }\n");
    run("gcc -O1 -fPIC -c hidden.c shown.c");
    for (size_t o = 0; o < ARRAY_LEN(orders); o++)
        for (size_t k = 0; k < ARRAY_LEN(flags); k++) {
            char file[32];
            snprintf(file, sizeof file, "names%zu%zu", o, k);
            run("gcc %s %s -o %s", flags[k], orders[o], file);
            IMG img = opened(path_of(file));
            for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
                u64 at = only_function(path_of(file), wanted[i].name, wanted[i].bind);
                assert_int_not_equal(at, 0);
                assert_int_equal(RTN_Address(RTN_FindByName(img, wanted[i].name)), at);
                assert_string_equal(RTN_FindNameByAddress(at), wanted[i].name);
                u64 other = i < 2 ? only_function(path_of(file), wanted[i].name, "LOCAL") : at;
                assert_int_not_equal(other, 0);
                assert_string_equal(RTN_FindNameByAddress(other), wanted[i].name); /* the hidden one has its name, too */
                assert_int_equal(RTN_Address(RTN_FindByAddress(other)), other);
            }
            IMG_Close(img);
        }
}

/* Of several names at one place, the one that others can see is shown. */
static void visible_name_of_one_address(void **state)
{
    (void)state;
    write_source("alias.c", "__asm__(\".text\\n.type a_local, @function\\n.type seen_by_all, @function\\n.type z_local, @function\\n.globl seen_by_all\\na_local: seen_by_all: z_local: nop\\nret\\n\");\n"
                            "__asm__(\".type b_local, @function\\n.type frail_name, @function\\n.weak frail_name\\nb_local: frail_name: nop\\nret\\n\");\nint main(void) { return 0; }\n");
    run("gcc alias.c -o alias");
    IMG img = opened(path_of("alias"));
    static const char *const names[] = {"a_local", "z_local", "seen_by_all"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        assert_string_equal(RTN_Name(RTN_FindByName(img, names[i])), "seen_by_all");
    assert_string_equal(RTN_Name(RTN_FindByName(img, "b_local")), "frail_name");
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
    SEC sec = IMG_SecHead(img); /* the empty one */
    assert_string_equal(SEC_Name(sec), "");
    assert_int_equal(SEC_Size(sec), 0);
    sec = SEC_Next(sec);
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
    symbols_wanted = false;
    assert_true(PIN_InitSymbolsAlt(NO_SYMBOLS));
    IMG img = opened(path_of("nosym"));
    assert_false(RTN_Valid(RTN_FindByName(img, "main")));
    assert_string_equal(RTN_FindNameByAddress(IMG_EntryAddress(img)), ".text");
    assert_false(SYM_Valid(IMG_RegsymHead(img)));
    IMG_Close(img);
    static const SYMBOL_INFO_MODE modes[] = {EXPORT_SYMBOLS, DEBUG_SYMBOLS, IFUNC_SYMBOLS};
    for (u32 i = 0; i < ARRAY_LEN(modes); i++) {
        char copy[20], command[40];
        base_format(copy, sizeof copy, "mode%u", i);
        base_format(command, sizeof command, "cp p5 %s", copy);
        run(command);
        symbols_wanted = false;
        assert_true(PIN_InitSymbolsAlt(modes[i]));
        img = opened(path_of(copy));
        assert_true(RTN_Valid(RTN_FindByName(img, "helper"))); /* no mode hides anything on Linux */
        IMG_Close(img);
    }
    assert_true(PIN_InitSymbolsAlt(NO_SYMBOLS) && symbols_wanted);
    assert_false(PIN_InitSymbolsAlt(SYMBOL_INFO_MODE_INVALID));
    PIN_InitSymbols();
}

/* --- lines ------------------------------------------------------------------------------------------------------------------ */

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
            if (!in->next) /* as INS_Next does */
                rtn_walk_on(in);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_of_compiled_programs),
        cmocka_unit_test(names_of_one_address),
        cmocka_unit_test(one_name_for_several_functions),
        cmocka_unit_test(visible_name_of_one_address),
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
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(misuse_ends_the_process),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
