// SPDX-License-Identifier: Apache-2.0
// Programs with threads whose outcome is another one in each run. usage: threads race|spin|queue|signals|barrier COUNT
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long count;
static unsigned long long digest;

static void note(unsigned long long v) { digest = (digest ^ v) * 0x9e3779b97f4a7c15ull; }

static void run_all(int n, void *(*f)(void *))
{
    pthread_t t[8];
    for (long i = 0; i < n; i++)
        if (pthread_create(&t[i], NULL, f, (void *)i))
            abort();
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
}

/* Updates get lost, and who wrote last is chance. */
static volatile long lost;
static volatile unsigned char last[4096];
static void *race(void *who)
{
    for (long i = 0; i < count; i++) {
        lost = lost + 1;
        last[i * 7 % sizeof last] = (unsigned char)((long)who + 1);
    }
    return NULL;
}

/* A lock of one's own, without and with a hint to the processor. */
static atomic_flag busy = ATOMIC_FLAG_INIT;
static long order;
static void *spin(void *who)
{
    for (long i = 0; i < count; i++) {
        while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
            if ((long)who & 1)
                __builtin_ia32_pause();
        order++;
        note((unsigned long long)order << 8 | (unsigned long long)who);
        atomic_flag_clear_explicit(&busy, memory_order_release);
    }
    return NULL;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static long ring[16], head, tail, eaten;
static void *queue(void *who)
{
    for (long i = 0; i < count; i++) {
        pthread_mutex_lock(&lock);
        if ((long)who & 1) {
            while (head == tail)
                pthread_cond_wait(&not_empty, &lock);
            note((unsigned long long)ring[tail++ % 16] + (unsigned long long)who);
            eaten++;
            pthread_cond_signal(&not_full);
        } else {
            while (head - tail == 16)
                pthread_cond_wait(&not_full, &lock);
            struct timespec t;
            clock_gettime(CLOCK_MONOTONIC, &t);
            ring[head++ % 16] = t.tv_nsec << 4 | (long)who;
            pthread_cond_signal(&not_empty);
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

/* One counts while the other interrupts it. */
static volatile long counted, seen, over;
static void handler(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info, (void)context;
    seen++;
    note((unsigned long long)counted);
}
static void *counter(void *arg)
{
    while (!over)
        counted++;
    return arg;
}
static void signals(void)
{
    struct sigaction act = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    pthread_t t;
    sigaction(SIGUSR1, &act, NULL);
    pthread_create(&t, NULL, counter, NULL);
    for (long i = 0; i < count; i++) {
        long before = seen;
        pthread_kill(t, SIGUSR1);
        while (seen == before)
            usleep(20);
    }
    over = 1;
    pthread_join(t, NULL);
}

static pthread_barrier_t barrier;
static void *meet(void *who)
{
    for (long i = 0; i < count; i++)
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            note((unsigned long long)who + (unsigned long long)i * 8);
    return NULL;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    count = argc > 2 ? atol(argv[2]) : 1000;
    if (!strcmp(what, "race")) {
        run_all(4, race);
        for (size_t i = 0; i < sizeof last; i++)
            note(last[i]);
    } else if (!strcmp(what, "spin")) {
        run_all(3, spin);
    } else if (!strcmp(what, "queue")) {
        run_all(4, queue);
    } else if (!strcmp(what, "signals")) {
        signals();
    } else if (!strcmp(what, "barrier")) {
        pthread_barrier_init(&barrier, NULL, 4);
        run_all(4, meet);
    } else {
        return 2;
    }
    printf("%s: %ld %ld %ld %016llx\n", what, lost, order, eaten, digest);
    return 0;
}
