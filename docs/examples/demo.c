/* SPDX-License-Identifier: Apache-2.0
 * A small program for the examples of docs/cookbook.md: it adds up a matrix in two ways, one of which misses the cache,
 * sorts numbers, which branches cannot predict, and forgets to free one block in eight. */
#include <stdio.h>
#include <stdlib.h>

#define N 256
static int matrix[N][N];

static void fill(void)
{
    unsigned seed = 1;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            matrix[i][j] = (int)((seed = seed * 1103515245 + 12345) >> 16 & 1023);
}

static long sum_rows(void)
{
    long sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += matrix[i][j];
    return sum;
}

static long sum_columns(void)
{
    long sum = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            sum += matrix[i][j];
    return sum;
}

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void *make(int i)
{
    int *p = malloc(40);
    *p = i;
    return p;
}

int main(void)
{
    fill();
    printf("%ld %ld\n", sum_rows(), sum_columns());
    qsort(matrix[0], N, sizeof matrix[0][0], by_value);
    for (int i = 0; i < 64; i++) {
        void *p = make(i);
        if (i % 8)
            free(p);
    }
    return matrix[0][0];
}
