// SPDX-License-Identifier: Apache-2.0
// Another process limits the memory of this one: from then on it gets what the limit leaves, and no less.
#include "b_limit.h"
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define MIB (1ul << 20)

static void limit(int resource, unsigned long soft, unsigned long hard)
{
    pid_t parent = getpid(), pid = fork();
    int st;
    if (!pid) {
        struct rlimit r = {soft, hard};
        _exit(prlimit(parent, (enum __rlimit_resource)resource, &r, NULL) ? errno : 0);
    }
    CHECK(waitpid(pid, &st, 0) == pid);
    CHECK(st == 0);
}

int main(void)
{
    unsigned long all, data;
    limit_sums(&all, &data);
    limit(RLIMIT_AS, all + 64 * MIB, INF);
    char *p = limit_map(32 * MIB / PAGE, PROT_READ, MAP_PRIVATE);
    CHECK(p != MAP_FAILED);
    NO_MEMORY(limit_map(33 * MIB / PAGE, PROT_READ, MAP_PRIVATE));
    limit_show("as", RLIMIT_AS);
    p = mremap(p, 32 * MIB, 63 * MIB, MREMAP_MAYMOVE);
    CHECK(p != MAP_FAILED);
    NO_MEMORY(mremap(p, 63 * MIB, 65 * MIB, MREMAP_MAYMOVE));
    CHECK(munmap(p, 63 * MIB) == 0);
    limit(RLIMIT_AS, all + 16 * MIB, INF);
    p = mremap(limit_map(1, PROT_READ, MAP_PRIVATE), PAGE, 8 * MIB, MREMAP_MAYMOVE);
    CHECK(p != MAP_FAILED);
    NO_MEMORY(mremap(p, 8 * MIB, 17 * MIB, MREMAP_MAYMOVE));
    limit(RLIMIT_AS, INF, INF); // and takes it back
    p = limit_map(256 * MIB / PAGE, PROT_READ, MAP_PRIVATE);
    NO_MEMORY(p);
    limit_sums(&all, &data);
    limit(RLIMIT_AS, all + 16 * MIB, INF);
    CHECK(sbrk(8 * (intptr_t)MIB) != (void *)-1);
    CHECK_ERR(sbrk(9 * (intptr_t)MIB), ENOMEM);
    limit_show("break", RLIMIT_AS);
    return 0;
}
