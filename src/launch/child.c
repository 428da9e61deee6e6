/* SPDX-License-Identifier: Apache-2.0
 * Programs that a command of linchpin starts beside itself, as gdb: started by name, and waited for. */
#include "launch/launch.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int child_start(char **argv)
{
    int pid = (int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); /* libc's fork does not go with the launcher's place */
    if (pid < 0)
        die(1, "no process can be made: %s", strerror(errno));
    if (pid)
        return pid;
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    execvp(argv[0], argv);
    die(127, "%s cannot be started: %s", argv[0], strerror(errno));
}

int child_status(int pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
