// SPDX-License-Identifier: Apache-2.0
// Sessions, groups and orphans: setsid, setpgid, kill of a group, double fork daemon.
#include "b_check.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static int p[2];

static void daemon_child(void)
{
    if (fork() > 0)
        _exit(0);
    CHECK(setsid() == -1 || getsid(0) == getpid());
    close(0);
    CHECK(open("/dev/null", O_RDWR) == 0 && chdir("/") == 0);
    CHECK(write(p[1], "daemon ", 7) == 7);
    _exit(8);
}

int main(void)
{
    int status;
    char buf[8] = { 0 };
    CHECK(pipe(p) == 0 && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
    pid_t pid = fork();
    if (!pid) {
        CHECK(setsid() == getpid() && getsid(0) == getpid() && getpgrp() == getpid());
        CHECK_ERR(setsid(), EPERM);
        daemon_child();
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    CHECK(read(p[0], buf, 7) == 7);
    CHECK(wait(&status) > 0 && WEXITSTATUS(status) == 8);
    pid_t group = 0;
    for (int i = 0; i < 4; i++) {
        pid = fork();
        if (!pid) {
            CHECK(setpgid(0, group) == 0 && write(p[1], "r", 1) == 1);
            for (;;)
                pause();
        }
        setpgid(pid, group ? group : pid);
        if (!group)
            group = pid;
        CHECK(read(p[0], buf, 1) == 1);
    }
    CHECK(kill(-group, SIGUSR2) == 0);
    for (int i = 0; i < 4; i++)
        CHECK(waitpid(-group, &status, 0) > 0 && WTERMSIG(status) == SIGUSR2);
    CHECK_ERR(kill(-group, 0), ESRCH);
    CHECK_ERR(setpgid(1, 1), ESRCH);
    say("sessions ok\n");
    return 0;
}
