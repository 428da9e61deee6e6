// test: cc=-pthread
// test: timeout=180
// SPDX-License-Identifier: Apache-2.0
// Two threads signal each other 3000 times in turn, and 4 threads all signal each other while counting exactly.
#include "b_check.h"
#include <pthread.h>
#include <signal.h>

enum { N = 3000, T = 4, M = 2000 };
static volatile int turn;
static pthread_t pair[2], ring[T];
static int got[T];
static __thread int me;
static pthread_barrier_t up;

static void on_usr1(int sig)
{
    (void)sig;
    __atomic_add_fetch(&turn, 1, __ATOMIC_SEQ_CST);
}

static void on_rt(int sig)
{
    (void)sig;
    __atomic_add_fetch(&got[me], 1, __ATOMIC_SEQ_CST);
}

static void *player(void *arg)
{
    int id = (int)(long)arg;
    pthread_barrier_wait(&up);
    while (turn < N) {
        int now = turn;
        if (now < N && now % 2 == id) {
            pthread_kill(pair[!id], SIGUSR1);
            while (turn == now)
                sched_yield();
        } else
            sched_yield();
    }
    return 0;
}

static void *everyone(void *arg)
{
    union sigval v = { 0 };
    me = (int)(long)arg;
    pthread_barrier_wait(&up);
    for (int i = 0; i < M; i++)
        while (pthread_sigqueue(ring[(me + 1 + i % (T - 1)) % T], SIGRTMIN, v) != 0)
            sched_yield(); /* queue full */
    pthread_barrier_wait(&up);
    sched_yield(); /* whatever is pending is delivered here at the latest */
    return 0;
}

int main(void)
{
    signal(SIGUSR1, on_usr1);
    signal(SIGRTMIN, on_rt);
    pthread_barrier_init(&up, 0, 3);
    for (long i = 0; i < 2; i++)
        CHECK(pthread_create(&pair[i], 0, player, (void *)i) == 0);
    pthread_barrier_wait(&up);
    for (int i = 0; i < 2; i++)
        pthread_join(pair[i], 0);
    say("turns %d\n", turn);
    pthread_barrier_init(&up, 0, T + 1);
    for (long i = 0; i < T; i++)
        CHECK(pthread_create(&ring[i], 0, everyone, (void *)i) == 0);
    pthread_barrier_wait(&up);
    pthread_barrier_wait(&up);
    int sum = 0;
    for (int i = 0; i < T; i++) {
        pthread_join(ring[i], 0);
        sum += got[i];
    }
    say("received %d\n", sum);
    return 0;
}
