// SPDX-License-Identifier: Apache-2.0
// Four threads that call at_work 3000 times each.
#include <pthread.h>

void at_work(void);
void at_work(void) { __asm__ volatile(""); }

static void *body(void *arg)
{
    for (int i = 0; i < 3000; i++)
        at_work();
    return arg;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        if (pthread_create(&t[i], 0, body, 0))
            return 1;
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    return 0;
}
//> locks
//= lock 12000 mutex 12000 written 12000 client 12000 wrong 0
//= handshakes 100
