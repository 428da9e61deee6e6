// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// An uncaught signal in one thread ends all threads of the process, with that signal in the status.
#include "b_check.h"
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static pthread_barrier_t up;

static void *spin(void *arg)
{
    pthread_barrier_wait(&up);
    for (volatile int i = 0;; i++)
        ;
    return arg;
}

static void *die(void *arg)
{
    pthread_barrier_wait(&up);
    switch ((long)arg) {
    case 0: *(volatile int *)16 = 1; break;
    case 1: abort(); break;
    case 2: pthread_kill(pthread_self(), SIGUSR1); break;
    case 3: kill(getpid(), SIGTERM); break;
    case 4: __asm__ volatile("ud2"); break;
    }
    return 0;
}

int main(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    for (long how = 0; how < 5; how++) {
        int status;
        pid_t pid = fork();
        if (!pid) {
            pthread_t t[2];
            pthread_barrier_init(&up, 0, 3);
            CHECK(pthread_create(&t[0], 0, spin, 0) == 0 && pthread_create(&t[1], 0, die, (void *)how) == 0);
            pthread_barrier_wait(&up);
            pthread_join(t[0], 0);
            _exit(1);
        }
        CHECK(waitpid(pid, &status, 0) == pid);
        say("%ld: %x\n", how, status);
    }
    return 0;
}
