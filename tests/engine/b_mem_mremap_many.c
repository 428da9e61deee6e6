// SPDX-License-Identifier: Apache-2.0
// mremap of a range with a hole in it: refused, or (Linux 6.17) its mappings move and the hole replaces nothing. Code in what stays at the new place runs on.
#include "b_check.h"
#include <sys/mman.h>

#define PAGE 4096ul

int main(void)
{
    unsigned char *from = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), there;
    unsigned char *to = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(from != MAP_FAILED && to != MAP_FAILED && munmap(from + PAGE, PAGE) == 0);
    memcpy(to + PAGE, "\xb8\x2a\0\0\0\xc3", 6); /* mov $42, %eax; ret */
    from[0] = 1;
    void *r = mremap(from, 3 * PAGE, 3 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    say("moved: %d %d\n", r == to, r == MAP_FAILED ? errno : 0);
    for (int i = 0; i < 3; i++)
        say("page %d: %d %d\n", i, mincore(from + i * PAGE, PAGE, &there), mincore(to + i * PAGE, PAGE, &there));
    if (mincore(to + PAGE, PAGE, &there) == 0)
        say("code: %d\n", ((int (*)(void))(to + PAGE))());
    return 0;
}
