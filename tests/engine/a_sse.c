// SSE and SSE2: float and integer operations, conversions with roundings, MXCSR flags, non-temporal and masked stores.
#include "a_guest.h"
#include <emmintrin.h>

static void show(const char *what, __m128i v)
{
    uint64_t x[2];
    _mm_storeu_si128((__m128i *)x, v);
    printf("%s %016lx %016lx\n", what, x[1], x[0]);
}

int main(void)
{
    volatile float f[4] = {1.5f, -2.25f, 1e30f, 0.1f}, g[4] = {3, 0.5f, 1e30f, -7.7f};
    __m128 a = _mm_set_ps(f[3], f[2], f[1], f[0]), b = _mm_set_ps(g[3], g[2], g[1], g[0]);
    __m128i i = _mm_castps_si128(a), k = _mm_castps_si128(b);
    for (unsigned rc = 0; rc < 4; rc++) {
        _mm_setcsr(0x1f80 | rc << 13);
        __m128 m = _mm_mul_ps(a, b), d = _mm_div_ps(a, b), s = _mm_sqrt_ps(b);
        __m128i c = _mm_cvtps_epi32(a);
        unsigned csr = _mm_getcsr();
        _mm_setcsr(0x1f80);
        printf("rounding %u csr %x\n", rc, csr);
        show("mul", _mm_castps_si128(m)), show("div", _mm_castps_si128(d)), show("sqrt", _mm_castps_si128(s)), show("cvt", c);
    }
    show("cmp", _mm_castps_si128(_mm_cmplt_ps(a, b)));
    show("shuffle", _mm_castps_si128(_mm_shuffle_ps(a, b, 0x6c)));
    show("sad", _mm_sad_epu8(i, k));
    show("mulhi", _mm_mulhi_epu16(i, k));
    show("packus", _mm_packus_epi16(i, k));
    show("shift", _mm_srli_si128(i, 5));
    printf("comi %d %d mask %d\n", _mm_comilt_ss(a, b), _mm_ucomieq_ss(a, a), _mm_movemask_ps(a));
    _Alignas(16) uint8_t out[32];
    memset(out, 0xee, sizeof out);
    _mm_maskmoveu_si128(i, k, (char *)out);
    _mm_stream_si128((__m128i *)(out + 16), k);
    _mm_sfence();
    for (int n = 0; n < 32; n++)
        printf("%02x", out[n]);
    printf("\n");
    return 0;
}
