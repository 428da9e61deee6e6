// SPDX-License-Identifier: Apache-2.0
// mlockall locks the program's memory, present and future, and munlockall gives it free; the engine's is not counted.
#include "b_limit.h"

static long locked_kb(void)
{
    static char text[8192];
    int fd = open("/proc/self/status", O_RDONLY);
    CHECK(fd >= 0);
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    CHECK(n > 0);
    return atol(strstr(text, "VmLck:") + 6);
}

int main(void)
{
    say("at first %ld\n", locked_kb());
    CHECK_ERR(mlockall(0), EINVAL);
    CHECK_ERR(mlockall(MCL_ONFAULT), EINVAL);
    CHECK(mlockall(MCL_FUTURE) == 0);
    long before = locked_kb();
    char *p = limit_map(16, PROT_READ | PROT_WRITE, MAP_PRIVATE);
    CHECK(p != MAP_FAILED);
    say("a mapping %ld\n", locked_kb() - before);
    CHECK(sbrk(0) != sbrk(32 * PAGE) || 1);
    say("and the break %ld\n", locked_kb() - before);
    unsigned char there[16];
    CHECK(mincore(p, 16 * PAGE, there) == 0);
    say("present %d\n", there[0] & there[15] & 1);
    CHECK(mlockall(MCL_CURRENT | MCL_ONFAULT) == 0);
    unsigned long all, data;
    limit_sums(&all, &data);
    long now = locked_kb(), kb = (long)(all / 1024);
    say("all but the kernel's pages: %d\n", now <= kb && now > kb - 200);
    CHECK(munlockall() == 0);
    say("at last %ld\n", locked_kb());
    CHECK(limit_map(16, PROT_READ | PROT_WRITE, MAP_PRIVATE) != MAP_FAILED);
    say("and later %ld\n", locked_kb());
    return 0;
}
