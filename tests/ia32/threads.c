/* SPDX-License-Identifier: Apache-2.0
 * Threads of an IA-32 program: TLS of each, locks, conditions, joins, cancellation, a fork among them, a vfork. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 20000 };
static __thread int own = 5;
static __thread char name[32] = "none";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static int shared, next;
static volatile int atomic;
extern char **environ;

static void *work(void *arg)
{
    int me = (int)(long)arg;
    unsigned short gs;
    __asm__("mov %%gs, %0" : "=r"(gs));
    snprintf(name, sizeof name, "thread %d", me);
    for (int i = 0; i < ROUNDS; i++) {
        own += me;
        __atomic_fetch_add(&atomic, 1, __ATOMIC_RELAXED);
        if (i % 100 == 0) {
            pthread_mutex_lock(&lock);
            shared++;
            pthread_mutex_unlock(&lock);
        }
    }
    pthread_mutex_lock(&lock);
    while (next != me)
        pthread_cond_wait(&turn, &lock);
    printf("%s %d %d\n", name, own, gs != 0);
    next++;
    pthread_cond_broadcast(&turn);
    pthread_mutex_unlock(&lock);
    return (void *)(long)(own * 3);
}

static void *sleeps(void *arg)
{
    for (;;)
        pause();
    return arg;
}

int main(void)
{
    pthread_t t[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    long sum = 0;
    for (int i = 0; i < THREADS; i++) {
        void *r;
        pthread_join(t[i], &r);
        sum += (long)r;
    }
    printf("%ld %d %d %d %s\n", sum, shared, atomic, own, name);
    pthread_t s;
    void *r;
    pthread_create(&s, NULL, sleeps, NULL);
    pthread_cancel(s);
    pthread_join(s, &r);
    printf("canceled %d\n", r == PTHREAD_CANCELED);
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        printf("child %d\n", own);
        fflush(stdout);
        _exit(7);
    }
    int status;
    waitpid(child, &status, 0);
    printf("status %d\n", WEXITSTATUS(status));
    fflush(stdout);
    char *argv[] = {"echo", "spawned", NULL}, *missing[] = {"/nonexistent", NULL};
    printf("spawn %d\n", posix_spawn(&child, "/nonexistent", NULL, NULL, missing, environ) == ENOENT);
    fflush(stdout);
    if (posix_spawn(&child, "/bin/echo", NULL, NULL, argv, environ) == 0)
        waitpid(child, &status, 0);
    printf("spawned %d\n", WEXITSTATUS(status));
    return 0;
}
