// SPDX-License-Identifier: Apache-2.0
// Threads that have locks, alternate stacks and masks from before; SIGUSR1 lets them end, and the program ends with 7 when what they leave behind is right.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock[2];
static pthread_barrier_t taken;
static int go[2], on_stack;
static char stack[65536];

static void handler(int sig)
{
    char here;
    (void)sig;
    on_stack = &here > stack && &here < stack + sizeof stack;
}

static void *owner(void *arg)
{
    char c;
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack}, now;
    pthread_mutex_lock(&lock[arg != NULL]);
    if (arg)
        sigaltstack(&alternate, NULL);
    pthread_barrier_wait(&taken);
    if (read(go[0], &c, 1) != 1)
        exit(1);
    if (arg) {
        sigaltstack(NULL, &now);
        if (now.ss_sp != stack || now.ss_size != sizeof stack)
            exit(2);
        pthread_kill(pthread_self(), SIGUSR2);
    }
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t robust;
    struct sigaction act = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    pthread_t t[2];
    sigset_t set;
    int sig;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigaction(SIGUSR2, &act, NULL);
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_barrier_init(&taken, NULL, 3);
    if (pipe(go))
        return 1;
    for (long i = 0; i < 2; i++) {
        pthread_mutex_init(&lock[i], &robust);
        pthread_create(&t[i], NULL, owner, (void *)i);
    }
    pthread_barrier_wait(&taken);
    puts("ready");
    fflush(stdout);
    sigwait(&set, &sig);
    if (write(go[1], "ab", 2) != 2)
        return 1;
    for (int i = 0; i < 2; i++)
        if (pthread_join(t[i], NULL) || pthread_mutex_trylock(&lock[i]) != EOWNERDEAD)
            return 3;
    return on_stack ? 7 : 4;
}
