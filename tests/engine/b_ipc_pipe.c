// SPDX-License-Identifier: Apache-2.0
// Pipes: EAGAIN when full after exactly the capacity, EPIPE with SIGPIPE ignored, death by SIGPIPE otherwise, EOF.
#include "b_check.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

int main(void)
{
    int p[2], status;
    char buf[4096] = { 0 };
    long total = 0, n;
    CHECK(pipe2(p, O_NONBLOCK) == 0 && fcntl(p[1], F_SETPIPE_SZ, 65536) == 65536);
    while ((n = write(p[1], buf, sizeof buf)) > 0)
        total += n;
    say("full after %ld errno %d\n", total, errno);
    for (; total; total -= n)
        CHECK((n = read(p[0], buf, 1000)) > 0);
    CHECK_ERR(read(p[0], buf, 1), EAGAIN);
    CHECK(close(p[0]) == 0);
    pid_t pid = fork();
    if (!pid) {
        signal(SIGPIPE, SIG_IGN);
        _exit(write(p[1], "x", 1) == -1 ? errno : 0);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    say("ignored: errno %d\n", WEXITSTATUS(status));
    pid = fork();
    if (!pid) {
        n = write(p[1], "x", 1);
        _exit(1);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    say("default: signalled %d by %d\n", WIFSIGNALED(status), WTERMSIG(status));
    int q[2];
    CHECK(pipe(q) == 0 && write(q[1], "end", 3) == 3 && close(q[1]) == 0);
    CHECK(read(q[0], buf, 10) == 3 && read(q[0], buf, 10) == 0);
    return 0;
}
