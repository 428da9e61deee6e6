// SPDX-License-Identifier: Apache-2.0
// A program that turns alignment checks on keeps them across calls, system calls and signals, and gets its SIGBUS (Java looks for the flag at its start).
#include "b_check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

static volatile int signals;
static sigjmp_buf back;
static long words[4];
static volatile long sum, kept = 1;

static long flags(void)
{
    long f;
    __asm__ volatile("pushfq; pop %0" : "=r"(f));
    return f;
}

static void set_flags(long f)
{
    __asm__ volatile("push %0; popfq" : : "r"(f) : "cc");
}

static void on_usr1(int sig, siginfo_t *si, void *ctx)
{
    (void)sig, (void)si, (void)ctx;
    set_flags(flags() & ~0x40000l);
    signals++;
}

static void on_bus(int sig, siginfo_t *si, void *ctx)
{
    (void)sig, (void)ctx;
    set_flags(flags() & ~0x40000l);
    say("SIGBUS code %d\n", si->si_code);
    siglongjmp(back, 1);
}

static __attribute__((noinline)) long leaf(long (*f)(long), long n)
{
    return n ? f(n - 1) + 1 : 0;
}

static long again(long n)
{
    return leaf(again, n);
}

int main(void)
{
    struct sigaction usr = { .sa_sigaction = on_usr1, .sa_flags = SA_SIGINFO }, bus = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO };
    sigaction(SIGUSR1, &usr, 0);
    sigaction(SIGBUS, &bus, 0);
    long pid = getpid(), plain = flags();
    set_flags(plain | 0x40000);
    for (int i = 0; i < 100; i++) {
        sum += again(i);
        long r;
        __asm__ volatile("syscall" : "=a"(r) : "a"(SYS_kill), "D"(pid), "S"((long)SIGUSR1) : "rcx", "r11", "memory");
        kept &= flags() >> 18;
    }
    set_flags(plain); /* libc and the dynamic linker do not always align */
    if (!sigsetjmp(back, 1)) {
        set_flags(plain | 0x40000);
        *(volatile long *)((char *)words + 1) = 1;
    }
    set_flags(plain);
    say("sum %ld, signals %d, kept %ld\n", sum, signals, kept & 1);
    return 0;
}
