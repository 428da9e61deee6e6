/* SPDX-License-Identifier: Apache-2.0
 * A write beyond a block and a lost block, and then an end as the argument says; "wait" comes after them, "late" before them: the signal SIGUSR1 has them done. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile kept;

__attribute__((noinline)) static void faults(void)
{
    volatile char *p = malloc(10);
    p[10] = 1;
    free((void *)p);
    kept = malloc(77);
    kept = NULL;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int got;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    if (!strcmp(how, "late"))
        write(1, "up\n", 3), sigwait(&set, &got);
    faults();
    if (!strcmp(how, "late") || !strcmp(how, "wait"))
        for (write(1, "up\n", 3);;)
            pause();
    if (!strcmp(how, "int"))
        raise(SIGINT);
    if (!strcmp(how, "segv"))
        *(volatile int *)8 = 1;
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "exec"))
        execl("/bin/true", "true", (char *)NULL);
    return 3;
}
