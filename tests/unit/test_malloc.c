/* SPDX-License-Identifier: Apache-2.0
 * hostmalloc.c: this program's own malloc is the one under test, cmocka's and libc's too. */
#include "unit.h"

#include "os/linux/hostmalloc.h"
#include "os/hostmem.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *break_at_start;

/* Values that the compiler cannot see: it must not judge the sizes or drop the calls. */
static size_t hidden(size_t n)
{
    volatile size_t v = n;
    return v;
}

static void test_is_ours(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 1000, 100000, 1000000, 50000000};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        u8 *p = malloc(hidden(sizes[i]));
        assert_non_null(p);
        assert_true(hostmem_overlaps((u64)p, (u64)p + 1));
        assert_true(hostmem_overlaps((u64)p + sizes[i] - 1, (u64)p + sizes[i]));
        free(p);
    }
}

/* Every size near every class border: aligned, as large as asked, distinct. */
static void test_sizes(void **state)
{
    (void)state;
    for (size_t n = 0; n < 300000; n += n < 5000 ? 1 : 509) {
        u8 *p = malloc(hidden(n)), *q = malloc(hidden(n));
        assert_non_null(p);
        assert_non_null(q);
        assert_ptr_not_equal(p, q);
        assert_int_equal((u64)p % 16, 0);
        assert_true(malloc_usable_size(p) >= n);
        memset(p, 0xaa, malloc_usable_size(p));
        memset(q, 0x55, malloc_usable_size(q));
        assert_true(n == 0 || (p[0] == 0xaa && p[n - 1] == 0xaa));
        free(p);
        free(q);
    }
    assert_int_equal(malloc_usable_size(NULL), 0);
}

static void test_errors(void **state)
{
    (void)state;
    static const size_t too_much[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 4096, PTRDIFF_MAX, (size_t)PTRDIFF_MAX + 1, 1ul << 60, 1ul << 47};
    u8 *volatile keep = malloc(hidden(200000)); /* volatile: gcc takes a failed realloc for a free */
    memset(keep, 7, 200000);
    for (size_t i = 0; i < ARRAY_LEN(too_much); i++) {
        errno = 0;
        assert_null(malloc(hidden(too_much[i])));
        assert_int_equal(errno, ENOMEM);
        assert_null(realloc(keep, hidden(too_much[i])));
        assert_null(calloc(1, hidden(too_much[i])));
        assert_null(pvalloc(hidden(too_much[i])));
        assert_null(aligned_alloc(1ul << 21, hidden(too_much[i])));
    }
    errno = 0;
    assert_null(calloc(hidden(1ul << 33), 1ul << 33));
    assert_int_equal(errno, ENOMEM);
    errno = 0;
    assert_null(reallocarray(keep, hidden(1ul << 33), 1ul << 33));
    assert_int_equal(errno, ENOMEM);
    void *out = keep;
    assert_int_equal(posix_memalign(&out, 24, 8), EINVAL);
    assert_int_equal(posix_memalign(&out, 0, 8), EINVAL);
    assert_int_equal(posix_memalign(&out, 1, 8), 0);
    free(out);
    out = keep;
    assert_int_equal(posix_memalign(&out, 64, hidden(SIZE_MAX - 100)), ENOMEM);
    assert_ptr_equal(out, keep);
    errno = 0;
    assert_null(aligned_alloc(hidden(48), 8));
    assert_int_equal(errno, EINVAL);
    assert_int_equal(keep[199999], 7);
    errno = EDOM; /* free keeps errno, whatever it does */
    free(keep);
    free(NULL);
    assert_int_equal(errno, EDOM);
}

static void test_alignment(void **state)
{
    (void)state;
    for (size_t align = 8; align <= 64ul << 20; align *= 2)
        for (int k = 0; k < 20; k++) {
            size_t n = 1 + unit_random(k % 2 ? 300 : 300000);
            void *p = NULL, *q = memalign(align, n);
            assert_int_equal(posix_memalign(&p, align, n), 0);
            assert_int_equal((u64)p % align, 0);
            assert_int_equal((u64)q % align, 0);
            assert_true(malloc_usable_size(p) >= n && malloc_usable_size(q) >= n);
            memset(p, 1, malloc_usable_size(p));
            memset(q, 2, malloc_usable_size(q));
            p = realloc(p, n + 1000);
            assert_non_null(p);
            assert_int_equal(((u8 *)p)[n - 1], 1);
            assert_int_equal(((u8 *)q)[n - 1], 2);
            free(p);
            free(q);
        }
    void *p = valloc(10), *q = pvalloc(10), *r = memalign(hidden(33), 10);
    assert_int_equal((u64)p % PAGE_BYTES, 0);
    assert_int_equal((u64)q % PAGE_BYTES, 0);
    assert_true(malloc_usable_size(q) >= PAGE_BYTES);
    assert_int_equal((u64)r % 64, 0);
    free(p);
    free(q);
    free(r);
}

static void test_calloc_zero(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++) {
        size_t n = 1 + unit_random(i % 20 ? 4000 : 3000000);
        u8 *p = malloc(hidden(n));
        memset(p, 0xff, n);
        free(p);
        p = calloc(hidden(n), 1);
        assert_non_null(p);
        assert_true(p[0] == 0 && memcmp(p, p + 1, n - 1) == 0);
        memset(p, 0xee, n);
        free(p);
    }
}

/* Content survives any way of growing and shrinking, through all kinds of blocks. */
static void test_resize(void **state)
{
    (void)state;
    u32 *p = NULL;
    size_t n = 0;
    for (int i = 0; i < 3000; i++) {
        size_t m = 1 + unit_random(1ul << (4 + unit_random(19)));
        u32 *q = realloc(p, m * sizeof *q);
        assert_non_null(q);
        for (size_t k = 0; k < n && k < m; k += 1 + k / 64)
            assert_int_equal(q[k], (u32)(k * 2654435761u));
        for (size_t k = 0; k < m; k++)
            q[k] = (u32)(k * 2654435761u);
        p = q;
        n = m;
    }
    assert_null(realloc(p, hidden(0)));
    p = reallocarray(NULL, 10, 10);
    assert_true(malloc_usable_size(p) >= 100);
    free(p);
}

static void test_big_blocks_go_back(void **state)
{
    (void)state;
    u64 before = hostmem_total_bytes();
    for (int i = 0; i < 50; i++) {
        u8 *p = malloc(hidden(100ul << 20));
        assert_non_null(p);
        p[0] = 1;
        assert_true(hostmem_total_bytes() >= before + (100ul << 20));
        free(p);
        assert_true(hostmem_total_bytes() <= before + (1ul << 20));
    }
}

/* After very many small blocks, nearly all of the memory goes back. */
static void test_small_blocks_go_back(void **state)
{
    (void)state;
    enum { N = 400000 };
    u8 **p = malloc(N * sizeof *p);
    u64 before = hostmem_total_bytes();
    for (int i = 0; i < N; i++) {
        p[i] = malloc(hidden(16 + (size_t)i % 400));
        p[i][0] = 1;
    }
    assert_true(hostmem_total_bytes() > before + (70ul << 20));
    for (int i = 0; i < N; i++)
        free(p[i]);
    assert_true(hostmem_total_bytes() < before + (12ul << 20));
    free(p);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

enum { THREADS = 6, SLOTS = 512, ROUNDS = 150000 };
static void *shared[SLOTS]; /* blocks handed from thread to thread; the first words are size and a sum of it */

static void fill_block(u64 *p, size_t words)
{
    p[0] = words;
    for (size_t i = 1; i < words; i++)
        p[i] = words ^ i;
}

static bool block_is_whole(const u64 *p)
{
    for (size_t i = 1; i < p[0]; i++)
        if (p[i] != (p[0] ^ i))
            return false;
    return true;
}

static void *stress(void *arg)
{
    u64 seed = (u64)arg;
    for (int i = 0; i < ROUNDS; i++) {
        u64 r = unit_random_next(&seed);
        size_t words = 2 + (r >> 20) % (r % 1000 == 0 ? 40000 : r % 10 == 0 ? 2000 : 20);
        u64 *p = r & 64 ? malloc(words * 8) : calloc(words, 8);
        if (!p)
            return (void *)1;
        fill_block(p, words);
        if (r % 16 == 3) {
            size_t more = words + (r >> 30) % 500;
            p = realloc(p, more * 8);
            if (!p || !block_is_whole(p))
                return (void *)2;
            fill_block(p, more);
        }
        u64 *old = __atomic_exchange_n(&shared[(r >> 8) % SLOTS], p, __ATOMIC_ACQ_REL);
        if (old && !block_is_whole(old))
            return (void *)3;
        free(old);
    }
    return NULL;
}

static void run_stress(void)
{
    pthread_t t[THREADS];
    for (u64 i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, stress, (void *)(i * 7919 + 13)), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(t[i], &wrong);
        assert_null(wrong);
    }
    for (int i = 0; i < SLOTS; i++) {
        assert_true(!shared[i] || block_is_whole(shared[i]));
        free(shared[i]);
        shared[i] = NULL;
    }
}

static void test_threads(void **state)
{
    (void)state;
    run_stress();
    u64 once = hostmem_total_bytes();
    run_stress();
    run_stress();
    assert_true(hostmem_total_bytes() <= once + (48ul << 20));
}

static pthread_key_t late_key;

/* Allocates and frees while the thread is going away, after the cache has been given back too. */
static void late(void *arg)
{
    u64 rounds = (u64)arg & 15;
    void *p = malloc(hidden(5000)), *q = malloc(hidden(50));
    free(p);
    free(q);
    if (rounds)
        pthread_setspecific(late_key, (void *)(((u64)arg & ~15ul) | (rounds - 1)));
}

static void *short_life(void *arg)
{
    void *p[64];
    for (int i = 0; i < 64; i++)
        p[i] = malloc(hidden(200 + 100 * (size_t)i));
    for (int i = 0; i < 64; i++)
        free(p[i]);
    pthread_setspecific(late_key, (void *)0x1008);
    if (arg)
        hostmalloc_thread_end(); /* as before a bare exit; malloc goes on working */
    void *q = malloc(hidden(3000));
    memset(q, 1, 3000);
    free(q);
    return NULL;
}

static void test_dead_threads_leave_nothing(void **state)
{
    (void)state;
    pthread_key_create(&late_key, late);
    u64 early = 0;
    for (u64 i = 0; i < 400; i++) {
        pthread_t t;
        assert_int_equal(pthread_create(&t, NULL, short_life, (void *)(i & 1)), 0);
        pthread_join(t, NULL);
        if (i == 20)
            early = hostmem_total_bytes();
    }
    assert_true(hostmem_total_bytes() <= early);
}

/* --- fork ----------------------------------------------------------------------------------------------------------- */

static volatile bool stop;

static void *busy(void *arg)
{
    u64 seed = (u64)arg;
    while (!stop) {
        void *p = malloc(16 + unit_random_next(&seed) % 5000), *q = malloc(200000 + seed % 100000);
        free(p);
        free(q);
    }
    return NULL;
}

static void child_works(void)
{
    void *p[100];
    for (int i = 0; i < 100; i++)
        p[i] = malloc(hidden((size_t)i * i * 40));
    for (int i = 0; i < 100; i++)
        free(p[i]);
    pthread_t t;
    stop = true;
    if (pthread_create(&t, NULL, busy, (void *)99) != 0 || pthread_join(t, NULL) != 0)
        _exit(2);
}

/* An atfork handler that allocates, of a tool say. */
static void allocate_in_fork(void)
{
    free(malloc(hidden(100000)));
    free(malloc(hidden(300000)));
}

static void test_fork(void **state)
{
    (void)state;
    pthread_t t[3];
    pthread_atfork(allocate_in_fork, allocate_in_fork, allocate_in_fork);
    for (u64 i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, busy, (void *)(i + 1));
    for (int i = 0; i < 100; i++) {
        bool bare = i % 3 == 0;
        if (bare)
            hostmalloc_before_fork();
        pid_t child = fork();
        if (child == 0) {
            alarm(280);
            if (bare)
                hostmalloc_after_fork(true);
            child_works();
            _exit(0);
        }
        if (bare)
            hostmalloc_after_fork(false);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    stop = true;
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
}

/* --- misuse ---------------------------------------------------------------------------------------------------------- */

static int status_of(void (*act)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        msg_fd = -1;
        act();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void free_foreign(void)
{
    u8 *p = hostmem_map_aligned(1ul << 20, 1ul << 20, 3);
    hostmalloc_thread_end(); /* without a cache, what is freed is looked at there and then */
    free(p + 64 + hidden(0));
}

static void test_foreign_pointer_is_reported(void **state)
{
    (void)state;
    int status = status_of(free_foreign);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void test_break_is_untouched(void **state)
{
    (void)state;
    assert_ptr_equal(sbrk(0), break_at_start);
}

int main(void)
{
    break_at_start = (void *)syscall(SYS_brk, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_ours),   cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_errors),    cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_calloc_zero), cmocka_unit_test(test_resize),
        cmocka_unit_test(test_big_blocks_go_back), cmocka_unit_test(test_small_blocks_go_back),
        cmocka_unit_test(test_threads),   cmocka_unit_test(test_dead_threads_leave_nothing),
        cmocka_unit_test(test_fork),      cmocka_unit_test(test_foreign_pointer_is_reported),
        cmocka_unit_test(test_break_is_untouched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
