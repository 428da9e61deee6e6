// test: cc=-no-pie -pthread
// test: core=yes
// test: needs=gdb
// test: timeout=120
// SPDX-License-Identifier: Apache-2.0
// What a debugger finds in the core of a child with threads: where each of them was, waiting in the kernel or computing,
// is where the program's was.
#include "b_check.h"
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static volatile unsigned started, sum;
static volatile pid_t waiter;
static int nothing[2];

__attribute__((noinline)) static void count_forever(void)
{
    __atomic_add_fetch(&started, 1, __ATOMIC_SEQ_CST); /* here, so that it is nowhere else any more */
    for (;;)
        sum++;
}

__attribute__((noinline)) static char wait_for_byte(void)
{
    char c = 0;
    waiter = gettid();
    __atomic_add_fetch(&started, 1, __ATOMIC_SEQ_CST);
    sum += read(nothing[0], &c, 1) > 0;
    return c;
}

static void *counts(void *arg)
{
    count_forever();
    return arg;
}

static void *waits(void *arg)
{
    sum += (unsigned)wait_for_byte();
    return arg;
}

__attribute__((noinline)) static void crash(void)
{
    *(volatile int *)16 = 1;
    sum++;
}

static int sleeps(pid_t tid)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    FILE *f = fopen(path, "r");
    CHECK(f && fgets(text, sizeof text, f));
    fclose(f);
    return strstr(text, ") S ") != NULL;
}

static void child(void)
{
    pthread_t t;
    CHECK(pipe(nothing) == 0);
    CHECK(pthread_create(&t, NULL, counts, NULL) == 0 && pthread_create(&t, NULL, waits, NULL) == 0);
    while (started < 2)
        ;
    while (!sleeps(waiter))
        ;
    crash();
}

int main(int argc, char **argv)
{
    char command[4096];
    int status;
    (void)argc;
    pid_t pid = fork();
    if (!pid)
        child();
    CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
    say("signal %d, core %d\n", WTERMSIG(status), !!WCOREDUMP(status));
    if (access("core", R_OK) < 0)
        return 0;
    snprintf(command, sizeof command, "gdb -nx -batch -ex 'thread apply all bt' %s core 2>/dev/null"
        " | sed -n 's/^#\\([0-9]*\\) *\\(0x[0-9a-f]* in \\)*\\([A-Za-z_]*\\) (.*/\\1 \\3/p' | grep -v start"
        " | awk '$1 == 0 && l { print l; l = \"\" } { l = l \" \" $2 } END { print l }' | sort", argv[0]);
    return system(command) != 0;
}
