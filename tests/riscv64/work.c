/* SPDX-License-Identifier: Apache-2.0
 * A bit of everything that straight code, branches and calls are made of: loops, function pointers, a switch with a
 * table, recursion, qsort with a comparison by pointer, printf, malloc, floating point, atomic operations, thread-local
 * variables, and an exit status. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __thread int of_thread = 5;
static _Thread_local long sums[4];

static unsigned long fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

static long add(long a, long b) { return a + b; }
static long sub(long a, long b) { return a - b; }
static long mul(long a, long b) { return a * b; }
static long (*volatile const ops[])(long, long) = {add, sub, mul, add};

__attribute__((noinline)) static int pick(unsigned n)
{
    switch (n) {
    case 0: return 3;
    case 1: return 1 + of_thread;
    case 2: return 4;
    case 3: return of_thread = of_thread * 3 % 1000;
    case 4: return 15;
    case 5: return 92;
    case 6: return -6;
    case 7: return 53;
    default: return 0;
    }
}

static void words(void)
{
    char *text = strdup("the quick brown fox jumps over the lazy dog"), *at = text;
    for (char *w; (w = strsep(&at, " "));)
        printf("%zu:%s ", strlen(w), w);
    printf("\n");
    free(text);
}

int main(int argc, char **argv)
{
    int list[500];
    long v = 1;
    unsigned seed = 12345;
    atomic_long shared = 0;
    double root = 0;
    for (int i = 0; i < 500; i++)
        list[i] = (int)((seed = seed * 1103515245u + 12345u) >> 8) % 10000;
    qsort(list, 500, sizeof list[0], by_value);
    for (unsigned i = 0; i < 4000; i++) {
        v = ops[i & 3](v, (long)i) % 1000003;
        sums[i & 3] += pick(i % 9);
        root += sqrt((double)i) / (1 + (i & 7));
        atomic_fetch_add(&shared, v & 7);
        atomic_compare_exchange_strong(&shared, &(long){77}, 78);
    }
    printf("%d %s %d %d %d\n", argc, argc > 1 ? argv[1] : "-", list[0], list[250], list[499]);
    printf("%ld %ld %ld %ld %ld %.6f %ld\n", v, sums[0], sums[1], sums[2], sums[3], root, (long)shared);
    printf("fib %lu\n", fib(20));
    words();
    return (int)(v & 63);
}
