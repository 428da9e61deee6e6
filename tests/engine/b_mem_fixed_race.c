// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// mmap with MAP_FIXED, mremap, munmap, mprotect and madvise at places where nothing of the program is, while threads
// come and go, for which the engine maps memory of its own: the calls may be refused where they would hit it, but never
// take it away. Natively nothing is in the way.
#include "b_check.h"
#include <pthread.h>
#include <sys/mman.h>

#define STEP (1ul << 24)
#define NONE MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
#define ROUNDS 150

static volatile int stop;
static volatile unsigned long where;

static void *nothing(void *arg) { return arg; }

static void *come_and_go(void *arg)
{
    pthread_t t[4];
    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < 4; k++)
            CHECK(pthread_create(&t[k], NULL, nothing, NULL) == 0);
        for (int k = 0; k < 4; k++)
            CHECK(pthread_join(t[k], NULL) == 0);
    }
    return arg;
}

/* Is there something that is not to be seen in [at, at + bytes)? */
static int is_free(unsigned long at, unsigned long bytes)
{
    void *p = mmap((void *)at, bytes, PROT_NONE, NONE | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED)
        return 0;
    CHECK(munmap(p, bytes) == 0);
    return p == (void *)at;
}

/* The place below the lowest thing that is in the way, at most 4 TiB below the libraries. */
static unsigned long find_place(void)
{
    unsigned long at = ((unsigned long)mmap(NULL, STEP, PROT_NONE, NONE, -1, 0) & -(1ul << 30)) - (1ul << 30), low = 0;
    for (int i = 0; i < 4096; i++, at -= 1ul << 30)
        if (!is_free(at, 1ul << 30))
            low = at;
    if (!low)
        return at;
    while (is_free(low, 1ul << 16))
        low += 1ul << 16;
    return low - STEP;
}

static void *replace(void *arg)
{
    unsigned long at = where;
    while (!stop) {
        void *p = mmap((void *)at, STEP, PROT_READ, NONE | MAP_FIXED, -1, 0);
        CHECK(p == (void *)at || (p == MAP_FAILED && errno == ENOMEM));
        CHECK(munmap((void *)at, STEP) == 0);
    }
    return arg;
}

static void *wipe(void *arg)
{
    unsigned long at = where;
    while (!stop) {
        CHECK_ERR(mprotect((void *)at, STEP, PROT_NONE), ENOMEM);
        CHECK_ERR(madvise((void *)at, STEP, MADV_DONTNEED), ENOMEM);
    }
    return arg;
}

static void *move(void *arg)
{
    unsigned long at = where;
    while (!stop) {
        void *from = mmap(NULL, 1 << 16, PROT_READ, NONE, -1, 0), *p;
        CHECK(from != MAP_FAILED);
        p = mremap(from, 1 << 16, STEP, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)at);
        CHECK(p == (void *)at || (p == MAP_FAILED && errno == ENOMEM));
        if (p == MAP_FAILED) /* else nothing is there any more, or another thread's stack already */
            CHECK(munmap(from, 1 << 16) == 0);
        CHECK(munmap((void *)at, STEP) == 0);
    }
    return arg;
}

static void run(void *(*changes)(void *))
{
    pthread_t a, b;
    stop = 0;
    CHECK(pthread_create(&a, NULL, changes, NULL) == 0 && pthread_create(&b, NULL, come_and_go, NULL) == 0);
    CHECK(pthread_join(b, NULL) == 0);
    stop = 1;
    CHECK(pthread_join(a, NULL) == 0);
}

int main(void)
{
    where = find_place();
    run(replace);
    run(wipe);
    run(move);
    say("%d threads\n", 3 * 4 * ROUNDS);
    return 0;
}
