// The old vsyscall page, where the kernel still has it: code that can be called but not read.
#include "a_guest.h"
#include <time.h>

int main(void)
{
    char line[512];
    int there = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps);
    while (fgets(line, sizeof line, maps))
        there |= strstr(line, "[vsyscall]") != NULL;
    fclose(maps);
    if (!there) {
        puts("no");
        return 0;
    }
    time_t (*old_time)(time_t *) = (time_t(*)(time_t *))0xffffffffff600400;
    for (int i = 0; i < 3; i++) {
        time_t before = time(NULL), t = 0, r = old_time(&t);
        printf("%d %d\n", t == r, before <= r && r <= time(NULL));
    }
    return 0;
}
