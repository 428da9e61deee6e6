// SPDX-License-Identifier: Apache-2.0
// A timer's signals while replaced routines, their originals and functions that the tool calls are running, in three threads; some handlers leave by siglongjmp.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#define GUEST __attribute__((noinline, noclone))
#define ROUNDS 60

static volatile sig_atomic_t ticks, armed;
static sigjmp_buf place;
static pthread_t first;

GUEST long twice(long x) { __asm__ volatile("" : "+r"(x)); return x * 2; }
GUEST long plus_one(long x) { __asm__ volatile("" : "+r"(x)); return x + 1; } /* the tool calls it in front of probed */
GUEST double probed(double x, long n) { __asm__ volatile("" : "+r"(n)); return x * 1.5 + (double)n; }

static void handler(int sig)
{
    (void)sig;
    ticks++;
    if (twice(ticks % 100) % 2)
        _exit(4);
    if (armed && pthread_equal(pthread_self(), first)) {
        armed = 0;
        siglongjmp(place, 1);
    }
}

static void *work(void *v)
{
    double sum = 0, same = 0;
    for (long i = 0; i < 4000; i++) {
        if (twice(i) != 2 * i)
            _exit(3);
        sum = probed(sum, i) / 2;
        same = (same * 1.5 + (double)i) / 2;
    }
    if (sum != same)
        _exit(5);
    return v;
}

int main(void)
{
    struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, 700}, {0, 700}};
    pthread_t t[2];
    first = pthread_self();
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, work, NULL))
            return 1;
    for (volatile int round = 0; round < ROUNDS; round++)
        if (!sigsetjmp(place, 1)) {
            armed = 1;
            for (long x = 1; armed; x++)
                if (twice(x) != 2 * x)
                    _exit(2);
        }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return ticks < ROUNDS;
}
//> callstorm
//= 8000 probed, as they should be
