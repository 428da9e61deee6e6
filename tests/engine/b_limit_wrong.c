// SPDX-License-Identifier: Apache-2.0
// mmap and mremap under a limit of the address space: what is wrong with the arguments is said first, and only what could be mapped does not fit.
#include "b_limit.h"

#define BYTES (1ul << 30)
#define SHOW(what, call) say("%s: %d\n", what, (call) == MAP_FAILED ? errno : 0)

static void map(const char *what, void *at, int prot, int flags, int fd, long off)
{
    SHOW(what, mmap(at, BYTES, prot, flags, fd, off));
}

int main(void)
{
    int file = open("/proc/self/exe", O_RDONLY), dir = open("/", O_RDONLY), path = open("/", O_PATH);
    char *page = limit_map(4, PROT_READ | PROT_WRITE, MAP_PRIVATE);
    CHECK(file >= 0 && dir >= 0 && path >= 0 && page != MAP_FAILED);
    page[0] = 'p';
    struct rlimit none = {1 << 20, 1 << 20};
    CHECK(setrlimit(RLIMIT_AS, &none) == 0);
    map("no room", NULL, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    map("no room for a file", NULL, PROT_READ, MAP_PRIVATE, file, 0);
    map("no room in this place", page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    map("no type", NULL, PROT_READ, MAP_ANONYMOUS, -1, 0);
    map("no such type", NULL, PROT_READ, 5 | MAP_ANONYMOUS, -1, 0);
    map("no such type in this place", page, PROT_READ, 5 | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    map("shared and growing", NULL, PROT_READ, MAP_SHARED | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0);
    map("no such file", NULL, PROT_READ, MAP_PRIVATE, 999, 0);
    map("a path only", NULL, PROT_READ, MAP_PRIVATE, path, 0);
    map("a directory", NULL, PROT_READ, MAP_PRIVATE, dir, 0);
    map("a file that may not be written", NULL, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    map("an offset between pages", NULL, PROT_READ, MAP_PRIVATE, file, 7);
    map("an offset beyond files", NULL, PROT_READ, MAP_PRIVATE, file, -(long)PAGE);
    map("an address between pages", page + 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    map("an address beyond all", (void *)-PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    map("taken", page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    SHOW("no bytes", mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    SHOW("more than all", mmap(NULL, -PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    SHOW("more than all, rounded", mmap(NULL, -1ul, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    SHOW("no room to grow", mremap(page, 4 * PAGE, BYTES, MREMAP_MAYMOVE));
    SHOW("grow by no such flags", mremap(page, 4 * PAGE, BYTES, 64));
    SHOW("grow in a fixed place that may not be chosen", mremap(page, 4 * PAGE, BYTES, MREMAP_FIXED, page + (1ul << 40)));
    SHOW("grow into itself", mremap(page, 4 * PAGE, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, page + PAGE));
    SHOW("grow in a place between pages", mremap(page, 4 * PAGE, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, page + (1ul << 40) + 1));
    say("still %c\n", page[0]);
    return 0;
}
