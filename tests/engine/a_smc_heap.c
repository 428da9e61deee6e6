// A function copied into malloc'ed memory that is made executable; the heap around it is used meanwhile.
#include "a_guest.h"

extern char add_begin[], add_end[];
__asm__(".text\nadd_begin: lea (%rdi,%rsi), %rax; imul $3, %rax, %rax; cmp $100, %rax; jle 1f; sub $100, %rax; 1: ret\nadd_end:\n");

int main(void)
{
    long total = 0;
    for (int i = 0; i < 100; i++) {
        char *p = aligned_alloc(PAGE, 2 * PAGE);
        CHECK(p && mprotect(p, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
        char *at = p + 16 + i;
        memcpy(at, add_begin, (size_t)(add_end - add_begin));
        for (long k = 0; k < 20; k++) {
            char *other = malloc(100);
            memset(other, 1, 100);
            total += ((long (*)(long, long))(uintptr_t)at)(k, i);
            free(other);
        }
        CHECK(mprotect(p, 2 * PAGE, PROT_READ | PROT_WRITE) == 0);
        free(p);
    }
    printf("%ld\n", total);
    return 0;
}
