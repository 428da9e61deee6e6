// SPDX-License-Identifier: Apache-2.0
// One thread forks while others call a function at which the tool asks for names all the time; each child runs code that is new to it.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int ended;

__attribute__((noinline)) void asks(void) { __asm__ volatile("" ::: "memory"); }

static void *body(void *arg)
{
    while (!ended)
        asks();
    return arg;
}

__attribute__((noinline)) static int in_child(int n)
{
    char text[32];
    snprintf(text, sizeof text, "%d", n);
    asks();
    return atoi(text) & 63;
}

int main(void)
{
    pthread_t t[2];
    int bad = 0;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, body, NULL))
            return 1;
    for (int i = 0; i < 100; i++) {
        int status = 0;
        pid_t pid = fork();
        if (pid == 0)
            _exit(in_child(i));
        bad += pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != (i & 63);
    }
    ended = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return bad != 0;
}
//> forklocks
//= asked in the parent yes, wrong names 0
