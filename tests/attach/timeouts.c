// SPDX-License-Identifier: Apache-2.0
// One long wait in each of the calls that the kernel lets go on with what is left of their time. Each says when it is over. The program ends with the last one.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECONDS 2

static const struct timespec wait_time = {SECONDS, 0};

static int in_nanosleep(void) { return nanosleep(&wait_time, NULL); }
static int in_clock_nanosleep(void) { return clock_nanosleep(CLOCK_MONOTONIC, 0, &wait_time, NULL); }
static int in_poll(void) { return poll(NULL, 0, SECONDS * 1000); }
static int in_ppoll(void) { return ppoll(NULL, 0, &wait_time, NULL); }
static int in_pselect(void) { return pselect(0, NULL, NULL, NULL, &wait_time, NULL); }

static int in_select(void)
{
    struct timeval t = {SECONDS, 0};
    return select(0, NULL, NULL, NULL, &t);
}

static int in_futex(void)
{
    int word = 0;
    return !(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &wait_time, NULL, 0) == -1 && errno == ETIMEDOUT);
}

static const struct kind {
    const char *name;
    int (*wait)(void);
} kinds[] = {{"nanosleep", in_nanosleep}, {"clock_nanosleep", in_clock_nanosleep}, {"poll", in_poll}, {"ppoll", in_ppoll}, {"select", in_select}, {"pselect", in_pselect}, {"futex", in_futex}};
#define KINDS (sizeof kinds / sizeof *kinds)

static void *run(void *arg)
{
    const struct kind *k = arg;
    int r = k->wait();
    printf("%s %s\n", k->name, r ? "failed" : "over");
    fflush(stdout);
    return NULL;
}

int main(void)
{
    pthread_t thread[KINDS];
    printf("ready\n");
    fflush(stdout);
    for (unsigned i = 0; i < KINDS; i++)
        pthread_create(&thread[i], NULL, run, (void *)&kinds[i]);
    for (unsigned i = 0; i < KINDS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
