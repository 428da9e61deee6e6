/* SPDX-License-Identifier: Apache-2.0
 * A guest for gdb: calls, loops, memory on stack and heap, longjmp, code that it writes itself. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct pair {
    int key;
    double value;
};

int total;
static jmp_buf back;

static int twice(int x)
{
    return 2 * x;
}

static int add(int x)
{
    int more = twice(x);
    total += more;
    return total;
}

static void jump(int n)
{
    longjmp(back, n);
}

static int factorial(int n)
{
    if (n < 2)
        return 1;
    return n * factorial(n - 1);
}

static int written(void)
{
    static const unsigned char code[2][6] = {{0xb8, 7, 0, 0, 0, 0xc3}, {0xb8, 9, 0, 0, 0, 0xc3}};
    unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        memcpy(at, code[i], sizeof code[i]);
        sum += ((int (*)(void))at)();
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct pair *p = calloc(4, sizeof *p);
    int i, way;
    for (i = 0; i < 10; i++)
        add(i);
    for (i = 0; i < 4; i++)
        p[i].key = i * argc;
    p[2].value = 2.5;
    way = setjmp(back);
    if (!way)
        jump(5);
    printf("%s %d %d %d %d\n", strrchr(argv[0], '/') + 1, total, way, factorial(5), written());
    free(p);
    return 3;
}
