/* SPDX-License-Identifier: Apache-2.0
 * Runs a program instruction by instruction, natively, and prints how many there were. An instruction that repeats
 * itself counts with each iteration, as the CPU's trap flag sees it. */
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int status;
    long n = 0;
    pid_t pid = argc > 1 ? fork() : -1;
    if (!pid) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        execv(argv[1], argv + 1);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return 1;
    for (; WIFSTOPPED(status); n++)
        if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0) || waitpid(pid, &status, 0) != pid)
            return 1;
    printf("%ld\n", n);
    return 0;
}
