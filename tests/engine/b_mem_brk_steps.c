// SPDX-License-Identifier: Apache-2.0
// 2000 small steps of the break up and down are all honoured, next to malloc, which uses it too.
#include "b_check.h"

int main(void)
{
    free(malloc(100));
    char *base = sbrk(0);
    unsigned sum = 0;
    for (int i = 0; i < 2000; i++) {
        char *p = sbrk(1000);
        CHECK(p == base + (long)i * 1000);
        memset(p, i, 1000);
    }
    for (int i = 1999; i >= 0; i--) {
        sum = sum * 31 + (unsigned char)base[i * 1000 + 999];
        CHECK((char *)sbrk(-1000) == base + (long)(i + 1) * 1000);
    }
    void *blocks[200];
    for (int i = 0; i < 200; i++)
        CHECK((blocks[i] = malloc(5000)) != 0);
    for (int i = 0; i < 200; i++)
        free(blocks[i]);
    say("sum %u\n", sum);
    return 0;
}
