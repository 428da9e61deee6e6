// SPDX-License-Identifier: Apache-2.0
// A program with a second thread that ends as its tool wants it: by exit, by a fault,
// by a signal that it sends itself.
// counts: no
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

volatile int at_how; // the tool sets it
static sem_t started;

static void *wait_for_ever(void *arg)
{
    (void)arg;
    sem_post(&started);
    while (at_how < 9)
        pause();
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, wait_for_ever, NULL);
    sem_wait(&started);
    if (at_how == 1)
        *(volatile int *)8 = 1;
    if (at_how == 2)
        kill(getpid(), SIGTERM);
    if (at_how == 3)
        abort();
    for (; at_how == 2;)
        pause();
    exit(7);
}
//> ends how=0 status=7
//= prepare
//= 2 threads have ended, the last thread's data is there
//= images are told to be unloaded: ends is loaded
//= fini 7: thread data of 2 threads
//= fini unlocked
//= the tool's destructor
//> ends how=1 status=-11
//= prepare
//= 2 threads have ended, the last thread's data is there
//= images are told to be unloaded: ends is loaded
//= fini -1: thread data of 2 threads
//= fini unlocked
//= the tool's destructor
//> ends how=2 status=-15
//= prepare
//= 2 threads have ended, the last thread's data is there
//= images are told to be unloaded: ends is loaded
//= fini -1: thread data of 2 threads
//= fini unlocked
//= the tool's destructor
//> ends how=3 status=-6
//= prepare
//= 2 threads have ended, the last thread's data is there
//= images are told to be unloaded: ends is loaded
//= fini -1: thread data of 2 threads
//= fini unlocked
//= the tool's destructor
