// SPDX-License-Identifier: Apache-2.0
// Does not let its own user trace it.
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(void)
{
    prctl(PR_SET_DUMPABLE, 0);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
