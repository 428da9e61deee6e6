// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// Robust mutexes: EOWNERDEAD when the owner thread or process dies, consistent again, ENOTRECOVERABLE if not made so.
#include "b_check.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

static pthread_mutex_t *m;

static void *take_and_die(void *arg)
{
    for (int i = 0; i < 3; i++)
        CHECK(pthread_mutex_lock(&m[i]) == 0);
    if (arg)
        pthread_exit(0);
    return 0;
}

int main(void)
{
    pthread_mutexattr_t at;
    pthread_t t;
    int status, p[2];
    char c;
    m = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&at);
    pthread_mutexattr_setrobust(&at, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setpshared(&at, PTHREAD_PROCESS_SHARED);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_mutex_init(&m[i], &at) == 0);
    for (long how = 0; how < 2; how++) {
        CHECK(pthread_create(&t, 0, take_and_die, (void *)how) == 0 && pthread_join(t, 0) == 0);
        for (int i = 0; i < 3; i++)
            CHECK(pthread_mutex_lock(&m[i]) == EOWNERDEAD && pthread_mutex_consistent(&m[i]) == 0 && pthread_mutex_unlock(&m[i]) == 0);
    }
    CHECK(pipe(p) == 0);
    for (int how = 0; how < 2; how++) { /* dies by _exit, dies by SIGKILL */
        pid_t pid = fork();
        if (!pid) {
            take_and_die(0);
            CHECK(write(p[1], "r", 1) == 1);
            if (!how)
                _exit(0);
            pause();
        }
        CHECK(read(p[0], &c, 1) == 1);
        if (how)
            kill(pid, SIGKILL);
        int r = pthread_mutex_lock(&m[0]);
        CHECK(r == EOWNERDEAD && pthread_mutex_consistent(&m[0]) == 0 && pthread_mutex_unlock(&m[0]) == 0);
        CHECK(waitpid(pid, &status, 0) == pid);
        CHECK(pthread_mutex_lock(&m[1]) == EOWNERDEAD && pthread_mutex_consistent(&m[1]) == 0 && pthread_mutex_unlock(&m[1]) == 0);
        CHECK(pthread_mutex_lock(&m[2]) == EOWNERDEAD);
        if (!how)
            CHECK(pthread_mutex_consistent(&m[2]) == 0);
        CHECK(pthread_mutex_unlock(&m[2]) == 0);
    }
    CHECK(pthread_mutex_lock(&m[2]) == ENOTRECOVERABLE);
    say("robust ok\n");
    return 0;
}
