// AVX2 and FMA: gathers with masks, variable shifts, permutes, fused multiply-add.
// test: cc=-mavx2 -mfma
#include "a_guest.h"
#include <immintrin.h>

static void show(const char *what, __m256i v)
{
    uint64_t x[4];
    _mm256_storeu_si256((__m256i *)x, v);
    printf("%s %016lx %016lx %016lx %016lx\n", what, x[3], x[2], x[1], x[0]);
}

static void run(void)
{
    static int table[64];
    for (int i = 0; i < 64; i++)
        table[i] = i * 0x01020304;
    __m256i index = _mm256_set_epi32(63, 1, 5, 40, 9, 0, 33, 2), a = _mm256_i32gather_epi32(table, index, 4);
    show("gather", a);
    __m256i mask = _mm256_set_epi32(-1, 0, -1, 0, 0, 0, -1, -1);
    show("masked gather", _mm256_mask_i32gather_epi32(index, table, index, mask, 4));
    show("gather 64", _mm256_i64gather_epi64((const long long *)table, _mm256_set_epi64x(3, 0, 7, 20), 8));
    show("sllv", _mm256_sllv_epi32(a, index));
    show("srav", _mm256_srav_epi32(a, index));
    show("permvar", _mm256_permutevar8x32_epi32(a, index));
    show("perm64", _mm256_permute4x64_epi64(a, 0x1b));
    show("pshufb", _mm256_shuffle_epi8(a, index));
    show("mul", _mm256_mul_epi32(a, index));
    show("maddubs", _mm256_maddubs_epi16(a, index));
    show("insert", _mm256_inserti128_si256(a, _mm256_castsi256_si128(index), 1));
    printf("movemask %x\n", (unsigned)_mm256_movemask_epi8(a));
    __m256d x = _mm256_set_pd(1.1, -2.2, 3.3, 1e10), y = _mm256_set_pd(1.7, 2.9, -3.1, 1e-10);
    show("fma", _mm256_castpd_si256(_mm256_fmadd_pd(x, y, x)));
    show("fnmsub", _mm256_castpd_si256(_mm256_fnmsub_pd(x, y, x)));
    show("fmaddsub", _mm256_castpd_si256(_mm256_fmaddsub_pd(x, y, y)));
}

int main(void)
{
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        run();
    else
        puts("no");
    return 0;
}
