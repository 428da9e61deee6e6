// AVX-512 gathers and scatters with random indices and masks, where the CPU has them; their element addresses are rewritten in mode rewrite.
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>

#define N 4096

static int words[N], out[N];
static long longs[N];
static uint64_t state = 88172645463325252ull, sum;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void add(const void *p, int bytes)
{
    for (int i = 0; i < bytes; i++)
        sum = sum * 31 + ((const unsigned char *)p)[i];
}

__attribute__((target("avx512f,avx512vl"))) static void turn(long n)
{
    int index[16];
    long wide[8];
    for (int i = 0; i < 16; i++)
        index[i] = (int)(next() % N);
    for (int i = 0; i < 8; i++)
        wide[i] = (long)(next() % N);
    __m512i at = _mm512_loadu_si512(index), far = _mm512_loadu_si512(wide);
    __mmask16 mask = (__mmask16)next();
    __m512i a = _mm512_mask_i32gather_epi32(_mm512_set1_epi32(7), mask, at, words, 4);
    __m512i b = _mm512_mask_i64gather_epi64(_mm512_set1_epi64(9), (__mmask8)mask, far, longs, 8);
    __m256i c = _mm256_mmask_i32gather_epi32(_mm256_set1_epi32(3), (__mmask8)mask, _mm512_castsi512_si256(at), words, 4);
    add(&a, sizeof a);
    add(&b, sizeof b);
    add(&c, sizeof c);
    _mm512_mask_i32scatter_epi32(out, mask, at, a, 4);
    _mm512_mask_i64scatter_epi64(longs, (__mmask8)(mask >> 8), far, b, 8);
    _mm256_mask_i32scatter_epi64(longs, (__mmask8)(mask >> 4), _mm512_castsi512_si128(at), _mm256_set1_epi64x(n), 8);
}

int main(void)
{
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl")) {
        puts("no AVX-512");
        return 0;
    }
    for (int i = 0; i < N; i++) {
        words[i] = (int)next();
        longs[i] = (long)next();
    }
    for (long n = 0; n < 200; n++)
        turn(n);
    add(out, sizeof out);
    add(longs, sizeof longs);
    printf("%lx\n", sum);
    return 0;
}
