/* SPDX-License-Identifier: Apache-2.0
 * Accesses to ask about: two threads that write bytes of their own in one line, walks through an array with strides of one element and of a line, and stores that nobody reads. */
#include <pthread.h>

static struct {
    _Alignas(64) volatile char at[64];
} line;
static volatile int matrix[64][16]; /* a line for each row */
static volatile int written[64];

static void *count(void *arg)
{
    int me = arg ? 8 : 0;
    for (int i = 0; i < 300; i++)
        line.at[me]++;
    return 0;
}

static int walk(void)
{
    int sum = 0;
    for (int row = 0; row < 64; row++)
        for (int column = 0; column < 16; column++)
            sum += matrix[row][column];
    for (int column = 0; column < 16; column++)
        for (int row = 0; row < 64; row++)
            sum += matrix[row][column];
    for (int i = 0; i < 64; i++)
        written[i] = sum;
    return sum;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, count, &line);
    count(0);
    pthread_join(thread, 0);
    return walk();
}
