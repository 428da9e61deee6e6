// test: cc=-pthread
// test: status=9
// SPDX-License-Identifier: Apache-2.0
// exec from a thread that is not the leader, with others spinning and blocking: the pid stays, all others are gone.
#include "b_check.h"
#include <pthread.h>
#include <sys/syscall.h>

static char *self, was[20];
static volatile int spinning;

static void *spin(void *arg)
{
    for (;;)
        spinning = 1;
    return arg;
}

static void *block(void *arg)
{
    for (;;)
        pause();
    return arg;
}

static void *exec_it(void *arg)
{
    while (!spinning)
        ;
    execl(self, self, was, (char *)0);
    return arg;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        CHECK(atoi(argv[1]) == getpid() && syscall(SYS_gettid) == getpid());
        char line[256];
        FILE *f = fopen("/proc/self/status", "r");
        while (f && fgets(line, sizeof line, f))
            if (!strncmp(line, "Threads:", 8))
                say("after exec %s", line);
        return 9;
    }
    pthread_t t;
    self = argv[0];
    snprintf(was, sizeof was, "%d", getpid());
    CHECK(pthread_create(&t, 0, spin, 0) == 0 && pthread_create(&t, 0, block, 0) == 0 && pthread_create(&t, 0, exec_it, 0) == 0);
    for (;;)
        pause();
}
