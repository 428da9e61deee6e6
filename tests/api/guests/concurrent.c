// SPDX-License-Identifier: Apache-2.0
// Two threads make the same system call at the same time.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_barrier_t both;

static void *body(void *arg)
{
    pthread_barrier_wait(&both);
    syscall(SYS_getppid);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_barrier_init(&both, NULL, 2);
    if (pthread_create(&t, NULL, body, NULL))
        return 1;
    body(NULL);
    return pthread_join(t, NULL);
}
//> concurrent
//= met 0
//= unlocked
//> concurrent allow=yes
//= met 2
//= unlocked
