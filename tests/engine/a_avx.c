// AVX: 256-bit operations, permutes, masked moves, broadcasts, zeroing of the upper halves by VEX forms and vzeroupper.
// test: cc=-mavx
#include "a_guest.h"
#include <immintrin.h>

static void show(const char *what, __m256d v)
{
    uint64_t x[4];
    _mm256_storeu_pd((double *)x, v);
    printf("%s %016lx %016lx %016lx %016lx\n", what, x[3], x[2], x[1], x[0]);
}

static void run(void)
{
    volatile double in[8] = {1.5, 2.25, -3, 1e100, 0.1, -0.2, 7, 1e-300};
    __m256d a = _mm256_set_pd(in[3], in[2], in[1], in[0]), b = _mm256_set_pd(in[7], in[6], in[5], in[4]);
    show("add", _mm256_add_pd(a, b));
    show("div", _mm256_div_pd(a, b));
    show("hadd", _mm256_hadd_pd(a, b));
    show("cmp", _mm256_cmp_pd(a, b, _CMP_NGE_UQ));
    show("perm", _mm256_permute2f128_pd(a, b, 0x21));
    show("permil", _mm256_permute_pd(a, 6));
    show("blend", _mm256_blendv_pd(a, b, a));
    show("round", _mm256_round_pd(a, 1));
    show("broadcast", _mm256_broadcast_sd((const double *)&in[2]));
    double out[4] = {9, 9, 9, 9};
    _mm256_maskstore_pd(out, _mm256_set_epi64x(-1, 0, -1, 0), a);
    show("maskstore", _mm256_loadu_pd(out));
    show("maskload", _mm256_maskload_pd(out, _mm256_set_epi64x(0, -1, -1, 0)));
    printf("test %d %d\n", _mm256_testz_pd(a, b), _mm256_movemask_pd(a));
    uint64_t r[3][4];
    __asm__ volatile("vmovupd %3, %%ymm5; vmovupd %3, %%ymm6; vmovupd %3, %%ymm13\n"
                     "movapd %%xmm6, %%xmm5; vmovapd %%xmm6, %%xmm13\n" // the legacy form keeps the upper half, the VEX form clears it
                     "vmovupd %%ymm5, %0; vmovupd %%ymm13, %1; vzeroupper; vmovupd %%ymm6, %2"
                     : "=m"(r[0]), "=m"(r[1]), "=m"(r[2])
                     : "m"(in)
                     : "xmm5", "xmm6", "xmm13");
    for (int i = 0; i < 3; i++)
        printf("%lx %lx %lx %lx\n", r[i][3], r[i][2], r[i][1], r[i][0]);
}

int main(void)
{
    if (__builtin_cpu_supports("avx"))
        run();
    else
        puts("no");
    return 0;
}
