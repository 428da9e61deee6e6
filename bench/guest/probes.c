/* SPDX-License-Identifier: Apache-2.0
 * probes CALLS WORK: for bench/probes.py. Calls a small function CALLS times, then does WORK rounds of work in functions that lie among 1,024 others, which nobody calls.
 * Prints the nanoseconds of CPU time of one call and of one round, and a sum. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A function of which its callers know nothing, so that they expect of it what the calling convention says: what a probe
 * leads to keeps no more. */
#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noipa))
#endif

#define UNUSED(n) \
    long unused_##n(long a); \
    ALONE long unused_##n(long a) { return a * 3 + (a >> 2); }
#define FOUR(n) UNUSED(n##0) UNUSED(n##1) UNUSED(n##2) UNUSED(n##3)
#define SIXTEEN(n) FOUR(n##0) FOUR(n##1) FOUR(n##2) FOUR(n##3)
#define MANY(n) SIXTEEN(n##0) SIXTEEN(n##1) SIXTEEN(n##2) SIXTEEN(n##3)

static unsigned long table[4096];

MANY(0) MANY(1) MANY(2) MANY(3)
ALONE static long small(long a, long b) { return a * 5 + b; }
MANY(4) MANY(5) MANY(6) MANY(7)
ALONE static unsigned long mix(unsigned long a) { return (a ^ a >> 29) * 0xbf58476d1ce4e5b9ul; }
MANY(8) MANY(9) MANY(10) MANY(11)
ALONE static unsigned long look(unsigned long a) { return table[a % 4096] += a; }
MANY(12) MANY(13) MANY(14) MANY(15)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : 1, work = argc > 2 ? atol(argv[2]) : 1, sum = 0;
    unsigned long a = 1;
    double begun = now();
    for (long i = 0; i < calls; i++)
        sum = small(sum, i);
    double called = now();
    for (long i = 0; i < work; i++)
        a = mix(a + look(a));
    printf("%.4f %.4f %ld %lu\n", (called - begun) / (double)calls, (now() - called) / (double)work, sum, a);
    return 0;
}
