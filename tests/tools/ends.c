/* SPDX-License-Identifier: Apache-2.0
 * Ends in the way that its first argument says: for tests of what tools give then. "spin" and "sleep" say that they are up and go on until somebody ends them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *text)
{
    if (write(1, text, strlen(text)) < 0)
        exit(1);
}

static int wait_for(pid_t child)
{
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

static volatile long spun;

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    char *block = malloc(100);
    memset(block, 1, 100);
    if (!strcmp(how, "segv"))
        *(volatile int *)8 = 1;
    if (!strcmp(how, "spin"))
        for (say("up\n");; spun++)
            ;
    if (!strcmp(how, "sleep"))
        for (say("up\n");;)
            if (usleep(1000000000))
                say("interrupted\n");
    if (!strcmp(how, "exec"))
        execl("/bin/echo", "echo", "executed", (char *)0);
    if (!strcmp(how, "noexec"))
        execl("/nonexistent", "x", (char *)0);
    if (!strcmp(how, "int80")) /* exit; without 32-bit calls it is a SIGSEGV */
        __asm__ volatile("int $0x80" : : "a"(1), "b"(4));
    if (!strncmp(how, "fork", 4)) {
        pid_t child = fork();
        if (!child && !strcmp(how, "forkexec"))
            execl("/bin/true", "true", (char *)0);
        return child ? wait_for(child) : 5;
    }
    return 3;
}
