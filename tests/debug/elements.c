/* SPDX-License-Identifier: Apache-2.0
 * A guest for gdb: gathers, masked moves and repeated string instructions, some of whose elements are watched.
 * flags: -mavx2 */
#include <immintrin.h>
#include <stdio.h>
#include <string.h>

int table[64], from[8], to[64];
char text[64], copy[64];

static void gather(int third, int mask)
{
    __m256i index = _mm256_setr_epi32(1, 9, third, 25, 33, 41, 49, 57), all = _mm256_setr_epi32(-1, -1, mask, -1, -1, -1, -1, -1);
    _mm256_storeu_si256((void *)from, _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), table, index, all, 4));
}

static void masked(int third, int mask)
{
    __m256i all = _mm256_setr_epi32(-1, -1, mask, -1, 0, 0, 0, 0);
    _mm256_maskstore_epi32(to + 8, all, _mm256_set1_epi32(third));
}

static void repeat(const char *p, long n, int backwards)
{
    const char *s = p;
    char *d = copy + (p - text);
    if (backwards)
        __asm__ volatile("std; rep movsb; cld" : "+S"(s), "+D"(d), "+c"(n) : : "memory", "cc");
    else
        __asm__ volatile("rep movsb" : "+S"(s), "+D"(d), "+c"(n) : : "memory", "cc");
}

static void step(int n)
{
    printf("step %d\n", n);
}

int main(void)
{
    for (int i = 0; i < 64; i++)
        table[i] = i, text[i] = (char)('0' + i);
    step(1);
    gather(18, -1); /* next to it */
    gather(17, 0);  /* there, but masked off */
    gather(17, -1);
    step(2);
    masked(5, 0);
    masked(6, -1);
    step(3);
    repeat(text, 20, 0); /* up to it */
    repeat(text + 20, 0, 0);
    repeat(text + 10, 20, 0);
    repeat(text + 40, 20, 1); /* not down to it */
    text[20] = 'x';
    repeat(text + 25, 20, 1);
    step(4);
    printf("%d %d %.30s\n", from[2], to[10], copy);
    return 0;
}
