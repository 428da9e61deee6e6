// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// exit_group with others spinning, blocked in read and futex, and inside a signal handler: the status comes, 30 times over.
#include "b_check.h"
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static pthread_barrier_t up;
static int p[2];

static void on_usr1(int sig)
{
    (void)sig;
    pthread_barrier_wait(&up);
    for (volatile int i = 0;; i++)
        ;
}

static void *spin(void *arg)
{
    pthread_barrier_wait(&up);
    for (volatile int i = 0;; i++)
        ;
    return arg;
}

static void *in_read(void *arg)
{
    char c;
    pthread_barrier_wait(&up);
    CHECK(read(p[0], &c, 1) == 1234);
    return arg;
}

static void *in_handler(void *arg)
{
    raise(SIGUSR1);
    return arg;
}

static void *in_futex(void *arg)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_barrier_wait(&up);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return arg;
}

int main(void)
{
    void *(*bodies[])(void *) = { spin, in_read, in_handler, in_futex };
    signal(SIGUSR1, on_usr1);
    CHECK(pipe(p) == 0);
    for (int i = 0; i < 30; i++) {
        pid_t pid = fork();
        int status;
        if (!pid) {
            pthread_t t;
            pthread_barrier_init(&up, 0, 5);
            for (int k = 0; k < 4; k++)
                CHECK(pthread_create(&t, 0, bodies[k], 0) == 0);
            pthread_barrier_wait(&up);
            if (i % 2)
                exit(i);
            _exit(i);
        }
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == i);
    }
    say("30 exits\n");
    return 0;
}
