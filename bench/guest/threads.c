/* SPDX-License-Identifier: Apache-2.0
 * Benchmark workload: units of work that N threads share, with nothing else in common: threads N UNITS. What it prints does not depend on N. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define TABLE 4096
#define MAX_THREADS 64

struct worker {
    pthread_t thread;
    long from, to;
    unsigned long sum;
} __attribute__((aligned(128)));

static unsigned long mix(unsigned long x) { return (x ^ x >> 29) * 0x9e3779b97f4a7c15ul; }
static unsigned long turn(unsigned long x) { return x << 7 | x >> 57; }
static unsigned long flip(unsigned long x) { return x * 3 ^ 0x5555; }

static unsigned long tree(unsigned depth, unsigned long x) { return depth ? tree(depth - 1, mix(x)) ^ tree(depth - 1, turn(x)) : x; }

/* Loads and stores, branches that depend on data, calls through pointers, returns. */
static unsigned long unit(unsigned long *table, unsigned long number)
{
    static unsigned long (*const step[])(unsigned long) = {mix, turn, flip, turn};
    unsigned long x = mix(number + 1);
    for (unsigned i = 0; i < TABLE; i++)
        table[i] = x + i;
    for (unsigned i = 0; i < 8 * TABLE; i++) {
        unsigned long *at = &table[x % TABLE];
        x = step[x >> 20 & 3](x + *at);
        if (x & 64)
            *at = x;
    }
    return x + tree(12, x);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    unsigned long *table = aligned_alloc(128, TABLE * sizeof *table);
    if (!table)
        exit(1);
    for (long i = w->from; i < w->to; i++)
        w->sum += unit(table, (unsigned long)i);
    free(table);
    return NULL;
}

int main(int argc, char **argv)
{
    static struct worker worker[MAX_THREADS];
    long n = argc > 2 ? atol(argv[1]) : 0, units = argc > 2 ? atol(argv[2]) : 0;
    unsigned long sum = 0;
    if (n < 1 || n > MAX_THREADS) {
        fprintf(stderr, "usage: threads N UNITS, N from 1 to %d\n", MAX_THREADS);
        return 2;
    }
    for (long i = 0; i < n; i++) {
        worker[i].from = units * i / n;
        worker[i].to = units * (i + 1) / n;
        if (pthread_create(&worker[i].thread, NULL, work, &worker[i]))
            return 1;
    }
    for (long i = 0; i < n; i++) {
        pthread_join(worker[i].thread, NULL);
        sum += worker[i].sum;
    }
    printf("%lx\n", sum);
    return 0;
}
