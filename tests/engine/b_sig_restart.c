// SPDX-License-Identifier: Apache-2.0
// SA_RESTART against EINTR, in read, wait4, futex, nanosleep, poll, epoll_wait, pause, sigsuspend, accept.
#include "b_check.h"
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

static volatile int *ticks; /* ticks[1]: the call is about to be made */
static int p[2], word, ep, ls;
static pid_t child;

/* Interrupts; the third time it also ends what was restarted. */
static void on_signal(int sig)
{
    (void)sig;
    if (++*ticks == 3) {
        CHECK(write(p[1], "x", 1) == 1);
        word = 1;
        syscall(SYS_futex, &word, FUTEX_WAKE, 9, 0, 0, 0);
        kill(child, SIGKILL);
    }
}

/* In the child: signals the parent each time that it has handled the last signal and sleeps, up to the third time. The
   state is looked at last: what it says may be of the time before the handler ran. */
static void prod_parent(void)
{
    char path[64], line[512] = { 0 }, *state;
    int parent = getppid();
    snprintf(path, sizeof path, "/proc/%d/stat", parent);
    for (int sent = 0; sent < 3; sched_yield()) {
        bool waits = ticks[1] && *ticks == sent;
        int fd = open(path, O_RDONLY);
        CHECK(fd >= 0 && read(fd, line, sizeof line - 1) > 0 && (state = strrchr(line, ')')) && close(fd) == 0);
        if (waits && state[2] == 'S') {
            kill(parent, SIGUSR1);
            sent++;
        }
    }
    for (;;)
        pause();
}

static long call(int which)
{
    char c;
    struct timespec ts = { 1000, 0 };
    struct epoll_event ev;
    sigset_t none;
    sigemptyset(&none);
    switch (which) {
    case 0: return read(p[0], &c, 1);
    case 1: return syscall(SYS_wait4, child, 0, 0, 0) == child;
    case 2: return syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0, 0, 0);
    case 3: return nanosleep(&ts, &ts);
    case 4: return poll(&(struct pollfd){ p[0], POLLIN, 0 }, 1, -1);
    case 5: return epoll_wait(ep, &ev, 1, -1);
    case 6: return pause();
    case 7: return sigsuspend(&none);
    case 8: return accept(ls, 0, 0);
    case 9: return clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, 0);
    }
    return 0;
}

int main(void)
{
    static const char *const names[] = { "read", "wait4", "futex", "nanosleep", "poll", "epoll_wait", "pause", "sigsuspend", "accept", "clock_nanosleep" };
    ep = epoll_create1(0);
    ls = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(bind(ls, &(struct sockaddr){ AF_UNIX, "" }, sizeof(sa_family_t)) == 0 && listen(ls, 1) == 0);
    ticks = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int restart = 0; restart < 2; restart++)
        for (int which = 0; which < 10; which++) {
            struct sigaction sa = { .sa_handler = on_signal, .sa_flags = restart ? SA_RESTART : 0 };
            sigaction(SIGUSR1, &sa, 0);
            CHECK(pipe(p) == 0);
            *ticks = ticks[1] = word = 0;
            if (restart && which == 8)
                continue;
            child = fork();
            if (!child)
                prod_parent();
            errno = 0;
            ticks[1] = 1;
            long ret = call(which);
            say("%s %s: %ld errno %d", names[which], restart ? "restart" : "plain", ret, errno);
            kill(child, SIGKILL);
            waitpid(child, 0, 0);
            say(" interrupted %d\n", *ticks);
            close(p[0]);
            close(p[1]);
        }
    return 0;
}
