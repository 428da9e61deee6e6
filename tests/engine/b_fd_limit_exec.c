// SPDX-License-Identifier: Apache-2.0
// With RLIMIT_NOFILE at 16 a program still forks, execs and runs a shell pipeline.
#include "b_check.h"
#include <sys/resource.h>

int main(void)
{
    struct rlimit rl = { 16, 16 };
    CHECK(setrlimit(RLIMIT_NOFILE, &rl) == 0);
    CHECK(system("ulimit -n; echo abc | tr a-c x-z | cat") == 0);
    FILE *f = popen("echo from popen", "r");
    char line[64];
    CHECK(f && fgets(line, sizeof line, f) && pclose(f) == 0);
    say("%s", line);
    return 0;
}
