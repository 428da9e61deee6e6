// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// POSIX timers: SIGEV_SIGNAL with value and overrun, SIGEV_THREAD_ID to a thread, SIGEV_THREAD; setitimer of all three kinds; alarm.
#include "b_check.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

static volatile int count[65], bad;
static __thread int tid;
static int want_tid;
static sem_t called;

static void on_signal(int sig, siginfo_t *si, void *uc)
{
    (void)uc;
    count[sig]++;
    if (sig == SIGRTMIN && (si->si_code != SI_TIMER || si->si_value.sival_int != 77))
        bad++;
    if (sig == SIGRTMIN + 1 && tid != want_tid)
        bad++;
}

static void by_thread(union sigval v)
{
    if (v.sival_int == 99)
        sem_post(&called);
}

static void spin_until(int sig, int n)
{
    volatile unsigned long work = 0;
    while (count[sig] < n)
        work++;
}

static void *target(void *arg)
{
    timer_t t;
    tid = want_tid = syscall(SYS_gettid);
    struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 1, ._sigev_un._tid = want_tid };
    CHECK(timer_create(CLOCK_MONOTONIC, &ev, &t) == 0 && timer_settime(t, 0, &(struct itimerspec){ { 0, 5000000 }, { 0, 5000000 } }, 0) == 0);
    spin_until(SIGRTMIN + 1, 5);
    CHECK(timer_delete(t) == 0);
    return arg;
}

int main(void)
{
    static const int kinds[3] = { ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF }, sigs[3] = { SIGALRM, SIGVTALRM, SIGPROF };
    struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
    for (int i = 0; i < 3; i++) {
        struct itimerval tv = { { 0, 5000 }, { 0, 5000 } };
        sigaction(sigs[i], &sa, 0);
        CHECK(setitimer(kinds[i], &tv, 0) == 0);
        spin_until(sigs[i], 5);
        CHECK(setitimer(kinds[i], &(struct itimerval){ 0 }, &tv) == 0 && tv.it_interval.tv_usec == 5000);
    }
    timer_t t;
    pthread_t thread;
    sigaction(SIGRTMIN, &sa, 0);
    sigaction(SIGRTMIN + 1, &sa, 0);
    struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value = { .sival_int = 77 } };
    CHECK(timer_create(CLOCK_REALTIME, &ev, &t) == 0 && timer_settime(t, 0, &(struct itimerspec){ { 0, 5000000 }, { 0, 5000000 } }, 0) == 0);
    spin_until(SIGRTMIN, 5);
    CHECK(timer_delete(t) == 0);
    CHECK(pthread_create(&thread, 0, target, 0) == 0 && pthread_join(thread, 0) == 0);
    ev = (struct sigevent){ .sigev_notify = SIGEV_THREAD, .sigev_notify_function = by_thread, .sigev_value = { .sival_int = 99 } };
    CHECK(sem_init(&called, 0, 0) == 0 && timer_create(CLOCK_MONOTONIC, &ev, &t) == 0);
    CHECK(timer_settime(t, 0, &(struct itimerspec){ { 0, 5000000 }, { 0, 5000000 } }, 0) == 0);
    for (int i = 0; i < 3; i++)
        while (sem_wait(&called))
            CHECK(errno == EINTR);
    CHECK(timer_delete(t) == 0 && alarm(10000) == 0 && alarm(0) > 5000);
    CHECK(!bad);
    say("timers ok\n");
    return 0;
}
