// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// A thread that was joined counts no more: a filter that kills the thread kills the process when it is the only one left. Natively the kernel clears the word that
// pthread_join waits for after it has counted the thread out.
#include "b_filter.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { TIMES = 20 };

/* Whoever waits for it on the same processor runs as soon as it is woken, before this thread goes on. */
static void *idle(void *arg)
{
    struct sched_param param = { 0 };
    CHECK(sched_setscheduler(0, SCHED_IDLE, &param) == 0);
    return arg;
}

static void one_processor(void)
{
    cpu_set_t may, one;
    CHECK(sched_getaffinity(0, sizeof may, &may) == 0);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &may))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
}

static void child(void)
{
    pthread_t t;
    filter(SYS_getppid, SECCOMP_RET_KILL_THREAD);
    CHECK(pthread_create(&t, 0, idle, 0) == 0);
    CHECK(pthread_join(t, 0) == 0);
    syscall(SYS_getppid);
    say("FAIL lived on\n");
    _exit(0);
}

int main(void)
{
    struct rlimit none = { 0, 0 };
    CHECK(setrlimit(RLIMIT_CORE, &none) == 0);
    one_processor();
    int killed = 0;
    for (int i = 0; i < TIMES; i++) {
        int status;
        pid_t pid = fork();
        if (!pid)
            child();
        CHECK(waitpid(pid, &status, 0) == pid);
        killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
    }
    say("killed %d of %d\n", killed, TIMES);
    return 0;
}
