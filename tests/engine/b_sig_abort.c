// test: status=SIGABRT
// SPDX-License-Identifier: Apache-2.0
// abort() runs a SIGABRT handler that returns, and still kills, also when SIGABRT is blocked.
#include "b_check.h"
#include <signal.h>

static void on_abort(int sig)
{
    say("caught %d\n", sig);
}

int main(void)
{
    sigset_t set;
    signal(SIGABRT, on_abort);
    sigemptyset(&set);
    sigaddset(&set, SIGABRT);
    sigprocmask(SIG_BLOCK, &set, 0);
    abort();
}
