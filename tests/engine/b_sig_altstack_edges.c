// SPDX-License-Identifier: Apache-2.0
// The alternate stack to the byte: the smallest size, the stack pointer at its very top and bottom, and one that disarms itself.
#include "b_check.h"
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define AUTODISARM (1u << 31)
#define BYTES 65536

static char stack[BYTES] __attribute__((aligned(4096)));

/* sigaltstack(ss, 0) with the stack pointer at sp. */
static long set_at(const stack_t *ss, char *sp)
{
    long r;
    register long old __asm__("r12");
    __asm__ volatile("mov %%rsp, %1; mov %4, %%rsp; syscall; mov %1, %%rsp" : "=a"(r), "=&r"(old) : "0"((long)SYS_sigaltstack), "D"(ss), "r"(sp), "S"(0L) : "rcx", "r11", "memory");
    return r;
}

static void on_signal(int sig, siginfo_t *si, void *ctx)
{
    (void)si;
    char here;
    ucontext_t *uc = ctx;
    stack_t now, other = { stack, (int)AUTODISARM, BYTES / 2 };
    CHECK(sigaltstack(0, &now) == 0);
    say("signal %d: on it %d, flags %x, size %zu, frame's flags %x, size %zu\n", sig, &here > stack && &here < stack + BYTES, (unsigned)now.ss_flags, now.ss_size, (unsigned)uc->uc_stack.ss_flags, uc->uc_stack.ss_size);
    if (sig == SIGUSR2) {
        int r = sigaltstack(&other, 0);
        CHECK(sigaltstack(0, &now) == 0);
        say("set in the handler: %d, flags %x, size %zu\n", r, (unsigned)now.ss_flags, now.ss_size);
    }
}

static void show(const char *what)
{
    stack_t now;
    CHECK(sigaltstack(0, &now) == 0);
    say("%s: flags %x, size %zu\n", what, (unsigned)now.ss_flags, now.ss_size);
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    stack_t plain = { stack, 0, BYTES }, off = { .ss_flags = SS_DISABLE }, disarms = { stack, (int)AUTODISARM, BYTES };
    sigaction(SIGUSR1, &sa, 0);
    sigaction(SIGUSR2, &sa, 0);
    CHECK(sigaltstack(&plain, 0) == 0);
    for (long off_top = -16; off_top <= 16; off_top += 8)
        say("sp at the top %+ld: %ld\n", off_top, set_at(&off, stack + BYTES + off_top) + (sigaltstack(&plain, 0) ? 1000 : 0));
    for (long from = -8; from <= 8; from += 8)
        say("sp at the bottom %+ld: %ld\n", from, set_at(&off, stack + from) + (sigaltstack(&plain, 0) ? 1000 : 0));
    for (size_t size = 2046; size <= 2049; size++) {
        stack_t small = { stack, 0, size };
        int r = sigaltstack(&small, 0);
        say("size %zu: %d %d\n", size, r, r ? errno : 0);
    }
    CHECK(sigaltstack(&off, 0) == 0 && sigaltstack(&disarms, 0) == 0);
    show("armed");
    raise(SIGUSR1);
    show("after it");
    raise(SIGUSR2);
    show("after the other");
    return 0;
}
