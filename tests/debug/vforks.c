/* SPDX-License-Identifier: Apache-2.0
 * A guest for gdb: children made by vfork, which write into the memory of their parent; one of them executes a
 * program; with a second argument only that one. Prints nothing, because parent and child may both run. */
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile int seen = 1;

static void in_child(int n)
{
    seen += n;
}

static void in_parent(int n, int status)
{
    seen += 10 * n + status;
}

static int make_child(int n, char *program)
{
    int pid = vfork(), status;
    if (!pid) {
        in_child(n);
        if (program)
            execl(program, program, (char *)NULL);
        _exit(n);
    }
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

static int spawn(char *program)
{
    char *argv[] = {program, NULL};
    int pid, status;
    if (posix_spawn(&pid, program, NULL, NULL, argv, environ))
        return 99;
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    if (argc > 2)
        return make_child(3, argv[1]);
    in_parent(1, make_child(2, NULL));
    in_parent(2, make_child(3, argv[1]));
    in_parent(3, spawn(argv[1]));
    return seen & 127;
}
