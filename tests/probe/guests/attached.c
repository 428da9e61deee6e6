/* SPDX-License-Identifier: Apache-2.0
 * Is attached to and detached from while it runs. Threads call `visited` without a pause; one more, with SIGUSR2
 * blocked, waits in read. Each line on standard input is a command: `more`: until each thread has called it 1,000 times
 * more; `code`: is its code as it was at the start?; `mask`: the waiting thread says what it blocks; the end of the
 * input ends it with status 7. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define THREADS 8
#define CODE_BYTES 32

static volatile int stop;
static volatile long calls[THREADS];
static unsigned char code[CODE_BYTES];
static int asked[2], told[2];

__attribute__((noipa)) long visited(long n)
{
    long a = n % 7, b = n % 11;
    return a * b + n;
}

static void *body(void *arg)
{
    for (long n = 0; !stop; calls[(long)arg] = ++n)
        if (visited(n) != n % 7 * (n % 11) + n)
            _exit(9);
    return NULL;
}

static void *masked(void *arg)
{
    char byte;
    sigset_t set;
    while (read(asked[0], &byte, 1) == 1) {
        pthread_sigmask(SIG_SETMASK, NULL, &set);
        byte = (char)('0' + 2 * sigismember(&set, SIGUSR1) + sigismember(&set, SIGUSR2));
        if (write(told[1], &byte, 1) != 1)
            break;
    }
    return arg;
}

static void more(void)
{
    long want[THREADS];
    for (int i = 0; i < THREADS; i++)
        want[i] = calls[i] + 1000;
    for (int i = 0; i < THREADS; i++)
        while (calls[i] < want[i])
            sched_yield();
    puts("more");
}

static void ask_mask(void)
{
    char byte = 0;
    if (write(asked[1], "", 1) == 1 && read(told[0], &byte, 1) == 1)
        printf("mask %c\n", byte);
}

int main(void)
{
    pthread_t t[THREADS + 1];
    sigset_t set;
    char line[16];
    memcpy(code, (void *)visited, sizeof code);
    if (pipe(asked) || pipe(told))
        return 1;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, body, (void *)i);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t[THREADS], NULL, masked, NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (puts("ready"); fgets(line, sizeof line, stdin);)
        if (line[0] == 'm' && line[1] == 'o')
            more();
        else if (line[0] == 'm')
            ask_mask();
        else
            puts(memcmp(code, (void *)visited, sizeof code) ? "code changed" : "code as it was");
    stop = 1;
    close(asked[1]);
    for (int i = 0; i <= THREADS; i++)
        pthread_join(t[i], NULL);
    puts("done");
    return 7;
}
