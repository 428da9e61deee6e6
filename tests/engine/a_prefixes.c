// Prefixes in odd orders, repeated and without effect; hints; operand-size with REX.W.
#include "a_guest.h"

uint64_t cell = 0x1122334455667788;
#define RUN(text)                                                                                                               \
    do {                                                                                                                        \
        uint64_t a = 0x0102030405060708, d = (uint64_t)&cell, c = 3, fl;                                                        \
        __asm__ volatile("cmp %%al, %%al; " text "; pushfq; pop %3" : "+a"(a), "+d"(d), "+c"(c), "=r"(fl)::"memory", "cc", "r8", "rdi"); \
        printf("%-46s %lx %lx fl %03lx cell %lx\n", text, a, c, fl & FLAGS_ALL, cell);                                          \
    } while (0)

int main(void)
{
    RUN(".byte 0x66, 0x66, 0x66, 0x01, 0xc9");             // add %cx, %cx
    RUN(".byte 0x66, 0x48, 0x01, 0xc9");                   // REX.W beats 66
    RUN(".byte 0x48, 0x66, 0x01, 0xc9");                   // a REX that is not last counts for nothing
    RUN(".byte 0x2e, 0x3e, 0x26, 0x36, 0x48, 0x8b, 0x02"); // segment overrides without effect
    RUN(".byte 0x3e, 0x66, 0x2e, 0x8b, 0x02");
    RUN(".byte 0xf2, 0x48, 0x8b, 0x02");                   // repne on mov
    RUN(".byte 0xf3, 0x48, 0x8b, 0x02");                   // rep on mov
    RUN(".byte 0xf2, 0xf0, 0x48, 0x01, 0x0a");             // xacquire lock add
    RUN(".byte 0xf3, 0x48, 0x89, 0x0a");                   // xrelease mov
    RUN(".byte 0x48, 0x48, 0x48, 0x01, 0xc9");             // the last REX counts
    RUN(".byte 0x2e, 0x74, 0x02, 0x01, 0xc9, 0x01, 0xc9"); // je with a not-taken hint
    RUN(".byte 0x3e, 0x75, 0x02, 0x01, 0xc9, 0x01, 0xc9");
    RUN(".byte 0xf3, 0x90");                               // pause
    RUN(".byte 0xf2, 0x90");
    RUN("mov $9, %%r8d; .byte 0x49, 0x90");                               // xchg %r8, %rax
    RUN("mov $9, %%r8d; mov (%%rdx), %%rcx; mov %%rcx, (%%rdx); .byte 0xf3, 0x49, 0x90; mov %%r8, %%rcx"); // an exchange all the same, not pause
    RUN("mov $9, %%r8d; mov (%%rdx), %%rcx; mov %%rcx, (%%rdx); .byte 0xf3, 0x41, 0x90; mov %%r8, %%rcx");
    RUN("mov $9, %%r8d; mov (%%rdx), %%rcx; mov %%rcx, (%%rdx); .byte 0xf3, 0x4a, 0x45, 0x90; mov %%r8, %%rcx");
    RUN("mov %%rdx, %%rdi; .byte 0x48, 0xf3, 0xaf; sub %%rdx, %%rdi; mov %%rdi, %%rax"); // repe scasd: the REX counts for nothing, also for each of its iterations
    RUN("mov %%rdx, %%rdi; mov $1, %%ecx; .byte 0xf3, 0x48, 0x66, 0xaf; sub %%rdx, %%rdi; mov %%rdi, %%rax");
    RUN(".byte 0x66, 0x90");
    RUN(".byte 0xf3, 0x0f, 0xbc, 0x0a");                   // tzcnt
    RUN(".byte 0xf3, 0x66, 0x0f, 0xb8, 0x0a");             // popcnt with 66 behind
    RUN(".byte 0x66, 0xf3, 0x0f, 0xb8, 0x0a");
    RUN(".byte 0xf2, 0xe8, 0, 0, 0, 0; pop %%rcx; xor %%ecx, %%ecx"); // bnd call
    RUN("lea 1f(%%rip), %%rcx; .byte 0x3e; jmp *%%rcx; ud2; 1: xor %%ecx, %%ecx"); // notrack
    RUN("endbr64");
    RUN(".byte 0x67, 0x90");
    RUN(".byte 0x67, 0x48, 0x8d, 0x42, 0x01; mov $0, %%eax");
    return 0;
}
