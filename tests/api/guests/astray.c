// SPDX-License-Identifier: Apache-2.0
// The program waits for signals of faults that are sent to it, while threads of the tool's may take them before it does. Each wait ends with the signal; one that nobody sends ends with its time. Status 1: a wait ended otherwise.
// modes: plain one
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

void at_spawn(void);
void at_spawn(void) { __asm__ volatile(""); }
void at_end(void);
void at_end(void) { __asm__ volatile(""); }

static int waits_wrong(const sigset_t *set, const struct timespec *limit)
{
    siginfo_t info;
    kill(getpid(), SIGSEGV);
    return sigtimedwait(set, &info, limit) != SIGSEGV || info.si_pid != getpid();
}

int main(void)
{
    struct timespec long_time = {3600, 0}, short_time = {0, 2000000};
    sigset_t set;
    int wrong = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (int round = 0; round < 30; round++) {
        at_spawn();
        for (int i = 0; i < 60; i++)
            wrong += waits_wrong(&set, i % 2 ? &long_time : NULL);
        wrong += sigtimedwait(&set, NULL, &short_time) != -1 || errno != EAGAIN;
        at_end();
    }
    return wrong != 0;
}
//> astray
//= made 600 ended 600 status 0
