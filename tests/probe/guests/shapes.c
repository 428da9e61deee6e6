/* SPDX-License-Identifier: Apache-2.0
 * Functions whose first instructions are hard to move, and some that must be refused. Each gives a number that is wrong
 * if it was moved amiss. */
#include <stdio.h>

long global = 1000;

#define FUNCTION(name, body) \
    __asm__(".text; .p2align 4; .globl " #name "; .type " #name ",@function\n" #name ":\n" body "\n.size " #name ",.-" #name "\n"); \
    long name(long a, long b)

FUNCTION(rip_load, "mov global(%rip),%rax; add %rdi,%rax; ret");
FUNCTION(rip_store, "addq $1,global(%rip); mov global(%rip),%rax; subq $1,global(%rip); ret");
FUNCTION(jcc_first, "test %rdi,%rdi; jz 1f; lea 5(%rdi),%rax; ret; 1: mov $77,%eax; ret");
FUNCTION(jump_first, "jmp rip_load");
FUNCTION(short_jump_first, "jmp 1f; .skip 20,0x90; 1: lea 3(%rdi),%rax; ret");
FUNCTION(call_first, "call rip_load; add $1,%rax; ret");
FUNCTION(call_through_memory, "call *2f(%rip); add $2,%rax; ret; .pushsection .data; .p2align 3; 2: .quad rip_load; .popsection");
FUNCTION(loop_first, "mov %edi,%ecx; xor %eax,%eax; jrcxz 2f; 1: add $2,%eax; loop 1b; 2: ret");
FUNCTION(jrcxz_early, "mov %edi,%ecx; jrcxz 1f; mov $8,%eax; ret; 1: mov $9,%eax; ret");
FUNCTION(pushes, "push %rbp; push %rbx; push %r12; lea 1(%rdi),%rax; pop %r12; pop %rbx; pop %rbp; ret");
FUNCTION(endbr, "endbr64; lea 2(%rdi),%rax; ret");
FUNCTION(one_byte, "ret");
FUNCTION(three_bytes, "xor %eax,%eax; ret");
FUNCTION(four_bytes, "mov %rdi,%rax; ret");
FUNCTION(set_carry, "stc; sbb %rax,%rax; neg %rax; add %rdi,%rax; ret");
FUNCTION(red_zone, "mov %rdi,-8(%rsp); mov %rsi,-120(%rsp); mov -8(%rsp),%rax; add -120(%rsp),%rax; ret");
FUNCTION(string_op, "lea -64(%rsp),%r8; push %rdi; mov %r8,%rdi; mov $7,%al; mov $8,%ecx; rep stosb; pop %rdi; movzbl -60(%rsp),%eax; ret");
/* refused: a branch leads into the first bytes, the start is the head of a loop, a call returns into the first bytes */
FUNCTION(into_start, "xor %eax,%eax; 1: inc %eax; dec %rdi; jnz 1b; ret");
FUNCTION(loops_to_start, "1: dec %rdi; add $3,%rsi; test %rdi,%rdi; jnz 1b; mov %rsi,%rax; ret");
FUNCTION(call_register, "call *%rsi; add $1,%rax; ret");
/* a table of jumps: one of its targets is in the first bytes */
__asm__(".text; .p2align 4; .globl table_inside; .type table_inside,@function\n"
        "table_inside: xor %eax,%eax\n"
        "3: inc %eax; cmp $1,%rdi; ja 2f; mov %rdi,%rdx; mov $2,%edi; lea 4f(%rip),%rcx; movslq (%rcx,%rdx,4),%rdx; add %rcx,%rdx; jmp *%rdx\n"
        "2: ret\n"
        ".size table_inside,.-table_inside\n"
        ".section .rodata; .p2align 2; 4: .long 3b-4b, 2b-4b; .text\n");
long table_inside(long a, long b);
/* the one above it with no padding between, too short for a jump of its own, but in reach of padding */
__asm__(".text; .p2align 4; .globl packed_a; .type packed_a,@function; .globl packed_b; .type packed_b,@function\n"
        "packed_a: mov %esi,%eax; ret\n.size packed_a,.-packed_a\n"
        "packed_b: lea 4(%rdi),%rax; ret\n.size packed_b,.-packed_b\n.p2align 4\n");
long packed_a(long a, long b), packed_b(long a, long b);

static long callee(void) { return 40; }

#define SHOW(f, a, b) printf(#f " %ld %ld\n", f(a, b), f(0, b))

int main(void)
{
    for (int i = 0; i < 3; i++) {
        SHOW(rip_load, 4, 5);
        SHOW(rip_store, 4, 5);
        SHOW(jcc_first, 4, 5);
        SHOW(jump_first, 4, 5);
        SHOW(short_jump_first, 4, 5);
        SHOW(call_first, 4, 5);
        SHOW(call_through_memory, 4, 5);
        SHOW(loop_first, 4, 5);
        SHOW(jrcxz_early, 4, 5);
        SHOW(pushes, 4, 5);
        SHOW(endbr, 4, 5);
        one_byte(4, 5);
        SHOW(three_bytes, 4, 5);
        SHOW(four_bytes, 4, 5);
        SHOW(set_carry, 4, 5);
        SHOW(red_zone, 4, 5);
        SHOW(string_op, 4, 5);
        printf("into_start %ld\n", into_start(4, 5));
        printf("loops_to_start %ld\n", loops_to_start(4, 5));
        printf("call_register %ld\n", call_register(4, (long)callee));
        printf("table_inside %ld %ld %ld\n", table_inside(0, 5), table_inside(1, 5), table_inside(2, 5));
        SHOW(packed_a, 4, 5);
        SHOW(packed_b, 4, 5);
    }
    return 0;
}
