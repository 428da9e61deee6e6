// SPDX-License-Identifier: Apache-2.0
// RLIMIT_AS counts the program's own mappings, to the page, whatever they are; children of fork have it too, and it is shown everywhere.
#include "b_limit.h"
#include <sys/wait.h>

static void fill(const char *who)
{
    int n = 0;
    while (limit_map(16, PROT_NONE, MAP_PRIVATE) != MAP_FAILED)
        n++;
    say("%s: %d pieces, errno %d\n", who, n, errno);
    NO_MEMORY(limit_map(1, PROT_NONE, MAP_SHARED));
    NO_MEMORY(limit_map(1, PROT_READ, MAP_PRIVATE));
}

static void show_file(void)
{
    char line[256];
    FILE *f = fopen("/proc/self/limits", "r");
    CHECK(f != 0);
    while (fgets(line, sizeof line, f))
        if (strstr(line, "address") || strstr(line, "data") || strstr(line, "Soft"))
            say("%s|", line);
    fclose(f);
    say("\n");
}

int main(void)
{
    unsigned long all, data;
    show_file();
    char *page = limit_map(4, PROT_READ, MAP_PRIVATE);
    limit_sums(&all, &data);
    struct rlimit r = { all + 160 * PAGE, all + 1000 * PAGE }, old;
    CHECK(prlimit(getpid(), RLIMIT_AS, &r, &old) == 0 && old.rlim_cur == INF);
    pid_t pid = fork();
    if (!pid) {
        fill("child");
        _exit(0);
    }
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    fill("parent");
    NO_MEMORY(mremap(page, 4 * PAGE, 8 * PAGE, MREMAP_MAYMOVE));
    NO_MEMORY(mremap(page, 4 * PAGE, 2 * PAGE, 0));
    NO_MEMORY(limit_map(2, PROT_READ, MAP_PRIVATE));
    NO_MEMORY(limit_map(1, PROT_READ, MAP_PRIVATE));
    void *brk = sbrk(0);
    CHECK_ERR(sbrk(1 << 20), ENOMEM);
    CHECK(sbrk(0) == brk);
    CHECK(prlimit(0, RLIMIT_AS, 0, &old) == 0 && old.rlim_cur == r.rlim_cur && old.rlim_max == r.rlim_max);
    r.rlim_cur = r.rlim_max;
    CHECK(setrlimit(RLIMIT_AS, &r) == 0 && limit_map(800, PROT_NONE, MAP_PRIVATE) != MAP_FAILED);
    r.rlim_cur++;
    CHECK_ERR(setrlimit(RLIMIT_AS, &r), EINVAL);
    CHECK_ERR(syscall(302, 0, RLIMIT_AS, 8, 0), EFAULT);
    return 0;
}
