/* SPDX-License-Identifier: Apache-2.0
 * Ends by a signal: a bad address read or written, an illegal instruction, a breakpoint, abort, a jump to where nothing
 * is. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int how = argc > 1 ? atoi(argv[1]) : 0;
    int *volatile nowhere = (int *)8;
    printf("%d\n", how);
    fflush(stdout);
    switch (how) {
    case 0: return *nowhere;
    case 1: *nowhere = 1; return 0;
    case 2: __asm__ volatile(".word 0"); return 0;
    case 3: __asm__ volatile("ebreak"); return 0;
    case 4: abort();
    case 5: ((void (*)(void))16)(); return 0;
    default: return 1;
    }
}
