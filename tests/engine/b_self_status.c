// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// /proc/self/status and /proc/self/task show as many threads as the program made, its name, no tracer, its signal masks.
#include "b_check.h"
#include <dirent.h>
#include <pthread.h>
#include <signal.h>

static void show(const char *key)
{
    char line[512];
    FILE *f = fopen("/proc/self/status", "r");
    CHECK(f != 0);
    while (fgets(line, sizeof line, f))
        if (!strncmp(line, key, strlen(key)))
            say("%s", line);
    fclose(f);
}

static int tasks(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/task");
    CHECK(d != 0);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static pthread_barrier_t both;

static void *wait_twice(void *arg)
{
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    sigset_t set;
    show("Name:");
    show("TracerPid:");
    show("Threads:");
    signal(SIGUSR1, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, 0);
    show("SigIgn:");
    pthread_barrier_init(&both, 0, 4);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&t[i], 0, wait_twice, 0) == 0);
    pthread_barrier_wait(&both);
    show("Threads:");
    say("tasks %d\n", tasks());
    pthread_barrier_wait(&both);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
