// SPDX-License-Identifier: Apache-2.0
// The text of /proc/self/maps is made when it is read, not when it is opened, and made anew after a seek to its start.
#include "b_check.h"
#include <fcntl.h>
#include <sys/mman.h>

static int shows(int fd, void *page)
{
    static char text[1 << 16];
    char want[40];
    int len = 0, n;
    while ((n = read(fd, text + len, sizeof text - 1 - len)) > 0)
        len += n;
    text[len] = 0;
    snprintf(want, sizeof want, "%lx-%lx ", (unsigned long)page, (unsigned long)page + 4096);
    return strstr(text, want) != 0;
}

int main(void)
{
    int fd = open("/proc/self/maps", O_RDONLY);
    void *page = mmap((void *)0x31000000, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(fd >= 0 && page != MAP_FAILED);
    say("mapped after open: %d\n", shows(fd, page));
    CHECK(munmap(page, 4096) == 0 && lseek(fd, 0, SEEK_SET) == 0);
    say("unmapped, seeked: %d\n", shows(fd, page));
    CHECK(mmap(page, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page && lseek(fd, 0, SEEK_SET) == 0);
    say("mapped, seeked: %d\n", shows(fd, page));
    return 0;
}
