// SPDX-License-Identifier: Apache-2.0
// What exec passes on: ignored and blocked signals, also SIGSEGV, and what is pending; a failed exec changes nothing.
#include "b_check.h"
#include <signal.h>

static volatile int handled;

static void on_signal(int sig)
{
    handled = sig;
}

int main(void)
{
    sigset_t set, now;
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    sigaddset(&set, SIGFPE);
    sigaddset(&set, SIGTERM);
    signal(SIGSEGV, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGBUS, on_signal);
    sigprocmask(SIG_SETMASK, &set, 0);
    raise(SIGTERM);
    kill(getpid(), SIGFPE);
    CHECK_ERR(execl("/nonexistent", "x", (char *)0), ENOENT);
    sigprocmask(SIG_BLOCK, 0, &now);
    CHECK(!memcmp(&now, &set, 8));
    raise(SIGBUS);
    CHECK(handled == SIGBUS);
    raise(SIGSEGV); /* ignored, but blocked: stays */
    sigpending(&now);
    CHECK(sigismember(&now, SIGSEGV) && sigismember(&now, SIGFPE) && sigismember(&now, SIGTERM) && !sigismember(&now, SIGBUS));
    execl("/bin/grep", "grep", "Sig[PBI]", "/proc/self/status", (char *)0);
    return 1;
}
