// push and pop in all forms: immediates, 16-bit, memory relative to rsp before and after the change, rsp itself, segments.
#include "a_guest.h"

static uint64_t stack[64];

#define RUN(text)                                                                                                               \
    do {                                                                                                                        \
        uint64_t a = 0x1122334455667788, d, base = (uint64_t)(stack + 32);                                                      \
        for (unsigned i = 0; i < 64; i++)                                                                                       \
            stack[i] = 0xa0 + i;                                                                                                \
        __asm__ volatile("mov %%rsp, %%r12; mov %2, %%rsp; " text "; mov %%rsp, %1; mov %%r12, %%rsp" : "+a"(a), "=&d"(d) : "r"(base) : "r12", "rcx", "memory"); \
        printf("%-40s a %s sp %+ld:", text, name(a, buf), (long)(d - base));                                                   \
        for (int i = 28; i < 36; i++)                                                                                           \
            printf(" %s", name(stack[i], buf));                                                                                 \
        printf("\n");                                                                                                           \
    } while (0)

static const char *name(uint64_t v, char *buf)
{
    uint64_t base = (uint64_t)stack;
    if (v >= base && v < base + sizeof stack)
        sprintf(buf, "@%ld", (long)(v - base) - 256);
    else
        sprintf(buf, "%lx", v);
    return buf;
}

int main(void)
{
    char buf[32];
    RUN("push $0x7f");
    RUN("push $-1");
    RUN("push $0x12345678");
    RUN("push $-0x12345678");
    RUN("pushw $0x1234");
    RUN("push %%ax; push %%rax");
    RUN("push %%rsp; pop %%rax");
    RUN("push %%rsp");
    RUN("pop %%rsp; lea stack+240(%%rip), %%rsp");
    RUN("pushq 8(%%rsp)");
    RUN("popq 8(%%rsp)"); // the address is taken after the pop
    RUN("popq (%%rsp)");
    RUN("pushw 2(%%rsp); popw 16(%%rsp)");
    RUN("push %%fs; push %%gs; pop %%rax; pop %%rcx");
    RUN("mov $3, %%ecx; pushq 8(%%rsp,%%rcx,8)");
    RUN("pop %%ax; pop %%cx");
    RUN("xchg %%rax, (%%rsp); xchg %%rax, 8(%%rsp)");
    RUN("push %%rax; add %%rax, (%%rsp); pop %%rax");
    RUN("lea -8(%%rsp), %%rsp; mov %%rsp, %%rcx; mov %%rcx, (%%rsp)");
    RUN("mov $5, %%al; push %%rax; addb $3, (%%rsp); pop %%rax");
    return 0;
}
