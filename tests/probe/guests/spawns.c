/* SPDX-License-Identifier: Apache-2.0
 * All ways to another program: fork and execve, vfork, posix_spawn, system, one that fails. The program executes itself
 * with a number. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

__attribute__((noinline)) int visited(int n)
{
    __asm__ volatile("nop; nop; nop");
    return n + 1;
}

static void await(const char *what, pid_t pid)
{
    int status = 0;
    waitpid(pid, &status, 0);
    printf("%s: %d\n", what, WEXITSTATUS(status));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char line[512], *args[] = {argv[0], "7", NULL};
    pid_t pid;
    if (argc > 1)
        return visited(atoi(argv[1]));
    if (!(pid = fork())) {
        execve(argv[0], args, environ);
        _exit(1);
    }
    await("fork", pid);
    args[1] = "17";
    if (!(pid = vfork())) {
        execve(argv[0], args, environ);
        _exit(1);
    }
    await("vfork", pid);
    args[1] = "27";
    printf("posix_spawn returns %d\n", posix_spawn(&pid, argv[0], NULL, NULL, args, environ));
    await("posix_spawn", pid);
    snprintf(line, sizeof line, "%s 37", argv[0]);
    printf("system: %d\n", WEXITSTATUS(system(line)));
    printf("execve of nothing: %d %s\n", execve("/nowhere/at/all", args, environ), strerror(errno));
    printf("posix_spawn of nothing: %d\n", posix_spawn(&pid, "/nowhere/at/all", NULL, NULL, args, environ));
    return visited(0) - 1;
}
