/* SPDX-License-Identifier: Apache-2.0
 * An IA-32 program that writes code: runs it, changes its constant and its operation, moves it, in memory that is
 * writable and executable and in memory whose protection it changes; and makes and moves mappings. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef int fn(int);

static int run(unsigned char *p, int v) { return ((fn *)p)(v); }

int main(void)
{
    /* mov 4(%esp),%eax; add $n,%eax; ret */
    unsigned char code[] = {0x8b, 0x44, 0x24, 4, 5, 1, 0, 0, 0, 0xc3};
    unsigned char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int sum = 0;
    memcpy(p, code, sizeof code);
    for (int i = 0; i < 200; i++) {
        p[5] = (unsigned char)i;
        sum += run(p, i);
    }
    printf("%d\n", sum);
    p[4] = 0x2d; /* sub */
    printf("%d\n", run(p, 1000));
    mprotect(p, 4096, PROT_READ | PROT_EXEC);
    printf("%d\n", run(p, 1001));
    mprotect(p, 4096, PROT_READ | PROT_WRITE);
    p[4] = 0x35; /* xor */
    mprotect(p, 4096, PROT_READ | PROT_EXEC);
    printf("%d\n", run(p, 1002));
    unsigned char *q = mremap(p, 4096, 65536, MREMAP_MAYMOVE);
    printf("%d %d\n", q != MAP_FAILED, run(q, 1003));
    unsigned char *r = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *s = mremap(q, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, r);
    printf("%d %d\n", s == r, run(s, 1004));
    /* most of the address space is the program's */
    void *large = mmap(NULL, 0x70000000, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    printf("%d\n", large != MAP_FAILED);
    void *too_large = mmap(NULL, 0xfffff000, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    printf("%d\n", too_large == MAP_FAILED);
    return 0;
}
