// SPDX-License-Identifier: Apache-2.0
// Four threads call one function while the tool keeps taking its instrumentation back: no call is lost, and the sum is right.
#include <pthread.h>

#define TURNS 5000

int at_work(int v);
__asm__(".text\n.globl at_work\nat_work: lea 1(%rdi),%eax\nret\n");

static void *run(void *arg)
{
    int *sum = arg;
    for (int i = 0; i < TURNS; i++)
        *sum = at_work(*sum);
    return 0;
}

int main(void)
{
    pthread_t t[4];
    int sum[4] = {0};
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], 0, run, &sum[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    for (int i = 0; i < 4; i++)
        if (sum[i] != TURNS)
            return 1;
    return 0;
}
//> remove how=storm
//= called 20000
