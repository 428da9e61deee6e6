/* SPDX-License-Identifier: Apache-2.0
 * A guest for gdb: signals with handlers, faults, a signal that ends it. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int seen[65];
static sigjmp_buf out;

static void handler(int sig)
{
    seen[sig]++;
}

static void fault(int sig)
{
    seen[sig]++;
    siglongjmp(out, 1);
}

static void poke(volatile int *p)
{
    *p = 1;
}

int main(void)
{
    signal(SIGUSR1, handler);
    signal(SIGUSR2, handler);
    signal(SIGSEGV, fault);
    raise(SIGUSR1);
    raise(SIGUSR2);
    if (!sigsetjmp(out, 1))
        poke((int *)8);
    printf("%d %d %d\n", seen[SIGUSR1], seen[SIGUSR2], seen[SIGSEGV]);
    fflush(stdout);
    abort();
}
