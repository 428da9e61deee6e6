// SPDX-License-Identifier: Apache-2.0
// Threads that run the same loops at once, some of them one after another, and look in between: counts are exact, also those that the threads share.
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS 200
#define LOOPS 5000

static volatile unsigned work;

__attribute__((noinline)) static void body(unsigned n)
{
    while (n--)
        asm volatile(".globl at_loop\nat_loop: nop");
}

static void *thread(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        body(LOOPS);
        if (i % 16 == 0)
            getppid(); /* the tool looks */
        work++;
    }
    return arg;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int twice = 0; twice < 2; twice++) {
        for (int i = 0; i < THREADS; i++)
            if (pthread_create(&t[i], NULL, thread, NULL))
                return 1;
        for (int i = 0; i < THREADS; i++)
            pthread_join(t[i], NULL);
    }
    return 0;
}
//> private
//= threads 9
//= array exact
//= table exact
//= pointers exact
//= data exact
//= register exact
//= value exact
//= seen in order
//> private engine=-no_spread
//= threads 9
//= array exact
//= table exact
//= pointers exact
//= data exact
//= register exact
//= value exact
//= seen in order
//> private engine=-no_inline
//= threads 9
//= array exact
//= table exact
//= pointers exact
//= data exact
//= register exact
//= value exact
//= seen in order
//> private other=yes
//= threads 9
//= array exact
//= table exact
//= pointers exact
//= data exact
//= register exact
//= value exact
//= seen in order
//> private mark=yes
//= threads 9
//= array exact
//= table exact
//= pointers exact
//= data exact
//= register exact
//= value exact
//= marks exact
//= seen in order
