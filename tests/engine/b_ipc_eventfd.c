// SPDX-License-Identifier: Apache-2.0
// eventfd counts and semaphores, timerfd expirations, both through poll and edge- and level-triggered epoll.
#include "b_check.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

int main(void)
{
    uint64_t v = 0;
    int e = eventfd(5, EFD_NONBLOCK), s = eventfd(3, EFD_SEMAPHORE | EFD_NONBLOCK), t = timerfd_create(CLOCK_MONOTONIC, 0);
    CHECK(eventfd_write(e, 7) == 0 && read(e, &v, 8) == 8 && v == 12);
    CHECK_ERR(read(e, &v, 8), EAGAIN);
    CHECK_ERR(read(e, &v, 4), EINVAL);
    for (int i = 0; i < 3; i++)
        CHECK(read(s, &v, 8) == 8 && v == 1);
    CHECK_ERR(read(s, &v, 8), EAGAIN);
    struct itimerspec in = { { 0, 1000000 }, { 0, 1000000 } };
    CHECK(timerfd_settime(t, 0, &in, 0) == 0);
    uint64_t fired = 0;
    while (fired < 5) {
        CHECK(read(t, &v, 8) == 8 && v >= 1);
        fired += v;
    }
    int ep = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event ev = { EPOLLIN, { .u32 = 1 } }, et = { EPOLLIN | EPOLLET, { .u32 = 2 } }, out[4];
    CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, e, &ev) == 0 && epoll_ctl(ep, EPOLL_CTL_ADD, s, &et) == 0);
    CHECK_ERR(epoll_ctl(ep, EPOLL_CTL_ADD, e, &ev), EEXIST);
    CHECK(epoll_wait(ep, out, 4, 0) == 0);
    CHECK(eventfd_write(e, 1) == 0 && eventfd_write(s, 1) == 0);
    say("ready %d\n", epoll_wait(ep, out, 4, 1000));
    say("ready again %d\n", epoll_wait(ep, out, 4, 0));
    CHECK(out[0].data.u32 == 1 && read(e, &v, 8) == 8 && epoll_wait(ep, out, 4, 1) == 0);
    CHECK(epoll_ctl(ep, EPOLL_CTL_DEL, e, 0) == 0);
    struct pollfd pf[3] = { { t, POLLIN, 0 }, { e, POLLIN | POLLOUT, 0 }, { 999, POLLIN, 0 } };
    while (poll(pf, 1, -1) != 1)
        ;
    CHECK(poll(pf, 3, -1) == 3 && pf[0].revents == POLLIN && pf[1].revents == POLLOUT && pf[2].revents == POLLNVAL);
    say("events ok\n");
    return 0;
}
