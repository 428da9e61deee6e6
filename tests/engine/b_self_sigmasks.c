// test: hard
// SPDX-License-Identifier: Apache-2.0
// SigBlk and SigCgt in /proc/self/status are the program's own: blocked SIGSEGV shows, unset handlers do not.
#include "b_check.h"
#include <signal.h>

static void show(void)
{
    char line[512];
    FILE *f = fopen("/proc/self/status", "r");
    CHECK(f != 0);
    while (fgets(line, sizeof line, f))
        if (!strncmp(line, "SigBlk:", 7) || !strncmp(line, "SigCgt:", 7))
            say("%s", line);
    fclose(f);
}

static void handler(int sig)
{
    (void)sig;
}

int main(void)
{
    sigset_t set;
    show();
    signal(SIGUSR1, handler);
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_SETMASK, &set, 0);
    show();
    return 0;
}
