// SPDX-License-Identifier: Apache-2.0
// Every descriptor from 0 to 20000 is closed one by one, as daemons do; each answers EBADF or 0 as natively; work goes on.
#include "b_check.h"
#include <fcntl.h>

int main(void)
{
    int keep = dup(1), closed = 0, bad = 0;
    for (int i = 0; i < 20001; i++) {
        if (i == keep)
            continue;
        if (close(i) == 0)
            closed++;
        else {
            CHECK(errno == EBADF);
            bad++;
        }
    }
    CHECK(open("/dev/null", O_RDWR) == 0);
    CHECK(dup2(keep, 1) == 1 && dup2(keep, 2) == 2 && close(keep) == 0);
    say("closed %d bad %d\n", closed, bad);
    fprintf(stderr, "stderr works\n");
    CHECK(system("echo shell works") == 0);
    return 0;
}
