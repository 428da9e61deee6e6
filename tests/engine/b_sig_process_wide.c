// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// A process-directed signal goes to a thread that does not block it; one thread takes all by sigwait; each is taken once.
#include "b_check.h"
#include <pthread.h>
#include <signal.h>

enum { N = 500 };
static pthread_t taker, open_one;
static volatile int wrong_thread, hits;
static pthread_barrier_t up;

static void on_usr1(int sig)
{
    (void)sig;
    if (!pthread_equal(pthread_self(), open_one))
        wrong_thread++;
    __atomic_add_fetch(&hits, 1, __ATOMIC_SEQ_CST);
}

static void *take(void *arg)
{
    sigset_t set;
    long sum = 0;
    siginfo_t si;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_barrier_wait(&up);
    for (int i = 0; i < N; i++) {
        while (sigwaitinfo(&set, &si) != SIGRTMIN)
            CHECK(errno == EINTR);
        CHECK(si.si_value.sival_int == i);
        sum += i;
    }
    *(long *)arg = sum;
    return 0;
}

static void *unblocked(void *arg)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &set, 0);
    pthread_barrier_wait(&up);
    while (hits < 100)
        ;
    return arg;
}

int main(void)
{
    sigset_t all;
    long sum;
    signal(SIGUSR1, on_usr1);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, 0);
    pthread_barrier_init(&up, 0, 3);
    CHECK(pthread_create(&taker, 0, take, &sum) == 0 && pthread_create(&open_one, 0, unblocked, 0) == 0);
    pthread_barrier_wait(&up);
    for (int i = 0; i < N; i++)
        while (sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i }))
            CHECK(errno == EAGAIN);
    for (int i = 0; i < 100; i++) {
        kill(getpid(), SIGUSR1);
        while (hits == i)
            sched_yield();
    }
    CHECK(pthread_join(taker, 0) == 0 && pthread_join(open_one, 0) == 0);
    say("sum %ld hits %d wrong %d\n", sum, hits, wrong_thread);
    return 0;
}
