// SPDX-License-Identifier: Apache-2.0
// 8 threads make 200 runs each with v = 0, 1, 2 in turn: at_switch(v) calls at_work 10 times directly, 10 times through a pointer and once from a signal handler, with system calls in between;
// at_back, then at_work 5 times. Runs by v: 533, 534, 533. So at_work is called 533 * 21 + 1600 * 5 = 19193 times in version 0, 534 * 21 = 11214 in 1, 533 * 21 = 11193 in 2.
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

void at_work(void);
void at_work(void) { __asm__ volatile(""); }
static void (*volatile pointer)(void) = at_work;

static void handler(int sig)
{
    (void)sig;
    at_work();
}

void at_switch(uint64_t v);
void at_switch(uint64_t v)
{
    for (int i = 0; i < 10; i++) {
        at_work();
        pointer();
        syscall(SYS_getppid);
    }
    raise(SIGUSR1);
    __asm__ volatile("" : : "r"(v));
}

void at_back(void);
void at_back(void) { __asm__ volatile(""); }

static void *body(void *arg)
{
    for (uint64_t run = 0; run < 200; run++) {
        at_switch((run + (uint64_t)arg) % 3);
        at_back();
        for (int i = 0; i < 5; i++)
            at_work();
    }
    return 0;
}

int main(void)
{
    pthread_t t[8];
    signal(SIGUSR1, handler);
    for (uint64_t i = 0; i < 8; i++)
        if (pthread_create(&t[i], 0, body, (void *)i))
            return 1;
    for (int i = 0; i < 8; i++)
        pthread_join(t[i], 0);
    return 0;
}
//> versions
//= version 0: 19193, 1: 11214, 2: 11193, wrong 0, status 0
