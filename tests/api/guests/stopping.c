// SPDX-License-Identifier: Apache-2.0
// The tool stops the program's other threads at at_stop, 200 times: one that spins until a register changes, which the tool does when it finds it there, one that counts, one that sleeps, one that reads, one that makes
// threads. None notices.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

volatile long at_turns;
static volatile int back;
static int pipes[2];
static pthread_barrier_t all;

static void *spin(void *arg)
{
    pthread_barrier_wait(&all);
    __asm__ volatile("xor %%ebx, %%ebx\n.globl at_spin\nat_spin: cmp $7, %%rbx\n jne at_spin" : : : "rbx");
    return arg;
}

static void *turn(void *arg)
{
    pthread_barrier_wait(&all);
    for (;;)
        at_turns++;
    return arg;
}

static void *rest(void *arg)
{
    struct timespec forever = {1000, 0};
    pthread_barrier_wait(&all);
    nanosleep(&forever, NULL);
    back = 1;
    return arg;
}

static void *get(void *arg)
{
    char c;
    pthread_barrier_wait(&all);
    if (read(pipes[0], &c, 1) != 1 || c != 'x')
        back = 2;
    return arg;
}

static void *nothing(void *arg) { return arg; }

static void *make(void *arg)
{
    pthread_t t;
    pthread_barrier_wait(&all);
    for (;;)
        if (pthread_create(&t, NULL, nothing, NULL) == 0)
            pthread_join(t, NULL);
    return arg;
}

__attribute__((noinline)) void at_stop(void) { __asm__ volatile("nop"); }

int main(void)
{
    void *(*bodies[])(void *) = {spin, turn, rest, get, make};
    pthread_t t[5];
    pthread_barrier_init(&all, NULL, 6);
    if (pipe(pipes))
        return 1;
    for (int i = 0; i < 5; i++)
        if (pthread_create(&t[i], NULL, bodies[i], NULL))
            return 1;
    pthread_barrier_wait(&all);
    for (int i = 0; i < 200; i++) {
        for (long seen = at_turns; at_turns == seen;)
            ;
        at_stop();
    }
    pthread_join(t[0], NULL);
    if (write(pipes[1], "x", 1) != 1)
        return 2;
    pthread_join(t[3], NULL);
    return back ? 10 + back : 0;
}
//> stopping
//= stopped 200 times, 5 or more threads at first, again 0, moved 0, spinning thread found 1, wrong 0
