// A program that patches an immediate of the very next instructions, in straight-line code.
// test: cc=-Wl,-z,noexecstack
#include "a_guest.h"

int patch_next(int value), patch_odd(int value), patch_later(int value);
extern char patch_page[];
__asm__(".text; .balign 4096; patch_page:\n"
        "patch_next: mov %edi, 1f+1(%rip); 1: mov $0, %eax; ret\n"
        ".balign 16; .skip 10, 0x90; patch_odd: mov %edi, 1f+1(%rip); 1: mov $0, %eax; ret\n"
        "patch_later: mov %edi, 2f+1(%rip); mov %edi, %ecx; add $1, %ecx; mov %ecx, 3f+2(%rip); nop\n"
        "2: mov $0, %eax; mov %edi, %ecx; 3: .byte 0x81, 0xf1, 0, 0, 0, 0; lea (%rax,%rcx), %eax; ret\n"
        ".balign 4096\n");

int main(void)
{
    CHECK(mprotect(patch_page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
    for (int i = 0; i < 300; i++) {
        int r = patch_next(i * 3);
        int odd = patch_odd(i * 5); /* at an address with other calls (everylight.cpp) */
        if (r != i * 3 || odd != i * 5)
            printf("%d gave %d, %d\n", i, r, odd);
    }
    unsigned sum = 0;
    for (int i = 0; i < 300; i++)
        sum = sum * 31 + (unsigned)patch_later(i);
    printf("%x\n", sum);
    return 0;
}
