// SPDX-License-Identifier: Apache-2.0
// RLIMIT_DATA counts the program's private writable memory, to the page: mmap, mprotect, mremap and brk say ENOMEM exactly where they do natively.
#include "b_limit.h"

#define RW (PROT_READ | PROT_WRITE)

int main(void)
{
    unsigned long all, data;
    char *ro = limit_map(32, PROT_READ, MAP_PRIVATE), *first = limit_map(8, RW, MAP_PRIVATE);
    char *gap = limit_map(64, PROT_NONE, MAP_PRIVATE);
    CHECK(ro != MAP_FAILED && first != MAP_FAILED && munmap(gap, 64 * PAGE) == 0);
    limit_sums(&all, &data);
    struct rlimit r = { data + 64 * PAGE + 100, INF };
    CHECK(setrlimit(RLIMIT_DATA, &r) == 0);
    int n = 0;
    while (limit_map(16, RW, MAP_PRIVATE) != MAP_FAILED)
        n++;
    say("%d pieces, errno %d\n", n, errno);
    NO_MEMORY(limit_map(1, RW, MAP_PRIVATE));
    NO_MEMORY(limit_map(100, RW, MAP_SHARED));
    NO_MEMORY(limit_map(100, PROT_READ, MAP_PRIVATE));
    NO_MEMORY(limit_map(100, RW, MAP_PRIVATE | MAP_GROWSDOWN));
    NO_MEMORY(mmap(first, 4 * PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
    NO_MEMORY(mremap(first, 8 * PAGE, 9 * PAGE, MREMAP_MAYMOVE));
    CHECK_ERR(mprotect(ro, 32 * PAGE, RW), ENOMEM);
    CHECK(mprotect(first, 8 * PAGE, PROT_READ | PROT_WRITE) == 0); /* what is data already stays so */
    first[0] = 1;
    CHECK(munmap(first + 4 * PAGE, 4 * PAGE) == 0);
    CHECK(mprotect(ro, 4 * PAGE, RW) == 0);
    CHECK_ERR(mprotect(ro + 4 * PAGE, PAGE, RW), ENOMEM);
    ro[0] = 1;
    CHECK(mprotect(ro, 4 * PAGE, PROT_READ) == 0); /* no longer data */
    NO_MEMORY(limit_map(4, RW, MAP_PRIVATE));
    NO_MEMORY(limit_map(1, RW, MAP_PRIVATE));
    r.rlim_cur = INF;
    CHECK(setrlimit(RLIMIT_DATA, &r) == 0);
    NO_MEMORY(limit_map(5000, RW, MAP_PRIVATE));
    return 0;
}
