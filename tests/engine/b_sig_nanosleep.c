// SPDX-License-Identifier: Apache-2.0
// An interrupted nanosleep tells what remains; without a handler (SIGSTOP/SIGCONT) it goes on and lasts as long as asked.
#include "b_check.h"
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static void nothing(int sig)
{
    (void)sig;
}

static long long now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

int main(void)
{
    struct timespec want = { 100, 0 }, rem = { 0, 0 };
    struct sigaction sa = { .sa_handler = nothing };
    sigaction(SIGALRM, &sa, 0);
    timer_t timer;
    CHECK(timer_create(CLOCK_MONOTONIC, &(struct sigevent){ .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM }, &timer) == 0);
    // again and again: the first may come before the sleep has begun
    CHECK(timer_settime(timer, 0, &(struct itimerspec){ .it_value = { 0, 2000000 }, .it_interval = { 0, 20000000 } }, 0) == 0);
    CHECK_ERR(nanosleep(&want, &rem), EINTR);
    CHECK(timer_settime(timer, 0, &(struct itimerspec){ .it_value = { 0, 0 } }, 0) == 0);
    CHECK(rem.tv_sec >= 40 && rem.tv_sec < 100);
    int p[2], status;
    char c;
    CHECK(pipe(p) == 0);
    pid_t pid = fork();
    if (!pid) {
        long long start = now();
        CHECK(write(p[1], "s", 1) == 1);
        CHECK(nanosleep(&(struct timespec){ 0, 80000000 }, 0) == 0);
        CHECK(now() - start >= 80000000);
        _exit(11);
    }
    CHECK(read(p[0], &c, 1) == 1);
    for (int i = 0; i < 3; i++) {
        if (kill(pid, SIGSTOP) == 0 && waitpid(pid, &status, WUNTRACED) == pid && WIFEXITED(status))
            break;
        kill(pid, SIGCONT);
        status = -1;
    }
    if (status == -1)
        CHECK(waitpid(pid, &status, 0) == pid);
    say("exit %d\n", WEXITSTATUS(status));
    return 0;
}
