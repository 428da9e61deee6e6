// SPDX-License-Identifier: Apache-2.0
// Four threads send each other 2000 queued signals each while they make system calls, faults, threads and children. The tool takes every fourth signal away.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, SIGNALS = 2000, FAULTS = 200 };
static pthread_t t[THREADS];
static pthread_barrier_t all;
static unsigned hits;
static __thread sigjmp_buf back;

static void handler(int sig)
{
    (void)sig;
    __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
    syscall(SYS_getppid);
}

static void on_fault(int sig)
{
    (void)sig;
    siglongjmp(back, 1);
}

static void *nothing(void *arg) { return arg; }

static void *body(void *arg)
{
    long self = (long)arg;
    pthread_t more;
    volatile long *nowhere = (long *)8;
    pthread_barrier_wait(&all);
    for (int i = 0; i < SIGNALS; i++) {
        while (pthread_sigqueue(t[(self + 1) % THREADS], SIGRTMIN, (union sigval){.sival_int = i}))
            ;
        if (i % (SIGNALS / FAULTS) == 0 && !sigsetjmp(back, 1))
            *nowhere = 1;
        if (i % 500 == 0 && (pthread_create(&more, NULL, nothing, NULL) || pthread_join(more, NULL)))
            abort();
        if (i % 500 == 250) {
            pid_t pid = fork();
            if (!pid)
                _exit(0);
            waitpid(pid, NULL, 0);
        }
    }
    pthread_barrier_wait(&all);
    syscall(SYS_getppid); // the last ones are delivered by now
    pthread_barrier_wait(&all);
    return NULL;
}

int main(void)
{
    struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART}, fault = {.sa_handler = on_fault};
    sigaction(SIGRTMIN, &act, NULL);
    sigaction(SIGSEGV, &fault, NULL);
    pthread_barrier_init(&all, NULL, THREADS);
    for (long i = 1; i < THREADS; i++)
        pthread_create(&t[i], NULL, body, (void *)i);
    t[0] = pthread_self();
    body(0);
    for (int i = 1; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return hits != THREADS * SIGNALS * 3 / 4;
}
//> sigrace
//= queued 8000 passed 6000 entered 6000 returned 6000 faults 800 entered 800 wrong 0
