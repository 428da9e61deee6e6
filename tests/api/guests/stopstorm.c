// SPDX-License-Identifier: Apache-2.0
// 64 threads that compute, pass bytes through pipes, sleep, allocate, take signals and fork until the tool has stopped them often enough; each checks its own results.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 64

volatile uint64_t at_progress[THREADS];
volatile int at_go; /* set by the tool when it has seen enough */
static pthread_barrier_t all;
static volatile int over;
static __thread volatile int taken;

static void handler(int sig) { taken += sig == SIGUSR1; }
static void fail(int code) { _exit(code); }

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* rbx goes up as r14 goes down. */
static void compute(uint64_t n)
{
    uint64_t up = 0, down = 0;
    __asm__ volatile("xor %%ebx, %%ebx\n"
                     "mov %2, %%r14\n"
                     ".globl at_loop\n"
                     "at_loop: inc %%rbx\n"
                     "dec %%r14\n"
                     "jnz at_loop\n"
                     ".globl at_done\n"
                     "at_done: mov %%rbx, %0\n"
                     "mov %%r14, %1\n"
                     : "=r"(up), "=r"(down) : "r"(n) : "rbx", "r14", "cc");
    if (up != n || down)
        fail(10);
}

static void pipes(void)
{
    int fd[2];
    char in[64], out[64];
    memset(out, 'q', sizeof out);
    if (pipe(fd) || write(fd[1], out, sizeof out) != sizeof out || read(fd[0], in, sizeof in) != sizeof in || memcmp(in, out, sizeof in))
        fail(11);
    struct pollfd p = {fd[0], POLLIN, 0};
    if (poll(&p, 1, 2)) /* EINTR would be -1 */
        fail(12);
    close(fd[0]);
    close(fd[1]);
}

static void sleep_exactly(void)
{
    struct timespec t = {0, 3000000};
    double begin = now();
    if (nanosleep(&t, 0) || now() - begin < 0.003)
        fail(13);
}

static void signals(void)
{
    int before = taken;
    for (int i = 0; i < 20; i++)
        raise(SIGUSR1);
    if (taken != before + 20)
        fail(14);
}

static void forks(void)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        compute(1000);
        _exit(5);
    }
    if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 5)
        fail(15);
}

static void *body(void *arg)
{
    uint64_t me = (uint64_t)arg;
    pthread_barrier_wait(&all);
    for (uint64_t i = me; !over; i++) {
        at_progress[me]++;
        compute(4000);
        switch (i % 8) {
        case 0: pipes(); break;
        case 1: sleep_exactly(); break;
        case 2: signals(); break;
        case 3: free(memset(malloc(200000), 1, 200000)); break;
        case 4:
            if (i % 64 == 4)
                forks();
            break;
        }
    }
    return 0;
}

int main(void)
{
    pthread_t t[THREADS];
    signal(SIGUSR1, handler);
    pthread_barrier_init(&all, 0, THREADS + 1);
    for (uint64_t i = 0; i < THREADS; i++)
        if (pthread_create(&t[i], 0, body, (void *)i))
            return 1;
    pthread_barrier_wait(&all);
    while (!at_go)
        usleep(1000);
    over = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
    return 0;
}
//> stopstorm
//= all 65 at once: yes, moved while stopped: 0, in the loop: yes, torn: 0, calls as they should be: yes, status 0
