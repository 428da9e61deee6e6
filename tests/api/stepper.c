/* SPDX-License-Identifier: Apache-2.0
 * stepper PROGRAM [ARGS]: how many instructions a program with one thread executes, by single steps. Its last line is the number of steps (each iteration of a
 * repeated string instruction is one) and the program's exit status. Its own exit status is 0 when the program ended by itself. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what)
{
    perror(what);
    exit(2);
}

int main(int argc, char **argv)
{
    int status;
    unsigned long steps = 0;
    if (argc < 2)
        return 2;
    pid_t pid = fork();
    if (pid < 0)
        die("fork");
    if (!pid) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        execv(argv[1], argv + 1);
        die(argv[1]);
    }
    if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
        die("the program did not start");
    ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_EXITKILL);
    while (WIFSTOPPED(status)) {
        steps++;
        int sig = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
        if (ptrace(PTRACE_SINGLESTEP, pid, 0, sig))
            die("singlestep");
        if (waitpid(pid, &status, 0) != pid)
            die("wait");
    }
    printf("%lu %d\n", steps, WEXITSTATUS(status));
    return WIFEXITED(status) ? 0 : 1;
}
