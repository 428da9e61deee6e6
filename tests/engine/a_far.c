// Far transfers that stay in the same code segment: retfq, iretq, far call and jump through memory (m16:32, the form that AMD has too).
// test: cc=-no-pie -fno-pie
#include "a_guest.h"

uint64_t far_all(uint64_t x);
uint64_t far_flags;
uint64_t far_sp_delta;
__asm__(".text\nfar_all: mov %rdi, %rax; mov %rsp, %r9; mov %cs, %ecx; mov %ss, %r8d\n"
        // lretq
        "push %rcx; lea 1f(%rip), %rdx; push %rdx; lretq; ud2\n 1: add $1, %rax\n"
        // lretq $16
        "sub $16, %rsp; push %rcx; lea 1f(%rip), %rdx; push %rdx; lretq $16; ud2\n 1: add $2, %rax\n"
        // iretq, with flags
        "mov %rsp, %rdx; push %r8; push %rdx; pushq $0x8d7; push %rcx; lea 1f(%rip), %rdx; push %rdx; iretq; ud2\n"
        "1: pushfq; pop far_flags(%rip); add $4, %rax\n"
        // ljmp *m16:32
        "lea 1f(%rip), %rdx; mov %edx, far_pointer(%rip); mov %cx, far_pointer+4(%rip); ljmp *far_pointer(%rip); ud2\n 1: add $8, %rax\n"
        // lcall *m16:32, and a far return with 32-bit operands
        "lea 2f(%rip), %rdx; mov %edx, far_pointer(%rip); lcall *far_pointer(%rip); add $16, %rax\n"
        "sub %rsp, %r9; mov %r9, far_sp_delta(%rip); ret\n"
        "2: add $32, %rax; cmp %cx, 4(%rsp); jne 3f; lretl; 3: ud2\n"
        ".data; far_pointer: .quad 0, 0; .text\n");

int main(void)
{
    uint64_t r = far_all(1000);
    printf("%lu flags %lx sp %ld\n", r, far_flags & FLAGS_ALL, (long)far_sp_delta);
    CHECK(r == 1063);
    for (int i = 0; i < 1000; i++)
        CHECK(far_all(r) == r + 63);
    return 0;
}
