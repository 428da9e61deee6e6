// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// Threads are being born and dying while another calls exit_group: the process ends with that status, every time.
#include "b_check.h"
#include <pthread.h>
#include <sys/wait.h>

static void *nothing(void *arg)
{
    return arg;
}

static void *breed(void *arg)
{
    for (;;) {
        pthread_t t;
        if (pthread_create(&t, 0, nothing, 0) == 0)
            pthread_join(t, 0);
    }
    return arg;
}

int main(void)
{
    for (int i = 0; i < 40; i++) {
        pid_t pid = fork();
        int status;
        if (!pid) {
            pthread_t t;
            for (int k = 0; k < 3; k++)
                CHECK(pthread_create(&t, 0, breed, 0) == 0);
            for (volatile int spin = 0; spin < i * 10000; spin++)
                ;
            _exit(40 + i);
        }
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 40 + i);
    }
    say("40 exits\n");
    return 0;
}
