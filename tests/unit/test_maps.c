/* SPDX-License-Identifier: Apache-2.0
 * mapsfile.c: one line, its way back into text, and whole files. */
#include "unit.h"

#include "os/linux/mapsfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void test_line(void **state)
{
    (void)state;
    struct maps_area a;
    assert_true(maps_parse_line("7f0000001000-7f0000003000 r-xp 00002000 fd:10 131 /usr/lib/a b.so (deleted)", &a));
    assert_int_equal(a.start, 0x7f0000001000);
    assert_int_equal(a.end, 0x7f0000003000);
    assert_int_equal(a.prot, PROT_READ | PROT_EXEC);
    assert_false(a.shared);
    assert_int_equal(a.off, 0x2000);
    assert_int_equal(a.dev_major, 0xfd);
    assert_int_equal(a.dev_minor, 0x10);
    assert_int_equal(a.ino, 131);
    assert_string_equal(a.name, "/usr/lib/a b.so (deleted)");
    assert_true(maps_parse_line("00400000-00401000 -w-s 00000000 00:00 0 ", &a));
    assert_int_equal(a.prot, PROT_WRITE);
    assert_true(a.shared);
    assert_string_equal(a.name, "");
}

static void test_not_a_line(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "Rss:                   4 kB", "VmFlags: rd ex mr mw me", "00400000", "00400000-00401000", "00400000-00401000 rwx 0 00:00 0",
                                      "00400000-00401000 rwxq 0 00:00 0", "Anonymous:             0 kB", "00400000-00401000 rwxp 0 00:00 "};
    struct maps_area a;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_false(maps_parse_line(bad[i], &a));
}

/* Every line of the kernel's text comes out again as it went in. */
static void test_format(void **state)
{
    (void)state;
    FILE *f = fopen("/proc/self/maps", "r");
    assert_non_null(f);
    char line[8192], parsed[8192], back[8192];
    int n = 0;
    while (fgets(line, sizeof line, f)) {
        struct maps_area a;
        strcpy(parsed, line);
        *strchr(parsed, '\n') = '\0';
        assert_true(maps_parse_line(parsed, &a));
        assert_int_equal(maps_format_line(back, sizeof back, &a), strlen(line));
        assert_string_equal(back, line);
        n++;
    }
    fclose(f);
    assert_true(n > 5);
}

static void test_reader(void **state)
{
    (void)state;
    /* More text than a reader holds: every other page of a reservation has another protection. */
    const int pages = 400;
    u8 *p = mmap(NULL, pages * PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    for (int i = 0; i < pages; i += 2)
        assert_int_equal(mprotect(p + (size_t)i * PAGE_BYTES, PAGE_BYTES, PROT_READ | PROT_WRITE), 0);
    struct maps_reader r;
    struct maps_area a;
    u64 last = 0;
    int seen = 0;
    assert_true(maps_open(&r, 0));
    while (maps_next(&r, &a)) {
        assert_true(a.start >= last && a.start < a.end);
        last = a.end;
        if (a.start < (u64)p || a.end > (u64)p + pages * PAGE_BYTES)
            continue;
        assert_int_equal(a.start, (u64)p + (u64)seen * PAGE_BYTES);
        assert_int_equal(a.prot, seen % 2 ? PROT_READ : PROT_READ | PROT_WRITE);
        seen++;
    }
    maps_close(&r);
    assert_int_equal(seen, pages);
    munmap(p, pages * PAGE_BYTES);
    assert_true(maps_open(&r, getpid()));
    assert_true(maps_next(&r, &a));
    maps_close(&r);
    assert_false(maps_open(&r, 0x7fffffff));
}

static void test_long_name(void **state)
{
    (void)state;
    char name[3 * MAPS_READER_BYTES];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    struct maps_reader r = {.fd = memfd_create("maps", 0)};
    struct maps_area a;
    assert_true(r.fd >= 0);
    dprintf(r.fd, "00001000-00002000 r--p 00000000 00:00 0 \n00002000-00003000 rw-p 00000000 00:01 7 /%s\n00003000-00004000 r-xp 00000000 00:00 0 end\n", name);
    lseek(r.fd, 0, SEEK_SET);
    assert_true(maps_next(&r, &a));
    assert_true(maps_next(&r, &a));
    assert_int_equal(a.start, 0x2000);
    assert_int_equal(a.ino, 7);
    assert_memory_equal(a.name, "/nnn", 4);
    assert_true(maps_next(&r, &a));
    assert_int_equal(a.start, 0x3000);
    assert_string_equal(a.name, "end");
    assert_false(maps_next(&r, &a));
    maps_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),   cmocka_unit_test(test_not_a_line), cmocka_unit_test(test_format),
        cmocka_unit_test(test_reader), cmocka_unit_test(test_long_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
