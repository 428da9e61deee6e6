// AVX-512: masks, zeroing, embedded broadcast and rounding, compress and expand, scatter, ternary logic, zmm16 to zmm31.
// test: cc=-mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512cd
#include "a_guest.h"
#include <immintrin.h>

static void show(const char *what, __m512i v)
{
    uint64_t x[8];
    _mm512_storeu_si512(x, v);
    printf("%s", what);
    for (int i = 7; i >= 0; i--)
        printf(" %lx", x[i]);
    printf("\n");
}

static void run(void)
{
    static int table[64];
    int cell[16];
    for (int i = 0; i < 64; i++)
        table[i] = i * 0x01020304;
    for (int i = 0; i < 16; i++)
        cell[i] = i * 7 % 16;
    volatile __mmask16 k = 0xa5c3;
    __m512i i = _mm512_loadu_si512(cell), a = _mm512_i32gather_epi32(i, table, 4);
    show("mask add", _mm512_mask_add_epi32(i, k, a, i));
    show("zero mask", _mm512_maskz_mullo_epi32(k, a, i));
    show("compress", _mm512_maskz_compress_epi32(k, a));
    show("expand", _mm512_mask_expand_epi32(i, k, a));
    show("ternary", _mm512_ternarylogic_epi64(a, i, _mm512_set1_epi64(0xf0f0), 0x96));
    show("rounded", _mm512_castps_si512(_mm512_div_round_ps(_mm512_set1_ps(1), _mm512_set1_ps(3), _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)));
    show("conflict", _mm512_conflict_epi32(_mm512_and_epi32(i, _mm512_set1_epi32(3))));
    show("lzcnt", _mm512_lzcnt_epi64(a));
    show("permute", _mm512_permutexvar_epi32(i, a));
    _mm512_mask_i32scatter_epi32(table, k, i, a, 4);
    unsigned sum = 0;
    for (int n = 0; n < 64; n++)
        sum = sum * 31 + (unsigned)table[n];
    printf("scatter %x cmp %x\n", sum, _mm512_mask_cmp_epi32_mask(k, a, i, _MM_CMPINT_NLE));
    uint64_t r[8], mask;
    __asm__ volatile("vmovdqu64 %2, %%zmm31; vpaddd %3%{1to16%}, %%zmm31, %%zmm17; kxnorq %%k3, %%k3, %%k3; kshiftrq $9, %%k3, %%k3\n"
                     "kmovq %%k3, %1; vmovdqu64 %%zmm17, %0"
                     : "=m"(r), "=m"(mask)
                     : "m"(cell), "m"(cell[3])
                     : "xmm17", "xmm31", "k3");
    printf("high %lx %lx k %lx\n", r[0], r[7], mask);
}

int main(void)
{
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        run();
    else
        puts("no");
    return 0;
}
