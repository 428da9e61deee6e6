// SPDX-License-Identifier: Apache-2.0
// A lowered RLIMIT_NOFILE gives EMFILE after exactly as many opens as natively, for open, dup, pipe, socket, epoll and memfd.
#include "b_check.h"
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

int main(void)
{
    struct rlimit rl = { 64, 64 };
    int n = 0, p[2];
    CHECK(setrlimit(RLIMIT_NOFILE, &rl) == 0);
    while (open("/dev/null", O_RDONLY) >= 0)
        n++;
    say("opened %d, then errno %d\n", n, errno);
    CHECK_ERR(dup(0), EMFILE);
    CHECK_ERR(pipe(p), EMFILE);
    CHECK_ERR(socket(AF_UNIX, SOCK_STREAM, 0), EMFILE);
    CHECK_ERR(epoll_create1(0), EMFILE);
    CHECK_ERR(memfd_create("x", 0), EMFILE);
    CHECK_ERR(open("/proc/self/maps", O_RDONLY), EMFILE);
    CHECK(close(40) == 0 && open("/proc/self/maps", O_RDONLY) == 40);
    char line[40];
    CHECK(read(40, line, 40) == 40);
    CHECK_ERR(dup2(0, 64), EBADF);
    rl.rlim_cur = 5;
    CHECK(setrlimit(RLIMIT_NOFILE, &rl) == 0 && read(40, line, 40) > 0 && close(50) == 0);
    CHECK_ERR(dup(0), EMFILE);
    CHECK(getrlimit(RLIMIT_NOFILE, &rl) == 0);
    say("limit %d %d\n", (int)rl.rlim_cur, (int)rl.rlim_max);
    return 0;
}
