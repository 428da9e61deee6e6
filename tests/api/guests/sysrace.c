// SPDX-License-Identifier: Apache-2.0
// Four threads make system calls that a timer's signals interrupt; the handler makes one too. Later one leaves by siglongjmp. Each call is seen once at its entry and, where it comes
// back, once at its exit. Threads and children are made meanwhile. The numbers of calls below are the program's own.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, CALLS = 2000, READS = 300, FORKS = 20, LEFT = 50 };
static int pipes[THREADS][2];
static unsigned long hits;

static void handler(int sig)
{
    (void)sig;
    __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
    syscall(SYS_getuid);
}

static void *body(void *arg)
{
    int *p = arg;
    char c;
    for (int i = 0; i < CALLS; i++) {
        syscall(SYS_getppid);            // in the cache, if nobody looks
        syscall(SYS_close, 999);         // through the VM
    }
    for (int i = 0; i < READS; i++)
        if (syscall(SYS_read, p[0], &c, 1) != 1 || syscall(SYS_dup2, 998, 997) != -1) // put back by signals: SA_RESTART
            abort();
    return NULL;
}

static void *feed(void *arg)
{
    (void)arg;
    struct timespec t = {0, 20000};
    for (int i = 0; i < READS; i++) {
        for (int k = 0; k < THREADS; k++)
            if (write(pipes[k][1], "x", 1) != 1)
                abort();
        nanosleep(&t, NULL);
    }
    return NULL;
}

static sigjmp_buf back;
static int left, leaver;
static void jumper(int sig)
{
    (void)sig;
    siglongjmp(back, 1);
}

// As soon as the first thread waits in its read (system call 0).
static void *interrupt(void *arg)
{
    char path[64], text[32];
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", leaver);
    for (int i = 0; i < LEFT; i++) {
        do {
            int fd = open(path, O_RDONLY);
            text[0] = 0;
            if (fd < 0 || read(fd, text, sizeof text) < 0 || close(fd))
                abort();
        } while (strncmp(text, "0 ", 2) || __atomic_load_n(&left, __ATOMIC_SEQ_CST) != i);
        pthread_kill(*(pthread_t *)arg, SIGUSR1);
        while (__atomic_load_n(&left, __ATOMIC_SEQ_CST) == i)
            ;
    }
    return NULL;
}

// A call that never comes back because its handler leaves, made again at the same place.
static void leave_calls(void)
{
    pthread_t t, self = pthread_self();
    char two[2];
    struct sigaction act = {.sa_handler = jumper, .sa_flags = SA_RESTART};
    leaver = (int)syscall(SYS_gettid);
    sigaction(SIGUSR1, &act, NULL);
    pthread_create(&t, NULL, interrupt, &self);
    while (left < LEFT)
        if (!sigsetjmp(back, 1))
            syscall(SYS_read, pipes[0][0], two, 2);
        else
            __atomic_fetch_add(&left, 1, __ATOMIC_SEQ_CST);
    pthread_join(t, NULL);
}

int main(void)
{
    pthread_t t[THREADS], f;
    struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct itimerval timer = {{0, 100}, {0, 100}}, off = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &act, NULL);
    for (int i = 0; i < THREADS; i++)
        if (pipe(pipes[i]))
            return 1;
    setitimer(ITIMER_REAL, &timer, NULL);
    pthread_create(&f, NULL, feed, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, body, pipes[i]);
    for (int i = 0; i < FORKS; i++) {
        int status, pid = fork();
        if (!pid)
            _exit(syscall(SYS_getppid) <= 0);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        if (status)
            return 2;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    pthread_join(f, NULL);
    while (!__atomic_load_n(&hits, __ATOMIC_RELAXED))
        ;
    setitimer(ITIMER_REAL, &off, NULL);
    leave_calls();
    return 0;
}
//> sysrace
//= getppid 8000 8000 close(999) 8000 8000 read 1200 1200 dup2 1200 1200 read(2) 50 0 wrong 0
//> afterrace
//= after: getppid 8000 close(999) 8000 read 1200 dup2 1200 read(2) 0 wrong 0
