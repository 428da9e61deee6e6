// SPDX-License-Identifier: Apache-2.0
// The stack grows by itself through 4 MiB of recursion, a page at a time, and keeps its contents.
#include "b_check.h"

static __attribute__((noinline)) unsigned deep(int n, unsigned seed)
{
    volatile unsigned frame[1000];
    for (int i = 0; i < 1000; i += 100)
        frame[i] = seed + n + i;
    unsigned below = n ? deep(n - 1, seed * 3 + 1) : 0;
    for (int i = 0; i < 1000; i += 100)
        CHECK(frame[i] == seed + n + i);
    return below + frame[500];
}

int main(void)
{
    say("sum %u\n", deep(1000, 1));
    return 0;
}
