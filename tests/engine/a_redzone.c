// Nothing but the program writes to its stack: the red zone and everything below it keep their contents over branches and system calls. Rule E4.
#include "a_guest.h"

uint64_t leaf(uint64_t turns);
// Fills 4096 words below the stack pointer with their index, runs jumps, system calls and cpuid, and counts the words that changed.
__asm__(".text\nleaf: push %rbx; push %r12; mov %rdi, %r12\n"
        "lea -32768(%rsp), %r8; xor %edi, %edi; 1: mov %rdi, (%r8,%rdi,8); inc %edi; cmp $4096, %edi; jb 1b\n"
        "2: lea 3f(%rip), %rax; jmp *%rax; ud2\n"
        "3: mov $110, %eax; syscall; mov $0, %eax; cpuid; lea 4f(%rip), %rax; jmp *%rax; ud2\n" // 110: getppid
        "4: test %r12, %r12; jz 5f; dec %r12; jnz 2b\n"
        "5: xor %eax, %eax; xor %edi, %edi; 6: cmp %rdi, (%r8,%rdi,8); je 7f; inc %rax; 7: inc %edi; cmp $4096, %edi; jb 6b\n"
        "pop %r12; pop %rbx; ret\n");

int main(void)
{
    volatile char room[65536]; // so that the stack is there
    room[0] = 1;
    for (uint64_t i = 0; i < 2000; i = i * 3 + 1)
        printf("%lu ", leaf(i));
    printf("%d\n", room[0]);
    return 0;
}
