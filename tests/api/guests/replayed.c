// SPDX-License-Identifier: Apache-2.0
// What a tool plays again: a system call, a thread of its own making, a handled signal, a fatal one.
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

volatile int times, spawned;

void play_syscall(void) { __asm__ volatile(""); }
void play_thread(void) { __asm__ volatile(""); }
void play_signal(void) { __asm__ volatile(""); }
void play_death(void) { __asm__ volatile(""); }

// It has no thread data of its own, so it uses nothing of libc's.
void thread_main(void)
{
    spawned = 1;
    for (;;)
        __asm__ volatile("syscall" : : "a"(34 /* pause */) : "rcx", "r11", "memory");
}

static void handler(int sig)
{
    (void)sig;
    if (times++)
        play_death();
}

int main(void)
{
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    getppid();
    play_syscall();
    play_thread();
    while (!spawned)
        sched_yield();
    play_signal();
    return 1; // not reached
}
//> replayed status=138
//= thread 0 starts
//= signal 10 to handler
//= system call 110
//= its result
//= system call 110
//= its result
//= thread 1 starts at thread_main
//= signal 10 to handler
//= signal 10 kills
//= 2 threads have ended, fini 138
