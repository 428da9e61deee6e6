/* SPDX-License-Identifier: Apache-2.0
 * Ends in the way that its first argument says: for tests of what tools give then. "spin" and "sleep" say that they are up and go on until somebody ends them. "each" forks a child for each
 * end, which does its work and then ends by the same instruction as the others, so that tools see the same in each; it prints their numbers and sleeps. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
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

/* Something for each tool to tell; a block is lost. */
static char *volatile lost;
static volatile int data[4096];
static int (*volatile step)(int);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int twice(int i) { return 2 * i; }
__attribute__((noinline)) static void work(int rounds)
{
    step = twice;
    lost = malloc(24);
    lost = NULL;
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&mutex);
        data[step(i) % 4096] += i % 3 ? i : -i;
        pthread_mutex_unlock(&mutex);
        free(malloc((size_t)i + 1));
    }
}

enum { ENDS = 6 };

/* A system call that ends the process; `self` takes the first argument's place where it is all ones. */
static volatile struct end {
    long number, first, self, second;
} end_by;

static void choose(int how)
{
    static char *const words[] = {"true", NULL};
    const struct end ends[ENDS] = {{SYS_exit_group, 0, 0, 0}, {SYS_kill, 0, -1, SIGINT}, {SYS_kill, 0, -1, SIGTERM}, {SYS_kill, 0, -1, SIGSEGV}, {SYS_execve, (long)"/bin/true", 0, (long)words}};
    end_by = ends[how];
}

/* By the same instructions, whichever end it is; but for a fault. */
__attribute__((noinline)) static void end(void)
{
    long self = getpid();
    if (!end_by.number)
        *(volatile int *)8 = 1;
    syscall(end_by.number, end_by.first | (self & end_by.self), end_by.second, 0);
}

static void each(void)
{
    char line[32];
    for (int how = 0; how < ENDS; how++) {
        int status;
        choose(how);
        pid_t child = fork();
        if (!child) {
            work(50);
            end();
        }
        waitpid(child, &status, 0);
        snprintf(line, sizeof line, "%d %d\n", child, status);
        say(line);
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    char *block = malloc(100);
    memset(block, 1, 100);
    if (!strcmp(how, "each")) {
        work(7);
        each();
        how = "sleep";
    }
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
