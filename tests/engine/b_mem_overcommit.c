// SPDX-License-Identifier: Apache-2.0
// A mapping beyond the address space is refused with ENOMEM; sparse NORESERVE areas of 64 GiB work page by page.
#include "b_check.h"
#include <sys/mman.h>

int main(void)
{
    long big = 64L << 30;
    char *p = mmap(0, big, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(p != MAP_FAILED);
    for (long off = 0; off < big; off += 4L << 30)
        p[off + (off >> 10)] = (char)(off >> 32);
    unsigned sum = 0;
    for (long off = 0; off < big; off += 4L << 30)
        sum = sum * 7 + p[off + (off >> 10)];
    CHECK(munmap(p, big) == 0);
    CHECK_ERR(mmap(0, 1L << 48, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), ENOMEM);
    say("sum %u\n", sum);
    return 0;
}
