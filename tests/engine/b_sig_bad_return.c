// SPDX-License-Identifier: Apache-2.0
// rt_sigreturn with a frame that cannot be returned to: SIGSEGV as natively, and the signals that come after it, sent by another process at any moment, are delivered with the right mask and on the right stack.
#include "b_check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

#define XSTATE_MAGIC2_BYTES 4
#define ASYNC 200 /* signals after each bad return */

static sigjmp_buf out;
static volatile int faults, code, at_frame, async, on_alt;
static volatile unsigned long blocked;
static char alt[65536];
static int damage;

static unsigned long mask_now(void)
{
    unsigned long set = 0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &set, 8);
    return set;
}

static void on_segv(int sig, siginfo_t *si, void *context)
{
    ucontext_t *uc = context;
    char here;
    (void)sig;
    faults++;
    code = si->si_code;
    blocked = mask_now();
    at_frame = uc->uc_mcontext.gregs[REG_RIP] == 0x1234567800000000;
    on_alt = &here > alt && &here < alt + sizeof alt;
    siglongjmp(out, 1);
}

static void on_async(int sig, siginfo_t *si, void *context)
{
    ucontext_t *uc = context;
    (void)sig;
    CHECK(si->si_code == SI_USER && si->si_pid != getpid());
    CHECK(!sigismember(&uc->uc_sigmask, SIGUSR2));
    async++;
}

/* The frame that the kernel, or the engine, has made, damaged. */
static void on_usr1(int sig, siginfo_t *si, void *context)
{
    ucontext_t *uc = context;
    greg_t *g = uc->uc_mcontext.gregs;
    unsigned char *fp = (unsigned char *)uc->uc_mcontext.fpregs;
    (void)sig;
    (void)si;
    sigaddset(&uc->uc_sigmask, SIGHUP);
    switch (damage) {
    case 0: g[REG_RIP] = 0x1234567800000000; break; /* not canonical */
    case 1: g[REG_RIP] = 0x200000000000; break; /* nothing is there */
    case 2: g[REG_CSGSFS] = (g[REG_CSGSFS] & ~0xffffL) | 0x13; break; /* the kernel's code, but with our privilege */
    case 3: g[REG_CSGSFS] = (g[REG_CSGSFS] & ~0xffffL) | 0x7f; break; /* no such segment */
    case 4: g[REG_CSGSFS] = (g[REG_CSGSFS] & 0xffffffffffffL) | 0x7fL << 48; break; /* no such stack segment */
    case 15: uc->uc_flags &= ~4ul, g[REG_CSGSFS] = (g[REG_CSGSFS] & 0xffffffffffffL) | 0x7fL << 48; break; /* the same, but the kernel may take another one */
    case 5: uc->uc_mcontext.fpregs = (void *)0x200000000000; break;
    case 6: uc->uc_mcontext.fpregs = (void *)(fp + 8); break;
    case 7: memset(fp + 464, 0, 4); break; /* magic1: an old frame, without the rest */
    case 8: memset(fp + *(unsigned *)(fp + 480), 0x5a, XSTATE_MAGIC2_BYTES); break; /* magic2 */
    case 9: *(unsigned *)(fp + 480) = 7; break; /* a size that cannot be */
    case 10: *(unsigned *)(fp + 24) = 0xffffffff; break; /* bits of MXCSR that there are not */
    case 11: memset(fp + 512, 0xff, 8); break; /* components that there are not */
    case 12: g[REG_RSP] = 0x1234567800000000; break; /* no fault by itself */
    case 13: uc->uc_stack.ss_flags = 77; break; /* sigaltstack would refuse it */
    case 14: g[REG_RSP] = 0x200000000000; g[REG_RIP] = 0x200000000000; break; /* no stack for the handler, but the alternate one */
    }
}

static void frame_nowhere(unsigned long sp)
{
    __asm__ volatile("mov %%rsp, %%rbx; mov %0, %%rsp; mov $15, %%eax; syscall; mov %%rbx, %%rsp" : : "r"(sp) : "rax", "rbx", "rcx", "r11", "memory");
}

static void try(const char *name, unsigned long sp)
{
    volatile int before = faults;
    code = at_frame = on_alt = 0;
    blocked = 0;
    unsigned long kept = mask_now();
    if (!sigsetjmp(out, 1)) {
        if (sp)
            frame_nowhere(sp);
        else
            raise(SIGUSR1);
        say("%s: returned, %lx", name, mask_now());
    } else
        say("%s: %d fault, code %d, rip %d, alternate stack %d, mask %lx", name, faults - before, code, at_frame, on_alt, blocked);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &kept, NULL, 8);
    /* Signals in the middle of whatever this is, from another process. */
    async = 0;
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < ASYNC; i++) {
            kill(getppid(), SIGUSR2);
            for (volatile int k = 0; k < 1000; k++)
                ;
        }
        _exit(0);
    }
    volatile unsigned long sum = 0;
    int status;
    while (waitpid(child, &status, WNOHANG) == 0)
        sum += 3;
    say("; then %s, %d, %lx\n", async ? "signals" : "none", sum % 3 == 0 && WIFEXITED(status), mask_now());
}

int main(void)
{
    struct sigaction segv = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | SA_ONSTACK}, usr1 = {.sa_sigaction = on_usr1, .sa_flags = SA_SIGINFO}, usr2 = {.sa_sigaction = on_async, .sa_flags = SA_SIGINFO | SA_RESTART};
    stack_t ss = {.ss_sp = alt, .ss_size = sizeof alt};
    char name[32];
    sigaltstack(&ss, NULL);
    sigaction(SIGSEGV, &segv, NULL);
    sigaction(SIGBUS, &segv, NULL);
    sigaction(SIGUSR1, &usr1, NULL);
    sigaction(SIGUSR2, &usr2, NULL);
    try("frame in nothing", 0x200000000000);
    try("frame beyond all", 0x900000000000);
    try("frame near the end", 0x7ffffffff000 - 64);
    try("frame of the kernel", 0xffffffff81000000);
    for (damage = 0; damage <= 15; damage++) {
        snprintf(name, sizeof name, "damage %d", damage);
        try(name, 0);
    }
    return 0;
}
