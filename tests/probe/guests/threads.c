/* SPDX-License-Identifier: Apache-2.0
 * Threads of all kinds call functions that have probes: pthreads that come and go, one made by a raw clone without a
 * descriptor of its own, signal handlers, children of fork; others leave functions by longjmp. errno, results and
 * thread-local data must be what they are natively. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 2
#define THREADS 6
#define CALLS 400

static volatile long signals;
static __thread long mine;
static jmp_buf out;

__attribute__((noinline)) long work(long a, long b, long c, long d, long e, long f, long g, long h)
{
    __asm__("");
    return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8;
}

__attribute__((noinline)) double mix(double a, int n, float b)
{
    __asm__("");
    return a * n + (double)b;
}

__attribute__((noinline)) char *fill(char *p, int n)
{
    __asm__ volatile("");
    return memset(p, n, 16);
}

static void on_signal(int sig)
{
    int e = errno;
    (void)sig;
    mine++;
    signals++;
    if (work(1, 2, 3, 4, 5, 6, 7, 8) != 204 || mix(1.5, 2, 0.5f) != 3.5)
        _exit(9);
    errno = e;
}

__attribute__((noinline)) void *body(void *arg)
{
    for (int i = 0; i < CALLS; i++) {
        errno = 77;
        char *p = malloc(32), *volatile q = fill(p, i);
        if (q != p || p[15] != (char)i || work(i, 1, 1, 1, 1, 1, 1, 1) != i + 35 || mix(2, i, 1) != 2 * i + 1 || errno != 77)
            _exit(8);
        free(p);
    }
    mine += (long)arg;
    return (void *)arg;
}

__attribute__((noinline)) int bare(void *arg)
{
    for (int i = 0; i < CALLS; i++)
        if (work(1, 1, 1, 1, 1, 1, 1, i) != 28 + 8 * i)
            _exit(7);
    __atomic_store_n((int *)arg, 1, __ATOMIC_SEQ_CST);
    return 0;
}

__attribute__((noinline)) void jump(int n)
{
    if (n == 0)
        longjmp(out, 1);
    if (n > 0)
        jump(n - 1);
    __asm__("");
}

static void bare_thread(void)
{
    static char stack[65536];
    int done = 0, how = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    if (clone(bare, stack + sizeof stack - 64, how, &done) < 0)
        _exit(6);
    while (!__atomic_load_n(&done, __ATOMIC_SEQ_CST))
        work(1, 2, 3, 4, 5, 6, 7, 8);
}

static void children(void)
{
    for (int i = 0; i < 3; i++) {
        int pid = fork(), status;
        if (!pid) {
            body(0);
            _exit(3);
        }
        if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 3)
            printf("child: %x\n", status);
    }
}

int main(void)
{
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct itimerval timer = {{0, 2000}, {0, 2000}}, none = {{0, 0}, {0, 0}};
    pthread_t t[THREADS];
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (int r = 0; r < ROUNDS; r++) {
        for (long i = 0; i < THREADS; i++)
            pthread_create(&t[i], NULL, body, (void *)i);
        for (long i = 0; i < THREADS; i++) {
            void *result;
            pthread_join(t[i], &result);
            if (result != (void *)i)
                printf("thread %ld: %p\n", i, result);
        }
    }
    bare_thread();
    for (int i = 0; i < 50; i++)
        if (!setjmp(out))
            jump(3);
    while (!signals)
        work(1, 2, 3, 4, 5, 6, 7, 8);
    setitimer(ITIMER_REAL, &none, NULL);
    children();
    printf("done\n");
    return 5;
}
