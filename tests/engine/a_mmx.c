// MMX: packed arithmetic, shifts, packs, and the aliasing with the x87 registers.
#include "a_guest.h"
#include <mmintrin.h>

static void show(const char *what, __m64 v)
{
    uint64_t x;
    memcpy(&x, &v, 8);
    _mm_empty();
    printf("%s %016lx\n", what, x);
}

int main(void)
{
    volatile uint64_t in[2] = {0x7fff800012345678, 0x0101fffe8000ff7f};
    __m64 a, b;
    memcpy(&a, (void *)&in[0], 8);
    memcpy(&b, (void *)&in[1], 8);
    show("padds", _mm_adds_pi16(a, b));
    show("psubus", _mm_subs_pu8(a, b));
    show("pmadd", _mm_madd_pi16(a, b));
    show("pmulhi", _mm_mulhi_pi16(a, b));
    show("pack", _mm_packs_pi32(a, b));
    show("unpack", _mm_unpackhi_pi8(a, b));
    show("cmp", _mm_cmpgt_pi16(a, b));
    show("shift", _mm_srai_pi16(a, 3));
    show("andn", _mm_andnot_si64(a, b));
    uint8_t st[10];
    uint16_t env[14];
    __asm__ volatile("fninit; movq %2, %%mm3; fnstenv %1; fldenv %1; fdecstp; fdecstp; fdecstp; fdecstp; fdecstp; fstpt %0; emms; fninit"
                     : "=m"(st), "=m"(env)
                     : "m"(in[0]));
    printf("tag %04x st", env[4]);
    for (int i = 9; i >= 0; i--)
        printf(" %02x", st[i]);
    printf("\n");
    return 0;
}
