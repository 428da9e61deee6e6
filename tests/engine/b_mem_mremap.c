// SPDX-License-Identifier: Apache-2.0
// mremap grows in place, moves with contents, moves to a fixed place, shrinks, and refuses what it must.
#include "b_check.h"
#include <sys/mman.h>

#define RW (PROT_READ | PROT_WRITE)
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

int main(void)
{
    char *p = mmap(0, 64 * 4096, RW, ANON, -1, 0);
    CHECK(p != MAP_FAILED && munmap(p + 4 * 4096, 4 * 4096) == 0);
    for (int i = 0; i < 4; i++)
        p[i * 4096] = 'a' + i;
    CHECK(mremap(p, 4 * 4096, 8 * 4096, 0) == p);
    CHECK(p[3 * 4096] == 'd' && p[5 * 4096] == 0);
    CHECK_ERR(mremap(p, 8 * 4096, 9 * 4096, 0), ENOMEM);
    char *q = mremap(p, 8 * 4096, 80 * 4096, MREMAP_MAYMOVE);
    CHECK(q != MAP_FAILED && q != p && q[4096] == 'b' && q[79 * 4096] == 0);
    char *place = mmap(0, 80 * 4096, PROT_NONE, ANON, -1, 0);
    CHECK(mremap(q, 80 * 4096, 80 * 4096, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place);
    CHECK(place[2 * 4096] == 'c');
    CHECK(mremap(place, 80 * 4096, 4096, 0) == place && place[0] == 'a');
    char *dup = mremap(place, 4096, 4096, MREMAP_MAYMOVE | 4 /* DONTUNMAP */);
    CHECK(dup != MAP_FAILED && dup[0] == 'a' && place[0] == 0);
    CHECK_ERR(mremap(place + 1, 4096, 8192, MREMAP_MAYMOVE), EINVAL);
    CHECK_ERR(mremap((void *)0x10000, 4096, 8192, MREMAP_MAYMOVE), EFAULT);
    say("mremap ok\n");
    return 0;
}
