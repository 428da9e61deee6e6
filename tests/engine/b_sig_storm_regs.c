// test: timeout=180
// SPDX-License-Identifier: Apache-2.0
// In a storm the frame shows registers that the program set: known constants in r12 to r15, a counter in rbx, rip within the loop.
#include "b_storm.h"
#include <ucontext.h>

extern char loop_begin[], loop_end[];
static volatile long in_loop, wrong;

static void on_usr1(int sig, siginfo_t *si, void *ctx)
{
    greg_t *r = ((ucontext_t *)ctx)->uc_mcontext.gregs;
    (void)sig, (void)si;
    storm->hits++;
    if (r[REG_RIP] < (long)loop_begin || r[REG_RIP] >= (long)loop_end)
        return;
    in_loop++;
    if (r[REG_R12] != 0x1212121212121212 || r[REG_R13] != 0x1313131313131313 || r[REG_R14] != 0x1414141414141414 || r[REG_R15] != -1)
        wrong++;
    if (r[REG_RBX] < 0 || r[REG_RBX] > 20000)
        wrong++;
    if (*(long *)(r[REG_RSP]) != 0x5555 && *(long *)(r[REG_RSP] + 8) != 0x5555)
        wrong++;
}

static __attribute__((noinline)) long spin(void)
{
    long out;
    __asm__ volatile("sub $256, %%rsp; push $0x5555\n"
                     "movabs $0x1212121212121212, %%r12; movabs $0x1313131313131313, %%r13; movabs $0x1414141414141414, %%r14; mov $-1, %%r15\n"
                     "mov $20000, %%ebx; xor %%eax, %%eax\n"
                     ".globl loop_begin, loop_end\n"
                     "loop_begin: lea (%%rax,%%rbx), %%rax; push %%rax; call 2f; add $8, %%rsp\n"
                     "dec %%rbx; jnz loop_begin\n"
                     "loop_end: jmp 3f\n"
                     "2: xor %%r12, %%rax; xor %%r13, %%rax; ret\n"
                     "3: add $264, %%rsp"
                     : "=a"(out) : : "rbx", "r12", "r13", "r14", "r15", "cc", "memory");
    return out;
}

int main(void)
{
    long want = spin();
    storm_init(on_usr1, 0);
    while (in_loop < 100) {
        storm_start(20000);
        while (!storm->over)
            CHECK(spin() == want);
        storm_end();
    }
    CHECK(!wrong);
    say("spin %lx\n", want);
    return 0;
}
