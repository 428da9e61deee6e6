// SPDX-License-Identifier: Apache-2.0
// Threads and processes that come and go all the time: pthreads that are joined and detached ones, forks, vforks that execute a program, code made at run time. SIGUSR1 ends the program.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int over;
static unsigned long wrong, done[5];
extern char **environ;

static void fail(const char *what)
{
    perror(what);
    __atomic_add_fetch(&wrong, 1, __ATOMIC_SEQ_CST);
}

static void *short_life(void *arg)
{
    static __thread int own;
    own++;
    return (void *)((long)arg + own);
}

static void *joins(void *arg)
{
    pthread_t t[8];
    void *result;
    for (; !over; done[0]++) {
        for (long i = 0; i < 8; i++)
            if ((errno = pthread_create(&t[i], NULL, short_life, (void *)i)))
                fail("pthread_create");
        for (long i = 0; i < 8; i++)
            if (pthread_join(t[i], &result) || result != (void *)(i + 1))
                fail("pthread_join");
    }
    return arg;
}

static int detached;
static void *counts_down(void *arg)
{
    __atomic_sub_fetch(&detached, 1, __ATOMIC_SEQ_CST);
    return arg;
}

static void *detaches(void *arg)
{
    pthread_t t;
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    for (; !over; done[1]++) {
        __atomic_add_fetch(&detached, 1, __ATOMIC_SEQ_CST);
        if ((errno = pthread_create(&t, &a, counts_down, NULL)))
            fail("pthread_create detached");
        while (__atomic_load_n(&detached, __ATOMIC_SEQ_CST) > 20 && !over)
            usleep(100);
    }
    return arg;
}

static void *forks(void *arg)
{
    int status;
    for (; !over; done[2]++) {
        pid_t child = fork();
        if (child == 0)
            _exit(11);
        if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 11)
            fail("fork");
    }
    return arg;
}

static void *spawns(void *arg)
{
    int status;
    char *argv[] = {"true", NULL};
    for (; !over; done[3]++) {
        pid_t child;
        if (posix_spawn(&child, "/bin/true", NULL, NULL, argv, environ) || waitpid(child, &status, 0) != child || status)
            fail("posix_spawn");
    }
    return arg;
}

static void *makes_code(void *arg)
{
    unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (unsigned n = 0; !over; n++, done[4]++) {
        unsigned char *at = code + n % 64 * 16;
        at[0] = 0xb8; // mov $n, %eax; ret
        memcpy(at + 1, &n, 4);
        at[5] = 0xc3;
        if (((unsigned (*)(void))at)() != n)
            fail("code made at run time");
    }
    return arg;
}

int main(void)
{
    void *(*const kinds[])(void *) = {joins, detaches, forks, spawns, makes_code};
    pthread_t t;
    sigset_t set;
    int sig, idle = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (size_t i = 0; i < 5; i++)
        pthread_create(&t, NULL, kinds[i], NULL);
    for (size_t i = 0; i < 5; i++)
        while (!__atomic_load_n(&done[i], __ATOMIC_ACQUIRE)) // each has its memory
            sched_yield();
    puts("ready");
    fflush(stdout);
    sigwait(&set, &sig);
    over = 1;
    for (size_t i = 0; i < 5; i++)
        idle += !done[i];
    printf("%lu wrong, %d idle\n", wrong, idle);
    fflush(stdout);
    _exit(wrong || idle);
}
