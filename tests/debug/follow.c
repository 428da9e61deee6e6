/* SPDX-License-Identifier: Apache-2.0
 * A guest for gdb: makes children by fork and vfork, and executes a program in its own place. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void in_child(void)
{
    _exit(7);
}

static void in_parent(void)
{
    fflush(stdout);
}

static int status_of(int pid)
{
    int status;
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    int child = fork();
    if (!child)
        in_child();
    int first = status_of(child);
    child = vfork();
    if (!child) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(9);
    }
    int second = status_of(child), third = WEXITSTATUS(system("exit 5"));
    printf("child %d, program %d, shell %d\n", first, second, third);
    in_parent();
    if (argc > 1)
        execl(argv[1], argv[1], (char *)NULL);
    return 1;
}
