// SSSE3 to SSE4.2, AES and PCLMUL: shuffles, blends, string compares, CRC, population count.
// test: cc=-msse4.2 -maes -mpclmul -mpopcnt
#include "a_guest.h"
#include <immintrin.h>

static void show(const char *what, __m128i v)
{
    uint64_t x[2];
    _mm_storeu_si128((__m128i *)x, v);
    printf("%s %016lx %016lx\n", what, x[1], x[0]);
}

int main(void)
{
    char volatile text[33] = "hello, wonderful world of tests!";
    char copy[33];
    memcpy(copy, (char *)text, 33);
    __m128i a = _mm_loadu_si128((__m128i *)copy), b = _mm_loadu_si128((__m128i *)(copy + 16)), z = _mm_setzero_si128();
    show("pshufb", _mm_shuffle_epi8(a, _mm_and_si128(b, _mm_set1_epi8((char)0x8f))));
    show("palignr", _mm_alignr_epi8(a, b, 5));
    show("pmaddubs", _mm_maddubs_epi16(a, b));
    show("blend", _mm_blend_epi16(a, b, 0xa5));
    show("blendv", _mm_blendv_epi8(a, b, _mm_slli_epi16(a, 3)));
    show("minpos", _mm_minpos_epu16(a));
    show("mpsad", _mm_mpsadbw_epu8(a, b, 5));
    show("dpps", _mm_castps_si128(_mm_dp_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), 0xf1)));
    show("round", _mm_castps_si128(_mm_round_ps(_mm_set_ps(1.5f, 2.5f, -1.5f, -0.5f), 0)));
    printf("ptest %d %d %d\n", _mm_testz_si128(a, b), _mm_testc_si128(a, a), _mm_testnzc_si128(a, b));
    printf("pcmpistri %d %d\n", _mm_cmpistri(a, b, 0x00), _mm_cmpistrc(a, b, 0x18));
    printf("pcmpestri %d %d\n", _mm_cmpestri(a, 7, b, 12, 0x0c), _mm_cmpestrz(a, 7, b, 12, 0x0c));
    show("pcmpistrm", _mm_cmpistrm(a, b, 0x40));
    printf("crc %08x %016llx\n", _mm_crc32_u8(0xffffffff, 'x'), _mm_crc32_u64(0x1234, 0x0123456789abcdef));
    printf("popcnt %lld extract %d %lld\n", _mm_popcnt_u64(0x123456789abcdef), _mm_extract_epi8(a, 3), _mm_extract_epi64(b, 1));
    show("aesenc", _mm_aesenc_si128(a, b));
    show("aeskey", _mm_aeskeygenassist_si128(a, 0x36));
    show("clmul", _mm_clmulepi64_si128(a, b, 0x10));
    show("zero", z);
    return 0;
}
