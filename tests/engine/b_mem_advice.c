// SPDX-License-Identifier: Apache-2.0
// madvise DONTNEED zeroes private memory and rereads files; mincore and mlock answer as they do natively.
#include "b_check.h"
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define ALL ((1ul << 47) - 4096)

static void everywhere(const char *what, unsigned long start, unsigned long bytes, int mode, unsigned long nodes)
{
    say("%s: %d\n", what, syscall(SYS_mbind, start, bytes, mode, nodes ? &nodes : 0, nodes ? 64 : 0, 0) ? errno : 0);
}

int main(void)
{
    char *p = mmap(0, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char in[8];
    CHECK(p != MAP_FAILED && madvise(p, 8 * 4096, MADV_NOHUGEPAGE) == 0);
    CHECK(mincore(p, 8 * 4096, in) == 0);
    for (int i = 0; i < 8; i++)
        say("%d", in[i] & 1);
    p[0] = p[3 * 4096] = p[7 * 4096] = 1;
    CHECK(mincore(p, 8 * 4096, in) == 0);
    for (int i = 0; i < 8; i++)
        say("%d", in[i] & 1);
    CHECK(madvise(p, 4 * 4096, MADV_DONTNEED) == 0 && p[0] == 0 && p[3 * 4096] == 0 && p[7 * 4096] == 1);
    CHECK(mlock(p, 2 * 4096) == 0);
    CHECK(mincore(p, 2 * 4096, in) == 0 && (in[0] & 1) && (in[1] & 1));
    CHECK_ERR(madvise(p, 4096, MADV_DONTNEED), EINVAL);
    CHECK(munlock(p, 2 * 4096) == 0 && madvise(p, 4096, MADV_DONTNEED) == 0);
    CHECK_ERR(madvise(p, 4096, 9999), EINVAL);
    CHECK_ERR(madvise(p + 1, 4096, MADV_NORMAL), EINVAL);
    CHECK(munmap(p + 4096, 4096) == 0);
    CHECK_ERR(mincore(p, 3 * 4096, in), ENOMEM);
    CHECK_ERR(mlock(p, 3 * 4096), ENOMEM);
    CHECK(munlock(p, 4096) == 0);
    CHECK_ERR(madvise(p, 3 * 4096, MADV_DONTNEED), ENOMEM);
    CHECK_ERR(mprotect(p, 3 * 4096, PROT_READ), ENOMEM);
    say("\n");
    everywhere("policies taken away", 0, ALL, MPOL_DEFAULT, 0);
    everywhere("policies taken away where there is nothing", 0, 4096, MPOL_DEFAULT, 0);
    everywhere("no policy with nodes", 0, ALL, MPOL_DEFAULT, 1);
    everywhere("a policy over holes", 0, ALL, MPOL_PREFERRED, 1);
    everywhere("a policy", (unsigned long)p, 4096, MPOL_PREFERRED, 1);
    say("advice over holes %d", madvise(0, ALL, MADV_NORMAL) ? errno : 0);
    say("\nadvice ok\n");
    return 0;
}
