/* SPDX-License-Identifier: Apache-2.0
 * What counters.c has for test_summary.c: routines, what they are called with, and what calls of them come to. */
#ifndef LP_COUNTERS_H
#define LP_COUNTERS_H
#include "opt/summary.h"

struct counter {
    u64 n, more[3];
};

extern struct counters {
    u64 n;
    u32 half;
    int key;
    struct counter of_thread[8];
    struct counter *pointer[8];
} counters;
void counters_call(void);
void *PIN_GetThreadData(int key, u32 thread);

#define AT(member) ((u64)&counters.member)

struct counting {
    void *fn;
    const char *what;
    struct home arg[2];
    u32 nargs;
    int result;
    struct summary is;
};

extern const struct counting counts_0[], counts_1[], counts_2[], others_0[], others_1[], others_2[];

#endif
