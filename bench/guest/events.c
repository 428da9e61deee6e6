/* SPDX-License-Identifier: Apache-2.0
 * Benchmark workload: system calls that do nothing, or signals to a handler: events syscalls|signals N. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile long handled;

static void handler(int sig)
{
    (void)sig;
    handled++;
}

int main(int argc, char **argv)
{
    long n = argc > 2 ? atol(argv[2]) : 0;
    if (!strcmp(argv[1], "signals")) {
        signal(SIGUSR1, handler);
        for (long i = 0; i < n; i++)
            kill(getpid(), SIGUSR1);
        printf("%ld handled\n", handled);
    } else {
        long same = 0;
        for (long i = 0; i < n; i++)
            same += syscall(SYS_getppid) > 0;
        printf("%ld calls\n", same);
    }
    return 0;
}
