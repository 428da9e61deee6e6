// mprotect flips of the program's own text in a loop, with and without a change in between.
// test[pie]: cc=-pie -fPIE
// test[nopie]: cc=-no-pie -fno-pie
#include "a_guest.h"

int patched(void);
extern char text_page[];
__asm__(".text; .balign 4096; text_page: patched: mov $1, %eax; add $1, %eax; ret\n.balign 4096\n");

int main(void)
{
    unsigned sum = 0;
    for (int i = 0; i < 300; i++) {
        CHECK(mprotect(text_page, PAGE, PROT_READ | PROT_WRITE) == 0);
        if (i % 2)
            memcpy(text_page + 1, &i, sizeof i);
        CHECK(mprotect(text_page, PAGE, PROT_READ | PROT_EXEC) == 0);
        int r = patched();
        CHECK(i < 1 || r == (i % 2 ? i : i - 1) + 1);
        sum = sum * 31 + (unsigned)r;
    }
    printf("%x\n", sum);
    return 0;
}
