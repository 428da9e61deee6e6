// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// pthread_kill and pthread_sigqueue reach the thread they name and no other, with code, pid and value.
#include "b_check.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>

enum { T = 4, N = 200 };
static int hits[T], values[T], wrong;
static __thread int me = -1;
static sem_t got;
static volatile int stop;

static void on_signal(int sig, siginfo_t *si, void *uc)
{
    (void)uc;
    if (me < 0 || si->si_pid != getpid() || si->si_uid != getuid())
        wrong++;
    else if (sig == SIGUSR1 && si->si_code == SI_TKILL)
        hits[me]++;
    else if (sig == SIGRTMIN && si->si_code == SI_QUEUE)
        values[me] += si->si_value.sival_int;
    else
        wrong++;
    sem_post(&got);
}

static void *body(void *arg)
{
    me = (int)(long)arg;
    sem_post(&got);
    if (me % 2)
        while (!stop)
            ;
    else
        while (!stop)
            usleep(1000);
    return 0;
}

static void await(void)
{
    while (sem_wait(&got))
        CHECK(errno == EINTR);
}

int main(void)
{
    pthread_t t[T];
    struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
    sigaction(SIGUSR1, &sa, 0);
    sigaction(SIGRTMIN, &sa, 0);
    sem_init(&got, 0, 0);
    for (long i = 0; i < T; i++) {
        CHECK(pthread_create(&t[i], 0, body, (void *)i) == 0);
        await();
    }
    for (int i = 0; i < N; i++) {
        CHECK(pthread_kill(t[i % T], SIGUSR1) == 0);
        await();
        CHECK(pthread_sigqueue(t[(i + 1) % T], SIGRTMIN, (union sigval){ .sival_int = i }) == 0);
        await();
    }
    stop = 1;
    for (int i = 0; i < T; i++) {
        CHECK(pthread_join(t[i], 0) == 0);
        say("thread %d: %d hits, values %d\n", i, hits[i], values[i]);
    }
    CHECK(!wrong);
    return 0;
}
