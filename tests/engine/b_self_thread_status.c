// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// /proc/thread-self/status in the first thread and in another: its own signal masks, also below an open directory.
#include "b_check.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

static void show(int dir, const char *path)
{
    char text[8192];
    int fd = openat(dir, path, O_RDONLY);
    CHECK(fd >= 0);
    ssize_t n = read(fd, text, sizeof text - 1);
    CHECK(n > 0 && close(fd) == 0);
    text[n] = 0;
    for (char *save, *line = strtok_r(text, "\n", &save); line; line = strtok_r(0, "\n", &save))
        if (!strncmp(line, "SigBlk", 6) || !strncmp(line, "SigPnd", 6))
            say("%s ", line);
    say("\n");
}

static void show_all(void)
{
    int proc = open("/proc", O_RDONLY | O_DIRECTORY), own = open("/proc/thread-self", O_RDONLY | O_DIRECTORY);
    CHECK(proc >= 0 && own >= 0);
    show(AT_FDCWD, "/proc/thread-self/status");
    show(proc, "thread-self/status");
    show(own, "status");
    CHECK(close(proc) == 0 && close(own) == 0);
}

static void block(int sig)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, sig);
    CHECK(pthread_sigmask(SIG_SETMASK, &set, 0) == 0 && raise(sig) == 0);
}

static void *thread(void *arg)
{
    block(SIGUSR2);
    show_all();
    return arg;
}

int main(void)
{
    pthread_t t;
    block(SIGUSR1);
    show_all();
    CHECK(pthread_create(&t, 0, thread, 0) == 0 && pthread_join(t, 0) == 0);
    return 0;
}
