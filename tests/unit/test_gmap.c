/* SPDX-License-Identifier: Apache-2.0
 * gmap.c against a model that is an array of pages, with random operations; many areas; stacks that grow; start, threads and fork. */
#include "unit.h"

#include "os/gmap.h"
#include "os/hostmem.h"
#include "os/linux/mapsfile.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define BASE 0x10000000ul
#define PAGES 3000u
#define PAGE(i) (BASE + (u64)(i) * PAGE_BYTES)

struct page {
    bool mapped;
    u32 flags;
    u64 ino, off;
};
static struct page model[PAGES];

static void check_page(u32 i)
{
    struct gmap_area a;
    bool found = gmap_find(PAGE(i) + unit_random(PAGE_BYTES), &a);
    assert_int_equal(found, model[i].mapped);
    if (!found)
        return;
    assert_int_equal(a.flags, model[i].flags);
    assert_int_equal(a.ino, model[i].ino);
    if (a.ino)
        assert_int_equal(a.off + (PAGE(i) - a.start), model[i].off);
}

/* Walks all areas: together they are the model, and none could be joined with the one before. */
static void check_all(void)
{
    struct gmap_area a, last = {0};
    u32 next = 0;
    for (u64 at = BASE; gmap_next(at, &a) && a.start < PAGE(PAGES); at = a.end) {
        assert_true(a.start >= at && a.start < a.end);
        for (; PAGE(next) < a.start; next++)
            assert_false(model[next].mapped);
        bool joins = last.end == a.start && last.flags == a.flags && last.ino == a.ino && (!a.ino || last.off + (last.end - last.start) == a.off);
        assert_false(joins && last.end);
        for (; PAGE(next) < a.end; next++) {
            assert_true(model[next].mapped);
            assert_int_equal(model[next].flags, a.flags);
            assert_int_equal(model[next].ino, a.ino);
            if (a.ino)
                assert_int_equal(model[next].off, a.off + (PAGE(next) - a.start));
        }
        last = a;
    }
    for (; next < PAGES; next++)
        assert_false(model[next].mapped);
}

static void do_add(u32 from, u32 n)
{
    struct gmap_area a = {.start = PAGE(from), .end = PAGE(from + n), .flags = (u32)unit_random(16), .ino = unit_random(3), .dev_major = 8};
    /* Offsets that fit those of neighbours now and then. */
    a.off = a.ino ? (unit_random(2) ? from : unit_random(50)) * PAGE_BYTES : 0;
    gmap_add(&a);
    for (u32 i = 0; i < n; i++)
        model[from + i] = (struct page){true, a.flags, a.ino, a.ino ? a.off + i * PAGE_BYTES : 0};
}

static void do_remove(u32 from, u32 n)
{
    gmap_remove(PAGE(from), PAGE(from + n));
    memset(model + from, 0, n * sizeof *model);
}

static void do_protect(u32 from, u32 n)
{
    u32 rwx = (u32)unit_random(8);
    gmap_protect(PAGE(from), PAGE(from + n), rwx);
    for (u32 i = from; i < from + n; i++)
        if (model[i].mapped)
            model[i].flags = (model[i].flags & ~7u) | rwx;
}

/* mremap to a place that does not overlap; growing only what is one area, as the kernel demands. */
static void do_move(u32 from, u32 n)
{
    static struct page moved[PAGES];
    bool keep = unit_random(4) == 0;
    u32 to_n = 1 + (u32)unit_random(n);
    struct gmap_area a;
    if (gmap_find(PAGE(from), &a) && a.start <= PAGE(from) && a.end >= PAGE(from + n))
        to_n = 1 + (u32)unit_random(2 * n);
    u32 to = (u32)unit_random(PAGES - to_n);
    if (to < from + n && from < to + to_n)
        return;
    gmap_move(PAGE(from), n * PAGE_BYTES, PAGE(to), to_n * PAGE_BYTES, keep);
    memcpy(moved, model + from, n * sizeof *moved);
    if (!keep)
        memset(model + from, 0, n * sizeof *model);
    for (u32 i = 0; i < to_n; i++) {
        if (i < n && !moved[i].mapped)
            continue; /* a hole takes nothing away */
        model[to + i] = i < n ? moved[i] : moved[n - 1];
        if (i >= n && moved[n - 1].ino)
            model[to + i].off = moved[n - 1].off + (i - n + 1) * PAGE_BYTES;
    }
}

static void test_random(void **state)
{
    (void)state;
    static void (*const op[])(u32, u32) = {do_add, do_add, do_add, do_remove, do_protect, do_protect, do_move};
    gmap_remove(0, ~0ul);
    memset(model, 0, sizeof model);
    for (u32 i = 0; i < 60000; i++) {
        u32 n = 1 + (u32)unit_random(unit_random(40) ? 5 : 600), from = (u32)unit_random(PAGES - n);
        op[unit_random(ARRAY_LEN(op))](from, n);
        for (int k = 0; k < 3; k++)
            check_page((u32)unit_random(PAGES));
        check_page(from);
        if (i % 50 == 0)
            check_all();
    }
    check_all();
    gmap_remove(0, ~0ul);
}

static void test_move_in_place_and_shared_copy(void **state)
{
    (void)state;
    struct gmap_area a, file = {.start = PAGE(10), .end = PAGE(14), .flags = GMAP_READ | GMAP_SHARED, .ino = 5, .off = 0x7000};
    gmap_add(&file);
    gmap_move(PAGE(10), 4 * PAGE_BYTES, PAGE(10), 9 * PAGE_BYTES, false);
    assert_true(gmap_find(PAGE(18), &a));
    assert_int_equal(a.start, PAGE(10));
    assert_int_equal(a.end, PAGE(19));
    gmap_move(PAGE(10), 9 * PAGE_BYTES, PAGE(10), 2 * PAGE_BYTES, false);
    assert_false(gmap_find(PAGE(12), &a));
    gmap_move(PAGE(11), 0, PAGE(100), 3 * PAGE_BYTES, false);
    assert_true(gmap_find(PAGE(102), &a));
    assert_int_equal(a.start, PAGE(100));
    assert_int_equal(a.off, 0x8000);
    assert_true(gmap_find(PAGE(11), &a));
    gmap_remove(0, ~0ul);
}

/* Adds in random order must not move all areas each time: 200000 of them are through in well under a second. */
static void test_many(void **state)
{
    (void)state;
    enum { N = 200000 };
    static u32 order[N];
    for (u32 i = 0; i < N; i++)
        order[i] = i;
    for (u32 i = N - 1; i > 0; i--) {
        u32 j = (u32)unit_random(i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    alarm(280);
    struct gmap_area a = {.flags = GMAP_READ};
    for (u32 i = 0; i < N; i++) {
        a.start = PAGE(2 * order[i]);
        a.end = a.start + PAGE_BYTES;
        gmap_add(&a);
    }
    for (u32 i = 0; i < N; i++) {
        assert_true(gmap_find(PAGE(2 * i), &a));
        assert_int_equal(a.start, PAGE(2 * i));
        assert_false(gmap_find(PAGE(2 * i + 1), &a));
    }
    for (u32 i = 0; i < N; i++) /* fill the gaps: all become one */
        gmap_add(&(struct gmap_area){.start = PAGE(2 * order[i] + 1), .end = PAGE(2 * order[i] + 2), .flags = GMAP_READ});
    assert_true(gmap_find(PAGE(N), &a));
    assert_int_equal(a.start, PAGE(0));
    assert_int_equal(a.end, PAGE(2 * N));
    for (u32 i = 0; i < N; i++)
        gmap_protect(PAGE(2 * order[i]), PAGE(2 * order[i] + 1), GMAP_READ | GMAP_EXEC);
    assert_true(gmap_find(PAGE(N), &a));
    assert_int_equal(a.end - a.start, PAGE_BYTES);
    gmap_remove(0, ~0ul);
    assert_false(gmap_next(0, &a));
    alarm(0);
}

static void test_stack_grows(void **state)
{
    (void)state;
    const size_t room = 512 * PAGE_BYTES;
    u8 *p = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    assert_int_equal(munmap(p, room), 0);
    u64 top = (u64)p + room, start = top - 4 * PAGE_BYTES;
    assert_ptr_equal(mmap((void *)start, 4 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_GROWSDOWN, -1, 0), (void *)start);
    gmap_add(&(struct gmap_area){.start = start, .end = top, .flags = GMAP_READ | GMAP_WRITE | GMAP_STACK});
    struct gmap_area a;
    assert_false(gmap_find(start - 1, &a));
    for (int i = 1; i <= 8; i++)
        *(volatile u8 *)(start - (u64)i * PAGE_BYTES) = 1; /* the kernel grows it, page by page */
    assert_true(gmap_find(start - 3 * PAGE_BYTES, &a));
    assert_int_equal(a.end, top);
    assert_true(gmap_find(start - 8 * PAGE_BYTES + 5, &a));
    assert_int_equal(a.start, start - 8 * PAGE_BYTES);
    assert_false(gmap_find(start - 9 * PAGE_BYTES, &a));
    munmap((void *)(start - 8 * PAGE_BYTES), 12 * PAGE_BYTES);
    gmap_remove(0, ~0ul);
}

static void test_init(void **state)
{
    (void)state;
    /* Host memory beside the guest's, of the same kind, so that the kernel shows one area. */
    u8 *host = hostmem_map(8 * PAGE_BYTES, PROT_READ | PROT_WRITE);
    assert_non_null(host);
    hostmem_unmap(host, 2 * PAGE_BYTES);
    assert_ptr_equal(mmap(host, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), host);
    gmap_init();
    struct gmap_area a;
    assert_true(gmap_find((u64)host, &a));
    assert_int_equal(a.end, (u64)host + 2 * PAGE_BYTES);
    for (u64 at = (u64)host + 2 * PAGE_BYTES; at < (u64)host + 8 * PAGE_BYTES; at += PAGE_BYTES)
        assert_false(gmap_find(at, &a));
    assert_true(gmap_find((u64)&a, &a));
    assert_true(a.flags & GMAP_STACK);
    assert_true(gmap_find((u64)test_init, &a));
    assert_int_equal(a.flags, GMAP_READ | GMAP_EXEC);
    assert_true(a.ino != 0);
    struct maps_reader r;
    struct maps_area m;
    assert_true(maps_open(&r, 0));
    while (maps_next(&r, &m))
        if (m.end - m.start == PAGE_BYTES && !hostmem_overlaps(m.start, m.end))
            assert_true(gmap_find(m.start, &a) && a.off + (m.start - a.start) * (a.ino != 0) == m.off * (a.ino != 0));
    maps_close(&r);
    munmap(host, 2 * PAGE_BYTES);
    hostmem_unmap(host + 2 * PAGE_BYTES, 6 * PAGE_BYTES);
    gmap_remove(0, ~0ul);
}

static volatile bool stop;
static u64 found_whole;
static pthread_barrier_t all_there;

/* The writer replaces the whole area each time: a reader sees one version or the other, never a mixture. */
static void *reader(void *arg)
{
    (void)arg;
    u64 n = 0;
    pthread_barrier_wait(&all_there);
    do {
        struct gmap_area a;
        if (!gmap_find(PAGE(64), &a) || a.ino != a.flags || a.end - a.start != a.ino * PAGE_BYTES)
            return (void *)1;
        n++;
    } while (!stop);
    __atomic_fetch_add(&found_whole, n, __ATOMIC_RELAXED);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t t[4];
    pthread_barrier_init(&all_there, NULL, 5);
    gmap_add(&(struct gmap_area){.start = PAGE(64), .end = PAGE(65), .flags = 1, .ino = 1});
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, reader, NULL), 0);
    pthread_barrier_wait(&all_there);
    for (u32 i = 0; i < 20000; i++) {
        /* From n to n + 1 pages: gmap_add replaces what is there in one step. */
        u64 n = 1 + i;
        gmap_add(&(struct gmap_area){.start = PAGE(64), .end = PAGE(64 + n), .flags = (u32)n, .ino = n});
        if (i % 5000 == 4999) {
            pid_t child;
            gmap_before_fork();
            if ((child = fork()) == 0) {
                struct gmap_area a;
                alarm(20);
                gmap_after_fork(true);
                gmap_add(&(struct gmap_area){.start = PAGE(1), .end = PAGE(2), .flags = 1});
                _exit(gmap_find(PAGE(1), &a) && gmap_find(PAGE(64), &a) && a.ino == n ? 0 : 1);
            }
            gmap_after_fork(false);
            int status;
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_int_equal(status, 0);
        }
    }
    stop = true;
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(t[i], &wrong);
        assert_null(wrong);
    }
    assert_true(found_whole >= 4);
    gmap_remove(0, ~0ul);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random), cmocka_unit_test(test_move_in_place_and_shared_copy), cmocka_unit_test(test_many), cmocka_unit_test(test_stack_grows),
        cmocka_unit_test(test_init),   cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
