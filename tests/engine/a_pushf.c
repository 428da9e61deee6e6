// pushf and popf: every flag that a program may change comes back, reserved and system ones stay as they are.
#include "a_guest.h"

static uint64_t round_trip(uint64_t fl)
{
    uint64_t r;
    __asm__ volatile("pushfq; pop %%rdx; push %1; popfq; pushfq; pop %0; push %%rdx; popfq; cld" : "=&r"(r) : "r"(fl) : "rdx", "cc");
    return r;
}

int main(void)
{
    for (int bit = 0; bit < 22; bit++)
        if (bit != 8) // TF has a guest of its own
            printf("%2d %06lx\n", bit, round_trip(1ul << bit));
    printf("all %06lx\n", round_trip(0x3ffeff));
    printf("none %06lx\n", round_trip(0));
    printf("high %06lx\n", round_trip(0xffffffff00000000));
    uint16_t w;
    __asm__ volatile("pushw $0x4ed7; popfw; pushfw; popw %0; cld" : "=r"(w)::"cc");
    printf("word %04x\n", w);
    uint64_t above; // ID is not of the word
    __asm__ volatile("pushfq; pop %%rdx; mov %%rdx, %%rcx; or $0x200000, %%rcx; push %%rcx; popfq; pushw $0x4ed7; popfw; pushfq; pop %0; push %%rdx; popfq; cld" : "=r"(above)::"rcx", "rdx", "cc");
    printf("above the word %06lx\n", above & 0x3ffeff);
    for (unsigned i = 0; i < 256; i++) {
        uint64_t a = i << 8, b, of;
        __asm__ volatile("mov $0x7f, %%cl; add %%cl, %%cl; sahf; mov $0, %%eax; lahf; seto %%al; mov %%rax, %1" : "+a"(a), "=r"(b)::"rcx", "cc");
        of = b & 1;
        CHECK(of == 1 && (b >> 8 & 0xff) == ((i & 0xd5) | 2));
    }
    uint64_t fl;
    __asm__ volatile("clc; cmc; pushfq; pop %0; std; pushfq; cld; orq (%%rsp), %0; popfq; cld" : "=r"(fl)::"cc");
    printf("%lx\n", fl & 0x401);
    return 0;
}
