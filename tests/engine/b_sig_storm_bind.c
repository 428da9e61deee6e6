// test: timeout=180
// SPDX-License-Identifier: Apache-2.0
// In a storm, a loop of several ways through many blocks, each of which uses other registers for its accesses: the frame shows what the program set in all of them, wherever it is interrupted.
#include "b_storm.h"
#include <ucontext.h>

extern char bind_begin[], bind_end[];
static volatile long in_loop, wrong;
static long words[64];

#define KNOWN(n) ((long)(0x0101010101010101ul * (n)))

static void on_usr1(int sig, siginfo_t *si, void *ctx)
{
    greg_t *r = ((ucontext_t *)ctx)->uc_mcontext.gregs;
    (void)sig, (void)si;
    storm->hits++;
    if (r[REG_RIP] < (long)bind_begin || r[REG_RIP] >= (long)bind_end)
        return;
    in_loop++;
    wrong += r[REG_RCX] != KNOWN(1) || r[REG_RDX] != KNOWN(2) || r[REG_RSI] != KNOWN(3) || r[REG_RDI] != KNOWN(4) || r[REG_RBP] != KNOWN(5);
    wrong += r[REG_R8] != (long)words || r[REG_R9] != KNOWN(9) || r[REG_R10] != (long)words || r[REG_R11] != KNOWN(11) || r[REG_R12] != (long)words;
    wrong += r[REG_R13] != KNOWN(13) || r[REG_R14] != (long)words || r[REG_R15] != KNOWN(15) || r[REG_RBX] < 0 || r[REG_RBX] > 20000;
}

static __attribute__((noinline)) long spin(void)
{
    long out;
    __asm__ volatile("sub $256, %%rsp; push %%rbp\n"
                     "movabs $0x0101010101010101, %%rcx; lea (%%rcx,%%rcx), %%rdx; lea (%%rdx,%%rcx), %%rsi; lea (%%rsi,%%rcx), %%rdi; lea (%%rdi,%%rcx), %%rbp\n"
                     "lea words(%%rip), %%r8; mov %%r8, %%r10; mov %%r8, %%r12; mov %%r8, %%r14\n"
                     "lea (%%rbp,%%rdi), %%r9; lea (%%r9,%%rdx), %%r11; lea (%%r11,%%rdx), %%r13; lea (%%r13,%%rdx), %%r15\n"
                     "mov $20000, %%ebx; xor %%eax, %%eax\n"
                     ".globl bind_begin, bind_end\n"
                     "bind_begin: add (%%r8), %%rax; add %%r9, 8(%%r8)\n"
                     "test $1, %%bl; jz 1f\n"
                     "add 16(%%r10), %%rax; xor %%r11, 24(%%r10); test $2, %%bl; jz 2f\n"
                     "add %%rcx, 32(%%r12); add 40(%%r14), %%al; jmp 3f\n"
                     "1: xor %%r15, 48(%%r14); test $4, %%bl; jz 2f\n"
                     "add %%rdx, 56(%%r12); add %%rsi, 64(%%r8); mov 72(%%r10), %%rax; jmp 4f\n"
                     "2: add %%r13, 80(%%r12); add 80(%%r12), %%rax\n"
                     "3: add %%rdi, 88(%%r14); sub %%rbp, 96(%%r8)\n"
                     "4: adc (%%r14), %%rax; test $8, %%bl; jnz 5f; call 7f; jmp 6f\n"
                     "5: xor %%rax, 104(%%r10); push %%rax; popq 112(%%r12)\n"
                     "6: dec %%rbx; jnz bind_begin\n"
                     "jmp 8f\n"
                     "7: add %%r9, 120(%%r8); ret\n"
                     "bind_end: 8: pop %%rbp; add $256, %%rsp"
                     : "=a"(out) : : "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc", "memory");
    return out;
}

static long once(void)
{
    for (long i = 0; i < 64; i++)
        words[i] = i * 0x9e3779b97f4a7c15;
    long sum = spin();
    for (long i = 0; i < 64; i++)
        sum = sum * 31 + words[i];
    return sum;
}

int main(void)
{
    long want = once();
    storm_init(on_usr1, 0);
    while (in_loop < 4000) {
        storm_start(20000);
        while (!storm->over)
            CHECK(once() == want);
        storm_end();
    }
    CHECK(!wrong);
    say("spin %lx\n", want);
    return 0;
}
