/* SPDX-License-Identifier: Apache-2.0
 * Children of vfork: one ends, one executes /bin/true; one cannot execute, and says so to its parent by its status. The
 * parent writes when the child is done, never before it. */
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int status_of(pid_t pid)
{
    int status = -1;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

static void say(const char *text, size_t n)
{
    if (write(1, text, n) < 0)
        _exit(99);
}

int main(void)
{
    char *args[] = {"true", NULL}, *nothing[] = {NULL};
    pid_t pid[3];
    if (!(pid[0] = vfork())) {
        say("first child\n", 12);
        _exit(5);
    }
    say("first parent\n", 13);
    if (!(pid[1] = vfork())) {
        say("second child\n", 13);
        execve("/bin/true", args, nothing);
        _exit(6);
    }
    say("second parent\n", 14);
    if (!(pid[2] = vfork())) {
        execve("/nowhere/at/all", args, nothing);
        _exit(errno);
    }
    printf("%d", status_of(pid[0]));
    printf(" %d", status_of(pid[1]));
    printf(" %d\n", status_of(pid[2]));
    return 0;
}
