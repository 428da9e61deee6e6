// test[pie]: cc=-O2
// test[nopie]: cc=-no-pie
// test[static]: cc=-static
// SPDX-License-Identifier: Apache-2.0
// The break grows, shrinks, comes back zeroed, and an impossible request leaves it where it was.
#include "b_check.h"
#include <sys/syscall.h>

static char *brk_to(char *p)
{
    return (char *)syscall(SYS_brk, p);
}

int main(void)
{
    char *start = brk_to(0);
    CHECK(start && brk_to(0) == start);
    CHECK(brk_to(start + 300000) == start + 300000);
    memset(start, 0x5a, 300000);
    CHECK(brk_to(start + 4096) == start + 4096);
    CHECK(start[10] == 0x5a);
    CHECK(brk_to(start + 300000) == start + 300000);
    long page = 4096 - (uintptr_t)start % 4096;
    for (long i = page + 4096; i < 300000; i++)
        CHECK(start[i] == 0);
    CHECK(brk_to(start + (1L << 46)) == start + 300000);
    CHECK(brk_to((char *)1) == start + 300000);
    CHECK(brk_to(start) == start);
    CHECK((char *)sbrk(0) == start);
    CHECK((char *)sbrk(8192) == start && (char *)sbrk(-8192) == start + 8192);
    say("brk ok\n");
    return 0;
}
