// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// pthread_atfork handlers run in their order in parent and child, also when fork is called from a thread.
#include "b_check.h"
#include <pthread.h>
#include <sys/wait.h>

static int in_child;

static void before1(void) { say("prepare 1\n"); }
static void before2(void) { say("prepare 2\n"); }
static void parent1(void) { in_child = 0; }
static void child1(void) { say("child 1\n"); in_child = 1; }
static void child2(void) { say("child 2\n"); in_child += 1; }

static void *body(void *arg)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        say("in child %d\n", in_child);
        _exit(in_child);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 2 && in_child == 0);
    return arg;
}

int main(void)
{
    pthread_t t;
    CHECK(pthread_atfork(before1, parent1, child1) == 0 && pthread_atfork(before2, 0, child2) == 0);
    body(0);
    CHECK(pthread_create(&t, 0, body, 0) == 0 && pthread_join(t, 0) == 0);
    return 0;
}
