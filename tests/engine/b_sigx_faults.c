// SPDX-License-Identifier: Apache-2.0
// What a fault's frame says: code, trap number, error code, the address where it is fixed, segments and the resume flag; also in the frame of a later signal.
#include "b_check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

extern char __executable_start[], end[];
static sigjmp_buf back;
static char data[4096] __attribute__((aligned(4096)));

static void on_signal(int sig, siginfo_t *si, void *ctx)
{
    greg_t *g = ((ucontext_t *)ctx)->uc_mcontext.gregs;
    int in_image = g[REG_CR2] >= (long)__executable_start && g[REG_CR2] < (long)end; /* its address is random */
    say("  %d code %d err %llx trap %llx cr2 %llx segments %llx flags %llx addr is cr2 %d, is pc %d\n", sig, si->si_code, g[REG_ERR], g[REG_TRAPNO],
        in_image ? 0xdada : g[REG_CR2], g[REG_CSGSFS], g[REG_EFL] & 0x10700, (long)si->si_addr == g[REG_CR2], (long)si->si_addr == g[REG_RIP]);
    if (sig != SIGUSR1)
        siglongjmp(back, 1);
}

static void read_nowhere(void) { (void)*(volatile int *)0x700000000000; }
static void write_nowhere(void) { *(volatile int *)8 = 1; }
static void write_text(void) { *(volatile char *)read_nowhere = 1; }
static void read_kernel(void) { (void)*(volatile int *)0xffff900000000000; }
static void read_beyond(void) { (void)*(volatile int *)0x8000000000001234; }
static void run_nowhere(void) { ((void (*)(void))0x10)(); }
static void run_data(void) { data[0] = 1; ((void (*)(void))(long)data)(); }
static void undefined(void) { __asm__ volatile("ud2"); }
static void privileged(void) { __asm__ volatile("hlt"); }
static void divide(void) { __asm__ volatile("xor %%ecx, %%ecx; mov $1, %%eax; cdq; idiv %%ecx" : : : "eax", "ecx", "edx"); }
static void bad_return(void) { __asm__ volatile("mov %rsp, %rbx; mov $8, %esp; mov $15, %eax; syscall"); }

int main(void)
{
    static const struct { const char *name; void (*run)(void); } cases[] = {
        { "read nowhere", read_nowhere }, { "write nowhere", write_nowhere }, { "write text", write_text }, { "read kernel", read_kernel },
        { "read beyond", read_beyond }, { "run nowhere", run_nowhere }, { "run data", run_data }, { "undefined", undefined },
        { "privileged", privileged }, { "divide", divide }, { "bad return", bad_return },
    };
    static char alt[65536];
    struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    sigaltstack(&(stack_t){ alt, 0, sizeof alt }, 0);
    sigaction(SIGSEGV, &sa, 0);
    sigaction(SIGILL, &sa, 0);
    sigaction(SIGFPE, &sa, 0);
    sigaction(SIGUSR1, &sa, 0);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        say("%s\n", cases[i].name);
        if (!sigsetjmp(back, 1))
            cases[i].run();
        raise(SIGUSR1);
    }
    return 0;
}
