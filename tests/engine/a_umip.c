// test: modes=plain,one,tool,light,rewrite
// SPDX-License-Identifier: Apache-2.0
// Instructions that the kernel carries out because programs may not (sidt, sgdt, sldt, str, smsw), to the stack and elsewhere, with segment prefixes that mean nothing.
#include <stdio.h>
#include <string.h>

static unsigned char data[16];

static void show(const char *what, unsigned char *p)
{
    printf("%s:", what);
    for (int i = 0; i < 12; i++)
        printf(" %02x", p[i]);
    printf("\n");
    memset(p, 0x55, 16);
}

#define TRY(prefix, what)                                                                      \
    do {                                                                                       \
        unsigned char stack[16];                                                               \
        memset(stack, 0x55, sizeof stack);                                                     \
        __asm__ volatile("push %%rbp; mov %0, %%rbp; " prefix what " (%%rbp); pop %%rbp" ::"r"(stack) : "memory"); \
        show(what " " prefix " stack", stack);                                                  \
        __asm__ volatile(prefix what " %0" : "=m"(data));                                       \
        show(what " " prefix " data", data);                                                    \
    } while (0)
#define TRY_ALL(what) do { TRY("", what); TRY(".byte 0x26; ", what); TRY(".byte 0x2e; ", what); TRY(".byte 0x36; ", what); } while (0)

int main(void)
{
    memset(data, 0x55, sizeof data);
    TRY_ALL("sidt");
    TRY_ALL("sgdt");
    TRY_ALL("smsw");
    return 0;
}
