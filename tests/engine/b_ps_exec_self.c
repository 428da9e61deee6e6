// test[pie]: cc=-O2
// test[nopie]: cc=-no-pie
// test[static]: cc=-static
// SPDX-License-Identifier: Apache-2.0
// The program execs itself five times through /proc/self/exe, passing a count; pid stays, descriptors without CLOEXEC too.
#include "b_check.h"
#include <fcntl.h>

int main(int argc, char **argv)
{
    int round = argc > 1 ? atoi(argv[1]) : 0, pid = argc > 2 ? atoi(argv[2]) : getpid();
    char next[12], spid[12];
    CHECK(pid == getpid());
    if (!round)
        CHECK(open("/dev/null", O_RDONLY) == 3 && open("/dev/null", O_RDONLY | O_CLOEXEC) == 4);
    else {
        CHECK(fcntl(3, F_GETFD) == 0);
        CHECK_ERR(fcntl(4, F_GETFD), EBADF);
    }
    say("round %d\n", round);
    if (round == 5)
        return 0;
    snprintf(next, sizeof next, "%d", round + 1);
    snprintf(spid, sizeof spid, "%d", pid);
    execl("/proc/self/exe", argv[0], next, spid, (char *)0);
    CHECK(!"exec failed");
    return 1;
}
