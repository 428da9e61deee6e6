// x87 transcendental functions and remainders, bit by bit, and the condition codes they leave.
#include "a_guest.h"

#define ONE(name, text)                                                                                                         \
    static void name(double x, double y)                                                                                        \
    {                                                                                                                           \
        long double r, s;                                                                                                       \
        uint16_t sw;                                                                                                            \
        uint64_t m[2];                                                                                                          \
        __asm__ volatile("fninit; fldl %3; fldl %4; " text "; fnstsw %2; fstpt %0; fstpt %1; fninit"                            \
                         : "=m"(r), "=m"(s), "=m"(sw)                                                                           \
                         : "m"(y), "m"(x));                                                                                     \
        memcpy(&m[0], &r, 8);                                                                                                   \
        memcpy(&m[1], &s, 8);                                                                                                   \
        printf(#name " %g %g: %016lx %016lx %04x\n", x, y, m[0], m[1], sw);                                                     \
    }
ONE(sine, "fsin")
ONE(cosine, "fcos")
ONE(both, "fsincos; fstp %%st(2)")
ONE(power, "f2xm1")
ONE(arctan, "fld %%st(1); fld %%st(1); fpatan; fstp %%st(1)")
ONE(logarithm, "fld %%st(1); fxch; fyl2x; fld %%st")
ONE(remain, "fprem")
ONE(remain1, "fprem1")
ONE(scale, "fscale")
ONE(split, "fxtract; fstp %%st(2)")

int main(void)
{
    static const double values[] = {0.5, -0.25, 0.75, 1e-5, 0.999};
    for (int i = 0; i < 5; i++) {
        double x = values[i], y = 1 + i * 0.3;
        sine(x, y), cosine(x, y), both(x, y), power(x, y), arctan(x, y);
        remain(x * 100, y), remain1(x * 100, y), scale(x, y), split(x * 77, y);
        if (x > 0)
            logarithm(x, y);
    }
    return 0;
}
