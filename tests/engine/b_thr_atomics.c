// test: cc=-pthread -mcx16
// SPDX-License-Identifier: Apache-2.0
// Atomic operations of all widths under contention are exact: add, xor, cmpxchg loops, cmpxchg16b, bit set, exchange chains.
#include "b_check.h"
#include <pthread.h>

enum { T = 4, N = 20000 };
static unsigned char c8;
static unsigned short c16;
static unsigned c32, cas32, x32, swap = 1;
static unsigned long c64, sum[T], bits[T * 4];
static struct {
    unsigned long lo, hi;
} __attribute__((aligned(16))) wide;

static void wide_add(void)
{
    unsigned long lo = wide.lo, hi = wide.hi, ok;
    do {
        __asm__ volatile("lock cmpxchg16b %1; sete %b0" : "=q"(ok), "+m"(wide), "+a"(lo), "+d"(hi) : "b"(lo + 1), "c"(hi + 3) : "cc", "memory");
    } while (!(ok & 1));
}

static void *work(void *arg)
{
    long me = (long)arg;
    for (unsigned i = 0; i < N; i++) {
        __atomic_add_fetch(&c8, 1, __ATOMIC_SEQ_CST);
        __atomic_add_fetch(&c16, 1, __ATOMIC_SEQ_CST);
        __atomic_sub_fetch(&c32, 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&c64, 1ul << 33, __ATOMIC_SEQ_CST);
        __atomic_fetch_xor(&x32, i * 2654435761u + me, __ATOMIC_SEQ_CST);
        unsigned old = cas32;
        while (!__atomic_compare_exchange_n(&cas32, &old, old * 5 + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            ;
        sum[me] += __atomic_exchange_n(&swap, i * 4 + me + 2, __ATOMIC_SEQ_CST);
        wide_add();
        if (i < 64)
            __asm__ volatile("lock bts %1, %0" : "+m"(bits[me]) : "r"((unsigned long)i) : "cc", "memory");
    }
    return 0;
}

int main(void)
{
    pthread_t t[T];
    for (long i = 0; i < T; i++)
        CHECK(pthread_create(&t[i], 0, work, (void *)i) == 0);
    for (int i = 0; i < T; i++)
        CHECK(pthread_join(t[i], 0) == 0);
    say("%u %u %u %lx %u %u\n", c8, c16, c32, c64, cas32, x32);
    say("%lu %lu\n", wide.lo, wide.hi);
    say("%lu %lx %lx\n", sum[0] + sum[1] + sum[2] + sum[3] + swap, bits[0], bits[3]);
    return 0;
}
