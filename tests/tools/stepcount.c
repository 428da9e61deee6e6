/* SPDX-License-Identifier: Apache-2.0
 * stepcount [-trace] PROGRAM [ARGUMENT]...: counts the program's instructions by single-stepping it with ptrace, as an independent source for the numbers of tools. One process, one thread, no signals.
 * A repeated string instruction traps after each iteration: `steps` counts them all, `instructions` counts it once for each time it is reached.
 * -trace prints the address of each step to standard output; what the program writes there goes to standard error. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what)
{
    fprintf(stderr, "stepcount: %s: %s\n", what, strerror(errno));
    exit(2);
}

static void start(char **argv, int trace)
{
    if (trace && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        fail("dup2");
    if (ptrace(PTRACE_TRACEME, 0, 0, 0))
        fail("PTRACE_TRACEME");
    execvp(argv[0], argv);
    fail(argv[0]);
}

/* F2 or F3 with other legacy prefixes before a string opcode. */
static int is_repeated_string(pid_t pid, unsigned long pc)
{
    unsigned char code[16];
    for (int i = 0; i < 2; i++) {
        long word = ptrace(PTRACE_PEEKTEXT, pid, pc + 8 * i, 0);
        memcpy(code + 8 * i, &word, 8);
    }
    int rep = 0, i = 0;
    for (; i < 8; i++) {
        if (code[i] == 0xf2 || code[i] == 0xf3)
            rep = 1;
        else if (code[i] != 0x66 && code[i] != 0x67 && code[i] != 0x2e && (code[i] & 0xf0) != 0x40)
            break;
    }
    unsigned char op = code[i];
    return rep && ((op >= 0xa4 && op <= 0xa7) || (op >= 0xaa && op <= 0xaf) || (op >= 0x6c && op <= 0x6f));
}

static int finish(int status, unsigned long instructions, unsigned long steps)
{
    fprintf(stderr, "instructions: %lu\nsteps: %lu\n", instructions, steps);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    int trace = argc > 1 && strcmp(argv[1], "-trace") == 0;
    if (argc < 2 + trace) {
        fprintf(stderr, "usage: stepcount [-trace] PROGRAM [ARGUMENT]...\n");
        return 2;
    }
    pid_t pid = fork();
    if (pid < 0)
        fail("fork");
    if (pid == 0)
        start(argv + 1 + trace, trace);
    unsigned long steps = 0, instructions = 0, last = 0;
    int status;
    if (waitpid(pid, &status, 0) != pid)
        fail("waitpid");
    while (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP) {
        struct user_regs_struct r;
        if (ptrace(PTRACE_GETREGS, pid, 0, &r))
            fail("PTRACE_GETREGS");
        steps++;
        if (r.rip != last || !is_repeated_string(pid, r.rip))
            instructions++;
        if (trace)
            printf("%llx\n", r.rip);
        last = r.rip;
        if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0))
            fail("PTRACE_SINGLESTEP");
        if (waitpid(pid, &status, 0) != pid)
            fail("waitpid");
    }
    return finish(status, instructions, steps);
}
