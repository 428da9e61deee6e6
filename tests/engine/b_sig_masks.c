// SPDX-License-Identifier: Apache-2.0
// The mask inside handlers: own signal, sa_mask, SA_NODEFER; SA_RESETHAND; the mask is back after the handler.
#include "b_check.h"
#include <signal.h>

static volatile int depth, deepest, usr2, again;

static void show_mask(const char *when)
{
    sigset_t now;
    sigprocmask(SIG_BLOCK, 0, &now);
    say("%s:", when);
    for (int sig = 1; sig < 65; sig++)
        if (sigismember(&now, sig) == 1)
            say(" %d", sig);
    say("\n");
}

static void on_usr2(int sig)
{
    (void)sig;
    usr2++;
}

static void on_usr1(int sig)
{
    if (++depth > deepest)
        deepest = depth;
    if (depth == 1)
        show_mask("in handler");
    if (depth < 5) {
        int before = usr2;
        if (again)
            raise(sig);
        raise(SIGUSR2);
        if (depth == 1)
            say("usr2 %s\n", usr2 > before ? "came" : "waits");
    }
    depth--;
}

static void run(const char *name, int flags, int masked)
{
    struct sigaction sa = { .sa_handler = on_usr1, .sa_flags = flags };
    if (masked)
        sigaddset(&sa.sa_mask, masked);
    sigaction(SIGUSR1, &sa, 0);
    deepest = usr2 = 0;
    again = flags & SA_NODEFER;
    say("-- %s\n", name);
    raise(SIGUSR1);
    sigaction(SIGUSR1, 0, &sa);
    say("deepest %d usr2 %d handler kept %d\n", deepest, usr2 > 0, sa.sa_handler == on_usr1);
    show_mask("after");
}

int main(void)
{
    sigset_t set;
    signal(SIGUSR2, on_usr2);
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_SETMASK, &set, 0);
    run("nodefer", SA_NODEFER, 0);
    run("nodefer, usr2 masked", SA_NODEFER, SIGUSR2);
    struct sigaction sa = { .sa_handler = SIG_IGN };
    sigaction(SIGUSR1, &sa, 0);
    run("resethand, term masked", SA_RESETHAND, SIGTERM);
    return 0;
}
