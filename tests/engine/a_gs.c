// The guest's own GS base: arch_prctl, gs: accesses of many kinds, rdgsbase and wrgsbase, and that FS is not disturbed.
// test: cc=-mfsgsbase
#include "a_guest.h"
#include <asm/prctl.h>
#include <sys/syscall.h>

static _Alignas(16) uint64_t one[8] = {1, 2, 3, 4, 5, 6, 7, 8}, two[8] = {101, 102, 103, 104};
static __thread int local = 5;

int main(void)
{
    unsigned long base = 1, v;
    CHECK(syscall(SYS_arch_prctl, ARCH_GET_GS, &base) == 0);
    printf("first %lx\n", base);
    CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, one) == 0);
    CHECK(syscall(SYS_arch_prctl, ARCH_GET_GS, &base) == 0 && base == (uintptr_t)one);
    __asm__ volatile("mov %%gs:8, %0" : "=r"(v));
    printf("%lu\n", v);
    __asm__ volatile("mov %%gs:(%1,%2,8), %0" : "=r"(v) : "r"(8l), "r"(2l));
    printf("%lu\n", v);
    __asm__ volatile("addq $40, %%gs:0; lock incq %%gs:0; pushq %%gs:16; popq %%gs:24" ::: "memory");
    printf("%lu %lu\n", one[0], one[3]);
    __asm__ volatile("paddq %%gs:0, %%xmm0; movq %%xmm0, %0; pxor %%xmm0, %%xmm0" : "=r"(v)::"xmm0");
    __asm__ volatile("mov $3, %%ecx; mov $8, %%esi; mov %1, %%rdi; rep movsq %%gs:(%%rsi), (%%rdi); mov (%1), %0" : "=r"(v) : "r"(two + 4) : "rcx", "rsi", "rdi", "memory");
    printf("%lu %lu %lu\n", v, two[5], two[6]);
    CHECK(__builtin_ia32_rdgsbase64() == (uintptr_t)one);
    __builtin_ia32_wrgsbase64((uintptr_t)two);
    __asm__ volatile(".byte 0x65; lea 8, %0" : "=r"(v)); // lea has no segment
    printf("%lu\n", v);
    __asm__ volatile("mov %%gs:0, %0" : "=r"(v));
    printf("%lu\n", v);
    CHECK(syscall(SYS_arch_prctl, ARCH_GET_GS, &base) == 0 && base == (uintptr_t)two);
    __builtin_ia32_wrgsbase64(0x123456789abc);
    printf("half %x", __builtin_ia32_rdgsbase32());
    __builtin_ia32_wrgsbase32(0x11112222); // clears what is above
    printf(" %llx", __builtin_ia32_rdgsbase64());
    __asm__ volatile("mov $0x33334444, %%r9d; .byte 0xf3, 0x41, 0x0f, 0xae, 0xd9; .byte 0xf3, 0x49, 0x0f, 0xae, 0xc9; mov %%r9, %0" : "=r"(v)::"r9"); // wrgsbase %r9d; rdgsbase %r9
    printf(" %lx\n", v);
    __builtin_ia32_wrgsbase64((uintptr_t)two);
    __asm__ volatile("call *%%gs:(%1)" : "=a"(v) : "r"(8l * 7) : "memory", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
    return (int)v + local - 5;
}
__attribute__((naked)) static void called(void)
{
    __asm__("mov $0, %eax; ret");
}
__attribute__((constructor)) static void fill(void)
{
    two[7] = (uintptr_t)called;
}
