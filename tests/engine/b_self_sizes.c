// SPDX-License-Identifier: Apache-2.0
// VmSize and VmData in status, vsize in stat and the size in statm are the sums over /proc/self/maps.
#include "b_limit.h"

static char text[8192];

static char *file(const char *name)
{
    int fd = open(name, O_RDONLY);
    CHECK(fd >= 0);
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    CHECK(n > 0);
    text[n] = 0;
    return text;
}

static void check(void)
{
    unsigned long all, data, size, d[6];
    limit_sums(&all, &data);
    say("VmSize %d", strtoul(strstr(file("/proc/self/status"), "VmSize:") + 7, 0, 10) == all / 1024);
    say(" VmData %d", strtoul(strstr(text, "VmData:") + 7, 0, 10) == data / 1024);
    say(" peak %d", strtoul(strstr(text, "VmPeak:") + 7, 0, 10) >= all / 1024);
    char *p = strrchr(file("/proc/self/stat"), ')');
    for (int i = 2; i < 23; i++)
        p = strchr(p + 1, ' ');
    say(" vsize %d", strtoul(p, 0, 10) == all);
    CHECK(sscanf(file("/proc/self/statm"), "%lu %lu %lu %lu %lu %lu", &size, d, d + 1, d + 2, d + 3, d + 4) == 6);
    say(" statm %d data %d\n", size == all / PAGE, d[4] >= data / PAGE && d[4] < data / PAGE + 2100);
}

int main(void)
{
    check();
    CHECK(limit_map(1000, PROT_READ | PROT_WRITE, MAP_PRIVATE) != MAP_FAILED && limit_map(500, PROT_READ, MAP_SHARED) != MAP_FAILED);
    check();
    char big[200000];
    memset(big, 1, sizeof big); /* the stack grows */
    check();
    return big[5] - 1;
}
