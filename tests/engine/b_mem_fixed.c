// SPDX-License-Identifier: Apache-2.0
// MAP_FIXED replaces, MAP_FIXED_NOREPLACE refuses with EEXIST, a hint is honoured where the place is free.
#include "b_check.h"
#include <sys/mman.h>

#define RW (PROT_READ | PROT_WRITE)
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

int main(void)
{
    char *p = mmap(0, 16 * 4096, RW, ANON, -1, 0);
    CHECK(p != MAP_FAILED);
    memset(p, 1, 16 * 4096);
    CHECK(mmap(p + 4096, 4096, RW, ANON | MAP_FIXED, -1, 0) == p + 4096);
    CHECK(p[0] == 1 && p[4096] == 0 && p[8192] == 1);
    CHECK_ERR(mmap(p, 4096, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0), EEXIST);
    CHECK(munmap(p + 8 * 4096, 4096) == 0);
    CHECK(mmap(p + 8 * 4096, 4096, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0) == p + 8 * 4096);
    CHECK(munmap(p + 8 * 4096, 4096) == 0);
    CHECK(mmap(p + 8 * 4096, 4096, RW, ANON, -1, 0) == p + 8 * 4096);
    CHECK(p[8 * 4096] == 0 && p[9 * 4096] == 1);
    CHECK_ERR(mmap(p + 1, 4096, RW, ANON | MAP_FIXED, -1, 0), EINVAL);
    CHECK_ERR(mmap(0, 0, RW, ANON, -1, 0), EINVAL);
    CHECK_ERR(mmap(0, 4096, RW, MAP_PRIVATE, -1, 0), EBADF);
    CHECK_ERR(mmap(0, 1L << 50, RW, ANON, -1, 0), ENOMEM);
    CHECK_ERR(munmap(p + 1, 4096), EINVAL);
    CHECK(munmap(p, 16 * 4096) == 0 && munmap(p, 16 * 4096) == 0);
    char *low = mmap((void *)0x20000000, 4096, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(low == (void *)0x20000000);
    char *in31 = mmap(0, 4096, RW, ANON | MAP_32BIT, -1, 0);
    CHECK(in31 != MAP_FAILED && (uintptr_t)in31 < 1ul << 31);
    say("fixed ok\n");
    return 0;
}
