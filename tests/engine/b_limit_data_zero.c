// SPDX-License-Identifier: Apache-2.0
// A soft limit of 0 for data forbids brk; what is mapped is bounded by the hard limit then.
#include "b_limit.h"

#define RW (PROT_READ | PROT_WRITE)

int main(void)
{
    unsigned long all, data;
    limit_sums(&all, &data);
    struct rlimit r = { 0, data + 1024 * PAGE };
    void *was = sbrk(0);
    CHECK(setrlimit(RLIMIT_DATA, &r) == 0);
    void *grown = sbrk(PAGE);
    int err = errno;
    say("brk %d errno %d\n", grown == (void *)-1, err);
    CHECK(sbrk(0) == was);
    char *p = limit_map(32, RW, MAP_PRIVATE);
    CHECK(p != MAP_FAILED);
    p[32 * PAGE - 1] = 1;
    NO_MEMORY(limit_map(1200, RW, MAP_PRIVATE));
    CHECK(limit_map(1000, PROT_READ, MAP_PRIVATE) != MAP_FAILED);
    CHECK(mprotect(p, 32 * PAGE, PROT_READ) == 0);
    NO_MEMORY(limit_map(1200, RW, MAP_PRIVATE));
    return 0;
}
