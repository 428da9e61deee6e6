// test: cc=-static -no-pie
// SPDX-License-Identifier: Apache-2.0
// Nothing but the program's own memory is there for it: calls about pages say so for every megabyte below 2 GiB, where the engine has its cache for a program like this one. What
// else is wrong with a call is found as natively.
#include "b_check.h"
#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE 4096ul
#define STEP (1ul << 20)
#define END (2ul << 30)

static unsigned long own[256][2];
static int owned;

static void read_maps(void)
{
    char line[512];
    FILE *f = fopen("/proc/self/maps", "r");
    CHECK(f);
    while (owned < 256 && fgets(line, sizeof line, f))
        if (sscanf(line, "%lx-%lx", &own[owned][0], &own[owned][1]) == 2)
            owned++;
    fclose(f);
}

static int is_own(unsigned long at)
{
    for (int i = 0; i < owned; i++)
        if (at >= own[i][0] && at < own[i][1])
            return 1;
    return 0;
}

static void probe(unsigned long at)
{
    void *p = (void *)at;
    unsigned char there;
    CHECK_ERR(mincore(p, PAGE, &there), ENOMEM);
    CHECK_ERR(msync(p, PAGE, MS_ASYNC), ENOMEM);
    CHECK_ERR(mlock(p, PAGE), ENOMEM);
    CHECK_ERR(syscall(SYS_mlock2, p, PAGE, 1), ENOMEM);
    CHECK_ERR(munlock(p, PAGE), ENOMEM);
    CHECK_ERR(madvise(p, PAGE, MADV_NORMAL), ENOMEM);
    CHECK_ERR(mprotect(p, PAGE, PROT_READ), ENOMEM);
    CHECK_ERR(msync(p, PAGE, 0x100), EINVAL);
    CHECK_ERR(syscall(SYS_mlock2, p, PAGE, 0x100), EINVAL);
    CHECK_ERR(madvise(p, PAGE, 12345), EINVAL);
    CHECK_ERR(syscall(SYS_pkey_mprotect, p, PAGE, PROT_READ, 77), EINVAL);
    CHECK_ERR(syscall(SYS_mremap, p, PAGE, PAGE, 0x100, 0), EINVAL);
    CHECK_ERR(syscall(SYS_mremap, p, PAGE, PAGE, MREMAP_MAYMOVE, 0), EFAULT);
    CHECK_ERR(syscall(SYS_mremap, p, 1ul << 63, PAGE, MREMAP_MAYMOVE, 0), EFAULT);
}

int main(void)
{
    int probed = 0;
    read_maps();
    for (unsigned long at = STEP; at < END; at += STEP)
        if (!is_own(at)) {
            probe(at);
            probed++;
        }
    say("%s\n", probed > 2000 ? "hidden" : "too few places");
    return 0;
}
