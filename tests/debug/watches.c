/* SPDX-License-Identifier: Apache-2.0
 * A guest for gdb: memory that is watched, on heap, stack and in variables, written by all kinds of instructions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    long key;
    char name[24];
};

int counter;
volatile int seen;

static void fill(struct item *it, int n)
{
    it[1].key = n;
    memset(it[1].name, 'x', sizeof it[1].name);
    it[1].name[5] = 'q';
    it[0].key = -n;
}

static int on_stack(void)
{
    volatile int local = 1;
    for (int i = 0; i < 3; i++)
        local += i;
    return local;
}

int main(void)
{
    struct item *it = calloc(4, sizeof *it);
    for (int i = 0; i < 5; i++)
        counter += i;
    fill(it, 7);
    __asm__ volatile("lock xaddl %0, %1; incl %1" : : "r"(3), "m"(counter) : "memory", "cc");
    seen = counter;
    seen = seen + on_stack();
    printf("%d %ld\n", seen, it[1].key);
    free(it);
    return 0;
}
