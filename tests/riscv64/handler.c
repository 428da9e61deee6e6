/* SPDX-License-Identifier: Apache-2.0
 * A handler of a signal, which the port cannot enter yet: it has to say so. */
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t seen;
static void handler(int sig) { seen = sig; }

int main(void)
{
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    printf("%d\n", (int)seen);
    return 0;
}
