// SPDX-License-Identifier: Apache-2.0
// What code needs changes with the code that follows it: a function that accesses memory jumps to another page, which first overwrites all registers and later, made anew, adds them up.
#include "a_guest.h"

#define RX (PROT_READ | PROT_EXEC)

extern const uint8_t first_begin[], first_end[], kills_begin[], kills_end[], reads_begin[], reads_end[];
__asm__(".text\n"
        "first_begin: mov %rdi, %rax; mov $1, %ecx; mov $2, %edx; mov $3, %esi; mov $4, %r8d; mov $5, %r9d; mov $6, %r10d; mov $7, %r11d; cmp %edi, %edi; mov (%rsp), %rax; mov (%rsp), %rax; mov %rdi, %rax; .byte 0xe9; .long 0x1000 - (1f - first_begin); 1:\n"
        "first_end:\n"
        "kills_begin: mov $10, %eax; mov $11, %ecx; mov $12, %edx; mov $13, %esi; mov $14, %r8d; mov $15, %r9d; mov $16, %r10d; mov $17, %r11d; test %eax, %eax; ret\n"
        "kills_end:\n"
        "reads_begin: jne 1f; add %rcx, %rax; add %rdx, %rax; add %rsi, %rax; add %r8, %rax; add %r9, %rax; add %r10, %rax; add %r11, %rax; 1: ret\n"
        "reads_end:\n");

static void put(uint8_t *at, const uint8_t *begin, const uint8_t *end)
{
    CHECK(mprotect(at, PAGE, PROT_READ | PROT_WRITE) == 0);
    memcpy(at, begin, (size_t)(end - begin));
    CHECK(mprotect(at, PAGE, RX) == 0);
}

int main(void)
{
    uint8_t *m = arena_map(0, 2, RX);
    long (*f)(long) = (long (*)(long))m;
    put(m, first_begin, first_end);
    for (int i = 0; i < 6; i++) {
        put(m + PAGE, i & 1 ? reads_begin : kills_begin, i & 1 ? reads_end : kills_end);
        printf("%ld", f(1000 * i));
        printf(" %ld\n", f(1000 * i + 1));
    }
    return 0;
}
