// SPDX-License-Identifier: Apache-2.0
// Eight threads end the process at the same time, each in its own way; others come and go. The tool's end comes once, and complete.
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_barrier_t all;

static void *churn(void *arg)
{
    pthread_t t;
    for (int i = 0; (long)arg && i < 50; i++)
        if (pthread_create(&t, NULL, churn, NULL) == 0)
            pthread_join(t, NULL);
    return NULL;
}

__attribute__((noinline)) void at_end(void) { __asm__ volatile("nop"); }

static void *body(void *arg)
{
    pthread_barrier_wait(&all);
    at_end();
    if ((long)arg % 2)
        syscall(SYS_exit_group, 3);
    exit(3);
}

int main(void)
{
    pthread_t t;
    pthread_barrier_init(&all, NULL, 8);
    pthread_create(&t, NULL, churn, (void *)1);
    pthread_create(&t, NULL, churn, (void *)1);
    for (long i = 0; i < 7; i++)
        pthread_create(&t, NULL, body, (void *)i);
    body(0);
}
//> exitrace status=3
//= prepared 1, ended once, fini 1 with 3
//> exitrace exit=yes status=4
//= prepared 1, ended once, fini 1 with 4
