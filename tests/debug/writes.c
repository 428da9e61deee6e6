/* SPDX-License-Identifier: Apache-2.0
 * A guest for gdb: code that the program writes, and writes again, and jumps out of functions. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static unsigned char *code;
static jmp_buf back;

static void write_code(int v)
{
    const unsigned char bytes[] = {0xb8, (unsigned char)v, 0, 0, 0, 0x05, 1, 0, 0, 0, 0xc3}; /* mov, add, ret */
    memcpy(code, bytes, sizeof bytes);
}

static int call_code(void)
{
    return ((int (*)(void))code)();
}

static void here(int n)
{
    printf("at %d\n", n);
}

static void away(int n)
{
    if (n)
        longjmp(back, n);
}

int main(void)
{
    int sum = 0, i;
    code = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (i = 1; i < 6; i++) {
        write_code(i);
        here(i);
        sum += call_code();
    }
    switch (setjmp(back)) {
    case 0:
        away(3);
        break;
    case 3:
        sum += 100;
        away(0);
        away(4);
        break;
    default:
        sum += 1000;
    }
    printf("sum %d\n", sum);
    return 0;
}
