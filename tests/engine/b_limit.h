/* SPDX-License-Identifier: Apache-2.0
 * For the b_limit_ guests: what the kernel counts, summed up from /proc/self/maps. */
#ifndef B_LIMIT_H
#define B_LIMIT_H
#include "b_check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define PAGE 4096ul
#define INF RLIM_INFINITY

/* No stdio: nothing may be mapped meanwhile. */
static inline void limit_sums(unsigned long *all, unsigned long *data)
{
    static char text[1 << 17];
    int fd = open("/proc/self/maps", O_RDONLY), len = 0, n;
    CHECK(fd >= 0);
    while ((n = read(fd, text + len, sizeof text - 1 - len)) > 0)
        len += n;
    close(fd);
    text[len] = 0;
    *all = *data = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        char *p;
        *end = 0;
        unsigned long lo = strtoul(line, &p, 16), hi = strtoul(p + 1, &p, 16);
        if (strstr(line, "[vsyscall]"))
            continue;
        *all += hi - lo;
        if (p[2] == 'w' && p[4] == 'p' && !strstr(line, "[stack]"))
            *data += hi - lo;
    }
}

static inline void limit_show(const char *when, int resource)
{
    struct rlimit r;
    CHECK(getrlimit(resource, &r) == 0);
    say("%s: soft %ld hard %ld\n", when, (long)r.rlim_cur, (long)r.rlim_max);
}

static inline void *limit_map(size_t pages, int prot, int flags)
{
    return mmap(0, pages * PAGE, prot, flags | MAP_ANONYMOUS, -1, 0);
}

#define NO_MEMORY(call) say("%s: %s\n", #call, (call) == MAP_FAILED ? (errno == ENOMEM ? "ENOMEM" : "another error") : "done")
#endif
