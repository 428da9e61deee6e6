/* SPDX-License-Identifier: Apache-2.0
 * Every register, the flags and the vector registers, before and after a function with a probe, at its
 * first instruction and when it is back. The function is called by assembly that fills them all. */
#include <stdio.h>
#include <string.h>

#define WORDS 16

struct state {
    unsigned long gpr[WORDS]; /* rax rcx rdx rbx - rbp rsi rdi r8 to r15; 4: flags */
    unsigned char unused[128];
    unsigned char vector[16][32];
};

/* Fills all from `in`, calls `probed`, which stores what it sees to `seen`; comes back to store what is left. */
extern void call_probed(const struct state *in, struct state *back);
extern struct state seen;
struct state seen;

__asm__(".text\n"
        ".macro SAVE to\n"
        "  mov %rax,0(\\to); mov %rcx,8(\\to); mov %rdx,16(\\to); mov %rbx,24(\\to)\n"
        "  mov %rbp,40(\\to); mov %rsi,48(\\to); mov %rdi,56(\\to); mov %r8,64(\\to); mov %r9,72(\\to)\n"
        "  mov %r10,80(\\to); mov %r11,88(\\to); mov %r12,96(\\to); mov %r13,104(\\to); mov %r14,112(\\to)\n"
        "  .irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "  vmovups %ymm\\i,256+32*\\i(\\to)\n"
        "  .endr\n"
        ".endm\n"
        ".p2align 4\n.globl probed\n.type probed,@function\nprobed:\n"
        "  push %r15; push %r14; pop %r14; nop; nop\n"
        "  pop %r15\n"
        "  lea seen(%rip),%r15\n"
        "  SAVE %r15\n"
        "  ret\n.size probed,.-probed\n"
        ".p2align 4\n.globl call_probed\n.type call_probed,@function\ncall_probed:\n"
        "  push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
        "  push %rsi\n" /* where the result goes */
        "  mov %rdi,%r15\n"
        "  lea -8(%rsp),%rsp\n"
        "  .irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "  vmovups 256+32*\\i(%r15),%ymm\\i\n"
        "  .endr\n"
        "  pushq 32(%r15); popfq\n"
        "  mov 0(%r15),%rax; mov 8(%r15),%rcx; mov 16(%r15),%rdx; mov 24(%r15),%rbx; mov 40(%r15),%rbp\n"
        "  mov 48(%r15),%rsi; mov 56(%r15),%rdi; mov 64(%r15),%r8; mov 72(%r15),%r9; mov 80(%r15),%r10\n"
        "  mov 88(%r15),%r11; mov 96(%r15),%r12; mov 104(%r15),%r13; mov 112(%r15),%r14\n"
        "  call probed\n"
        "  pushfq\n"
        "  push %r15; mov 24(%rsp),%r15\n"
        "  SAVE %r15\n"
        "  pop %rax; pop %rcx; mov %rcx,32(%r15)\n"
        "  vzeroupper\n"
        "  lea 8(%rsp),%rsp; pop %rsi; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
        "  ret\n.size call_probed,.-call_probed\n");

static void compare(const char *what, const struct state *a, const struct state *b)
{
    for (int i = 0; i < 15; i++)
        if (i != 4 && a->gpr[i] != b->gpr[i])
            printf("%s: register %d is %lx, not %lx\n", what, i, b->gpr[i], a->gpr[i]);
    for (int i = 0; i < 16; i++)
        if (memcmp(a->vector[i], b->vector[i], 32))
            printf("%s: vector register %d differs\n", what, i);
}

int main(void)
{
    static struct state in, back;
    for (int round = 0; round < 64; round++) {
        unsigned char *p = (unsigned char *)&in;
        for (size_t i = 0; i < sizeof in; i++)
            p[i] = (unsigned char)(i * 7 + (size_t)round * 13 + (i >> 8));
        in.gpr[4] = 0x202 | (round & 1) | (round & 2) << 1 | (round & 4) << 2 | (round & 8) << 3 | (round & 16) << 3 |
                    (unsigned long)(round & 32) << 6;
        call_probed(&in, &back);
        compare("at the start", &in, &seen);
        compare("afterwards", &in, &back);
        if ((back.gpr[4] ^ in.gpr[4]) & 0xcd5)
            printf("flags are %lx, not %lx\n", back.gpr[4], in.gpr[4]);
    }
    printf("done\n");
    return 0;
}
