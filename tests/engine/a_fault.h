/* SPDX-License-Identifier: Apache-2.0
 * Faulting sequences: FAULT_SEQ(name, text) makes a routine that gives every register a known value and runs text, in which an
 * instruction is expected to fault. fault_try(name) runs it with handlers on an alternate stack; they print the whole state that
 * the kernel reports, less what is as it was before the sequence, and go on behind it. */
#ifndef A_FAULT_H
#define A_FAULT_H
#include "a_guest.h"
#include <signal.h>
#include <ucontext.h>

uint64_t fault_rsp; /* stack pointer when text begins */
extern char fault_back[];
static const char *fault_start;

/* rsp, rbp.. are pushed by the prologue and taken back at fault_back, whatever text did. */
__asm__(".text\n"
        "fault_back: mov fault_rsp(%rip), %rsp\n cld\n"
        "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret\n");

#define FAULT_REG(n, r) "movabs $0x" #n #n #n #n #n #n #n #n ", %" #r "\n"
#define FAULT_SEQ(name, text)                                                                                                   \
    void name(void);                                                                                                            \
    extern char name##_start[];                                                                                                 \
    __asm__(".text\n.globl " #name ", " #name "_start\n" #name ": push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n" \
            "mov %rsp, fault_rsp(%rip)\n" FAULT_REG(10, rax) FAULT_REG(11, rcx) FAULT_REG(12, rdx) FAULT_REG(13, rbx)           \
            FAULT_REG(15, rbp) FAULT_REG(16, rsi) FAULT_REG(17, rdi) FAULT_REG(18, r8) FAULT_REG(19, r9) FAULT_REG(1a, r10)     \
            FAULT_REG(1b, r11) FAULT_REG(1c, r12) FAULT_REG(1d, r13) FAULT_REG(1e, r14) FAULT_REG(1f, r15)                      \
            "cmp %eax, %eax\n"                                                                                                  \
            #name "_start:\n" text "\n jmp fault_back\n")

static const struct {
    const char *name;
    int greg, pattern;
} fault_regs[] = {
    {"rax", REG_RAX, 0x10}, {"rcx", REG_RCX, 0x11}, {"rdx", REG_RDX, 0x12}, {"rbx", REG_RBX, 0x13}, {"rbp", REG_RBP, 0x15},
    {"rsi", REG_RSI, 0x16}, {"rdi", REG_RDI, 0x17}, {"r8", REG_R8, 0x18},   {"r9", REG_R9, 0x19},   {"r10", REG_R10, 0x1a},
    {"r11", REG_R11, 0x1b}, {"r12", REG_R12, 0x1c}, {"r13", REG_R13, 0x1d}, {"r14", REG_R14, 0x1e}, {"r15", REG_R15, 0x1f},
};

/* A number, or a distance when it is an address that differs from run to run. */
static inline void fault_print(const char *what, uint64_t value)
{
    int64_t code = value - (uint64_t)fault_start, stack = value - fault_rsp;
    if (code > -65536 && code < 65536)
        printf(" %s=start%+ld", what, code);
    else if (stack > -65536 && stack < 65536)
        printf(" %s=sp%+ld", what, stack);
    else
        printf(" %s=%#lx", what, value);
}

static inline void fault_handler(int sig, siginfo_t *si, void *context)
{
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
    printf("  %s code=%d err=%#llx trap=%lld", strsignal(sig), si->si_code, g[REG_ERR], g[REG_TRAPNO]);
    fault_print("addr", (uint64_t)si->si_addr);
    fault_print("rip", g[REG_RIP]);
    fault_print("rsp", g[REG_RSP]);
    printf(" fl=%#llx", g[REG_EFL] & (FLAGS_ALL | 0x400));
    for (size_t i = 0; i < sizeof fault_regs / sizeof *fault_regs; i++) {
        uint64_t value = g[fault_regs[i].greg];
        if (value != fault_regs[i].pattern * 0x0101010101010101ul)
            fault_print(fault_regs[i].name, value);
    }
    printf("\n");
    g[REG_RIP] = (greg_t)fault_back;
}

static inline void fault_install(void)
{
    static char stack[65536];
    stack_t ss = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction sa = {.sa_sigaction = fault_handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    CHECK(sigaltstack(&ss, NULL) == 0);
    const int sigs[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    for (size_t i = 0; i < sizeof sigs / sizeof *sigs; i++)
        CHECK(sigaction(sigs[i], &sa, NULL) == 0);
}

#define fault_try(name)                                                                                                         \
    do {                                                                                                                        \
        printf("%s\n", #name);                                                                                                  \
        fault_start = name##_start;                                                                                             \
        name();                                                                                                                 \
    } while (0)
#endif
