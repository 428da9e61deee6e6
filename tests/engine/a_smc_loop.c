// A loop that changes its own body while it runs: an opcode, a displacement of a jump, and the loop's end.
#include "a_guest.h"

long change_loop(long n);
extern char change_page[], change_op[], change_jump[];
__asm__(".text; .balign 4096; change_page:\n"
        "change_loop: xor %eax, %eax; mov $1, %edx\n"
        "1: change_op: add %rdx, %rax\n"                            // 48 01 d0, becomes 48 29 d0 and back
        "xorb $0x28, change_op+1(%rip)\n"
        "change_jump: jmp 2f; add $1000, %rax; 2: add $100, %rax\n" // eb 06, becomes eb 00 and back
        "xorb $0x06, change_jump+1(%rip)\n"
        "inc %rdx; dec %rdi; jnz 1b; ret\n.balign 4096\n");

int main(void)
{
    CHECK(mprotect(change_page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
    printf("%02x %02x\n", change_op[1] & 0xff, change_jump[1] & 0xff);
    for (long i = 1; i < 400; i *= 2)
        printf("%ld ", change_loop(i));
    printf("\n%02x %02x\n", change_op[1] & 0xff, change_jump[1] & 0xff);
    return 0;
}
