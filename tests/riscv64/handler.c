/* SPDX-License-Identifier: Apache-2.0
 * Handlers of signals: sent, raised by faults that they repair or leave, on an alternate stack, with what they see of
 * registers, and many that come by a timer, in the midst of whatever the program does. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

static volatile sig_atomic_t seen, ticks;
static sigjmp_buf back;
static char stack[65536];

static void note(int sig) { seen = sig; }
static void tick(int sig) { (void)sig, ticks++; }

static void leave(int sig, siginfo_t *info, void *context)
{
    (void)context;
    seen = sig + 100 * (info->si_addr == (void *)8);
    siglongjmp(back, 1);
}

/* Skips the instruction, and sets what it would have loaded. */
static void repair(int sig, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    char here;
    (void)sig, (void)info;
    u->uc_mcontext.__gregs[REG_PC] += 4;
    u->uc_mcontext.__gregs[REG_A0] = (unsigned long)(&here >= stack && &here < stack + sizeof stack) + 40;
}

static void on(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction act = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
    sigaction(sig, &act, NULL);
}

static unsigned long work(unsigned n)
{
    unsigned long h = 1;
    char text[64];
    double d = 1;
    for (unsigned i = 0; i < n; i++) {
        h = h * 31 + (unsigned long)snprintf(text, sizeof text, "%u", i);
        h ^= strlen(text) << (i & 31);
        d = d * 1.0000001 + i % 3;
    }
    return h + (unsigned long)d;
}

int main(int argc, char **argv)
{
    int *volatile nowhere = (int *)8;
    stack_t alt = {.ss_sp = stack, .ss_size = sizeof stack};
    signal(SIGUSR1, note);
    raise(SIGUSR1);
    printf("%d\n", (int)seen);
    sigaltstack(&alt, NULL);
    on(SIGSEGV, leave, 0);
    if (!sigsetjmp(back, 1))
        *nowhere = 1;
    printf("%d\n", (int)seen);
    on(SIGSEGV, repair, SA_ONSTACK);
    register long a0 __asm__("a0") = 8;
    __asm__ volatile(".option push\n.option norvc\nld a0, 0(a0)\n.option pop" : "+r"(a0));
    printf("%ld\n", a0);
    unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
    unsigned long quiet = work(rounds);
    struct itimerval every = {{0, 700}, {0, 700}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &every, NULL);
    int same = 1;
    while (ticks < 20)
        same &= work(rounds) == quiet;
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%d\n", same);
    (void)argv;
    return 0;
}
