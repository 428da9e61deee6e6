// SPDX-License-Identifier: Apache-2.0
// select, pselect and ppoll: readiness, timeouts, masks swapped atomically, EINTR by a pending signal.
#include "b_check.h"
#include <poll.h>
#include <signal.h>
#include <sys/select.h>

static volatile int hits;

static void on_usr1(int sig)
{
    (void)sig;
    hits++;
}

int main(void)
{
    int p[2];
    fd_set r;
    CHECK(pipe(p) == 0 && write(p[1], "x", 1) == 1);
    FD_ZERO(&r);
    FD_SET(p[0], &r);
    CHECK(select(p[0] + 1, &r, 0, 0, 0) == 1 && FD_ISSET(p[0], &r));
    char c;
    CHECK(read(p[0], &c, 1) == 1);
    struct timeval tv = { 0, 2000 };
    CHECK(select(p[0] + 1, &r, 0, 0, &tv) == 0 && !FD_ISSET(p[0], &r) && tv.tv_sec == 0 && tv.tv_usec == 0);
    sigset_t block, none;
    signal(SIGUSR1, on_usr1);
    sigemptyset(&block);
    sigaddset(&block, SIGUSR1);
    sigemptyset(&none);
    sigprocmask(SIG_BLOCK, &block, 0);
    for (int i = 0; i < 200; i++) {
        raise(SIGUSR1);
        CHECK(hits == 2 * i);
        FD_SET(p[0], &r);
        CHECK_ERR(pselect(p[0] + 1, &r, 0, 0, 0, &none), EINTR);
        CHECK(hits == 2 * i + 1);
        raise(SIGUSR1);
        CHECK_ERR(ppoll(&(struct pollfd){ p[0], POLLIN, 0 }, 1, 0, &none), EINTR);
        CHECK(hits == 2 * i + 2);
    }
    sigset_t now;
    sigprocmask(SIG_BLOCK, 0, &now);
    CHECK(sigismember(&now, SIGUSR1) == 1);
    say("hits %d\n", hits);
    return 0;
}
