// Jumps into the middle of an instruction: the same bytes run as two different programs.
#include "a_guest.h"

long overlap(long which);
__asm__(".text\noverlap: xor %eax, %eax; lea 1f(%rip), %rdx; add %rdi, %rdx; jmp *%rdx\n"
        // +0: mov $0xc083c005, %eax; or $0x90, %al. +1: add $0x0cc083c0, %eax; nop. +3: add $0x0c, %eax; nop
        "1: .byte 0xb8, 0x05, 0xc0, 0x83, 0xc0, 0x0c, 0x90, 0x90\n"
        "ret\n"
        ".globl overlap_direct\noverlap_direct: xor %eax, %eax; test %edi, %edi; jz 3f\n"
        "2: .byte 0xeb, 0xff\n .byte 0xc0, 0x90\n" // eb ff jumps to its own second byte: ff c0 = inc %eax
        "ret\n 3: jmp 2b+1\n");
long overlap_direct(long);

int main(void)
{
    for (int i = 0; i < 3; i++) {
        printf("%lx %lx %lx", overlap(0) & 0xffffffff, overlap(1) & 0xffffffff, overlap(3) & 0xffffffff);
        printf(" %lx %lx\n", overlap_direct(0), overlap_direct(1));
    }
    return 0;
}
