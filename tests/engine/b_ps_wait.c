// SPDX-License-Identifier: Apache-2.0
// waitid, wait4 with rusage, WNOHANG, WNOWAIT, process groups, pidfd; what is left of a zombie.
#include "b_check.h"
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

int main(void)
{
    siginfo_t si;
    struct rusage ru;
    int status, p[2];
    char c;
    CHECK(pipe(p) == 0);
    pid_t pid = fork();
    if (!pid) {
        CHECK(read(p[0], &c, 1) == 1);
        volatile unsigned work = 0;
        struct rusage self;
        do
            for (int i = 0; i < 10000; i++)
                work += i;
        while (getrusage(RUSAGE_SELF, &self) == 0 && self.ru_utime.tv_usec + self.ru_stime.tv_usec < 20000 && self.ru_utime.tv_sec == 0 && work != 1);
        _exit(61);
    }
    CHECK(waitpid(pid, &status, WNOHANG) == 0);
    int pidfd = syscall(SYS_pidfd_open, pid, 0);
    CHECK(pidfd >= 0 && poll(&(struct pollfd){ pidfd, POLLIN, 0 }, 1, 0) == 0);
    CHECK(write(p[1], "g", 1) == 1);
    CHECK(poll(&(struct pollfd){ pidfd, POLLIN, 0 }, 1, -1) == 1);
    CHECK(waitid(P_PID, pid, &si, WEXITED | WNOWAIT) == 0 && si.si_pid == pid && si.si_code == CLD_EXITED && si.si_status == 61);
    CHECK(kill(pid, 0) == 0);
    CHECK(wait4(pid, &status, 0, &ru) == pid && WEXITSTATUS(status) == 61);
    CHECK(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec > 0 || ru.ru_utime.tv_usec + ru.ru_stime.tv_usec >= 15000);
    CHECK_ERR(kill(pid, 0), ESRCH);
    CHECK_ERR(syscall(SYS_pidfd_send_signal, pidfd, 0, 0, 0), ESRCH);
    for (int i = 0; i < 3; i++)
        if (!(pid = fork())) {
            setpgid(0, 0);
            _exit(i);
        } else
            setpgid(pid, pid);
    CHECK(waitpid(-pid, &status, 0) == pid && WEXITSTATUS(status) == 2);
    int sum = 0;
    while (waitid(P_ALL, 0, &si, WEXITED) == 0)
        sum += 1 + si.si_status;
    CHECK(errno == ECHILD);
    say("sum %d\n", sum);
    return 0;
}
