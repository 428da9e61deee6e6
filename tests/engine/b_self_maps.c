// SPDX-License-Identifier: Apache-2.0
// /proc/self/maps, read in odd chunk sizes, shows the program, its libraries and its own areas, and nothing of an engine.
#include "b_check.h"
#include <fcntl.h>
#include <sys/mman.h>

static char text[1 << 17];

static int slurp(const char *path, int chunk)
{
    int fd = open(path, O_RDONLY), len = 0, n;
    CHECK(fd >= 0);
    while ((n = read(fd, text + len, chunk)) > 0)
        len += n;
    CHECK(n == 0 && close(fd) == 0);
    text[len] = 0;
    return len;
}

/* Lines by kind: the program's file, other files, anonymous; [heap], [stack] and vdso by name. */
static void count_lines(const char *exe, int *own, int *files, int *anon)
{
    *own = *files = *anon = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(0, "\n")) {
        char *name = strchr(line, '/');
        unsigned long lo, hi;
        CHECK(sscanf(line, "%lx-%lx", &lo, &hi) == 2 && lo < hi);
        if (name && !strcmp(name, exe))
            ++*own;
        else if (name) {
            CHECK(strstr(name, "libc.so") || strstr(name, "ld-linux"));
            ++*files;
        } else if (!strchr(line, '['))
            ++*anon;
        else if (!strstr(line, "[vv"))
            say("%s\n", strchr(line, '['));
    }
}

int main(void)
{
    char exe[4096] = { 0 };
    CHECK(readlink("/proc/self/exe", exe, sizeof exe - 1) > 0);
    CHECK(mmap(0, 12345, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED);
    static const int chunks[] = { 4096, 1, 7, 113, 1000, 65536 };
    CHECK(malloc(100) != 0);
    for (int i = 0; i < 6; i++) {
        int own, files, anon;
        slurp("/proc/self/maps", chunks[i]);
        count_lines(exe, &own, &files, &anon);
        say("chunk %d: own %d files %d anonymous %d\n", chunks[i], own, files, anon);
    }
    return 0;
}
