// The guest's view of its memory map: files, order and protection are native, nothing of the engine shows.
// test: wrap=setarch -R
// test[dynamic]: cc=-O1
// test[static]: cc=-static
#include "a_guest.h"
#include <fcntl.h>

// The whole file is taken in first: what is printed must not depend on stdio's own mappings.
static char text[65536];

int main(void)
{
    int fd = open("/proc/self/maps", O_RDONLY);
    size_t used = 0;
    ssize_t n;
    CHECK(fd >= 0);
    while ((n = read(fd, text + used, sizeof text - 1 - used)) > 0)
        used += (size_t)n;
    CHECK(n == 0);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        unsigned long from, to, offset, inode;
        char perm[5];
        int at = 0;
        CHECK(sscanf(line, "%lx-%lx %4s %lx %*s %lu %n", &from, &to, perm, &offset, &inode, &at) == 5);
        if (strcmp(line + at, "[vvar]") == 0 || strcmp(line + at, "[vvar_vclock]") == 0)
            continue;
        printf("%lx-%lx %s %lx %s\n", from, to, perm, offset, line + at);
    }
    return 0;
}
