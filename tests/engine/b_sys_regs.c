// SPDX-License-Identifier: Apache-2.0
// A system call changes rax, rcx (= next rip) and r11 (= flags) and nothing else, red zone and vectors included.
#include "b_check.h"
#include <sys/syscall.h>

unsigned long in[16], out[16];
extern char after[];

static void one_call(long nr, long arg)
{
    for (int i = 0; i < 16; i++)
        in[i] = 0x1111111111111111ul * i + 0x123456789ul;
    in[0] = nr;
    in[7] = arg;
    __asm__ volatile(
        "push %%rbx; push %%rbp; push %%r12; push %%r13; push %%r14; push %%r15\n"
        "sub $128, %%rsp\n"
        "lea in(%%rip), %%rax\n"
        "mov 24(%%rax), %%rbx; mov 16(%%rax), %%rdx; mov 48(%%rax), %%rsi; mov 40(%%rax), %%rbp\n"
        "mov 64(%%rax), %%r8; mov 72(%%rax), %%r9; mov 80(%%rax), %%r10; mov 96(%%rax), %%r12\n"
        "mov 104(%%rax), %%r13; mov 112(%%rax), %%r14; mov 120(%%rax), %%r15\n"
        "mov 56(%%rax), %%rdi\n"
        "movq %%rbx, %%xmm15; movq %%rdx, %%xmm0\n"
        "movq $0x5aa5, -64(%%rsp)\n"
        "mov (%%rax), %%rax\n"
        "stc; std\n"
        "syscall\n"
        ".globl after\nafter:\n"
        "cld\n"
        "mov %%rax, out(%%rip); lea out(%%rip), %%rax\n"
        "mov %%rcx, 8(%%rax); mov %%rdx, 16(%%rax); mov %%rbx, 24(%%rax); mov %%rbp, 40(%%rax); mov %%rsi, 48(%%rax)\n"
        "mov %%rdi, 56(%%rax); mov %%r8, 64(%%rax); mov %%r9, 72(%%rax); mov %%r10, 80(%%rax); mov %%r11, 88(%%rax)\n"
        "mov %%r12, 96(%%rax); mov %%r13, 104(%%rax); mov %%r14, 112(%%rax); mov %%r15, 120(%%rax)\n"
        "mov -64(%%rsp), %%rcx; mov %%rcx, 32(%%rax)\n"
        "movq %%xmm15, %%rcx; cmp %%rcx, 24(%%rax); je 1f; ud2; 1:\n"
        "add $128, %%rsp\n"
        "pop %%r15; pop %%r14; pop %%r13; pop %%r12; pop %%rbp; pop %%rbx\n" ::
        : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm15", "memory", "cc");
    CHECK(out[1] == (unsigned long)after);
    CHECK((out[11] & 0x401) == 0x401);
    CHECK(out[4] == 0x5aa5);
    for (int i = 2; i < 16; i++)
        CHECK(i == 4 || i == 11 || out[i] == in[i]);
    say("call %ld returned %ld\n", nr, nr == SYS_getpid ? 0 : (long)out[0]);
}

int main(void)
{
    one_call(SYS_getpid, 0);
    one_call(SYS_close, -1);
    one_call(9999, 5);
    one_call(SYS_munmap, 1);
    one_call(SYS_sched_yield, 0);
    return 0;
}
