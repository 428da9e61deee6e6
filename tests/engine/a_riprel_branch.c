// Branches through RIP-relative memory, registers, scaled tables, and memory at the stack pointer.
#include "a_guest.h"

extern void *cells[3];
long branch_rip(long), branch_table(long), branch_stack(long), branch_rsp_call(long), branch_reg(long);
__asm__(".text\n"
        "branch_rip: mov %rdi, %rax; jmp *cells(%rip)\n"
        "branch_reg: lea 1f(%rip), %r11; mov %rdi, %rax; jmp *%r11; ud2; 1: add $10, %rax; ret\n"
        "branch_table: lea cells(%rip), %rdx; mov %rdi, %rax; and $1, %edi; jmp *(%rdx,%rdi,8)\n"
        "branch_stack: mov %rdi, %rax; lea plus1(%rip), %rdx; push %rdx; sub $8, %rsp; call *8(%rsp); add $16, %rsp; ret\n"
        "branch_rsp_call: mov %rdi, %rax; lea plus1(%rip), %rdx; push %rdx; call *(%rsp); jmp 1f; ud2; 1: pop %rdx; call *cells+8(%rip); ret\n"
        "plus1: inc %rax; ret\n"
        "plus2: add $2, %rax; ret\n"
        ".data\ncells: .quad plus1, plus2, 0\n.text\n");

int main(void)
{
    for (long i = 0; i < 6; i++)
        printf("%ld %ld %ld %ld %ld\n", branch_rip(i), branch_reg(i), branch_table(i), branch_stack(i), branch_rsp_call(i));
    void *t = cells[0];
    cells[0] = cells[1], cells[1] = t;
    printf("%ld %ld %ld\n", branch_rip(0), branch_table(0), branch_rsp_call(0));
    return 0;
}
