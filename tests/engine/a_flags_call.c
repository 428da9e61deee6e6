// The six arithmetic flags live through direct, conditional and indirect branches, calls, returns and system calls of every kind.
#include "a_guest.h"

uint64_t through(uint64_t fl, uint64_t how);
extern void *through_table[];
__asm__(".text\nthrough: push %rbx; mov %rsi, %rbx; push %rdi; lea through_table(%rip), %rax; mov (%rax,%rbx,8), %rbx; popfq; jmp *%rbx\n"
        "done: pushfq; pop %rax; pop %rbx; ret\n"
        "leaf: ret\n leaf2: ret $0\n"
        "t0: jmp done\n"
        "t1: call leaf; call leaf; jmp done\n"
        "t2: lea leaf(%rip), %rax; call *%rax; call *%rax; jmp done\n"
        "t3: lea done(%rip), %rax; push %rax; ret\n"
        "t4: jc 1f; jz 1f; jo 1f; js 1f; jp 1f; 1: jmp done\n"
        "t5: mov $100, %ecx; 1: call leaf2; lea -1(%rcx), %rcx; jrcxz 2f; jmp 1b; 2: jmp done\n"
        "t6: mov $20, %ecx; 1: lea leaf(%rip), %rax; call *%rax; loop 1b; jmp done\n"
        "t7: call 1f; 1: lea 8(%rsp), %rsp; jmp *done_pointer(%rip)\n"
        "t8: call 1f; jmp done; 1: mov $24, %eax; syscall; ret\n" /* sched_yield */
        ".section .data.rel.ro,\"aw\"; through_table: .quad t0, t1, t2, t3, t4, t5, t6, t7, t8; done_pointer: .quad done; .text\n");

int main(void)
{
    static const unsigned bits[] = {0x1, 0x4, 0x10, 0x40, 0x80, 0x800};
    for (uint64_t how = 0; how < 9; how++) {
        uint64_t sum = 0;
        for (unsigned i = 0; i < 64; i++) {
            uint64_t fl = 0x202;
            for (int b = 0; b < 6; b++)
                fl |= i >> b & 1 ? bits[b] : 0;
            uint64_t r = through(fl, how);
            if ((r & FLAGS_ALL) != (fl & FLAGS_ALL))
                printf("%lu: %03lx became %03lx\n", how, fl & FLAGS_ALL, r & FLAGS_ALL);
            sum += r & FLAGS_ALL;
        }
        printf("%lu sum %lx\n", how, sum);
    }
    return 0;
}
