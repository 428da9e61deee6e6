// x87 arithmetic: every operation at the three precisions and four roundings, stack shifts, integer and BCD stores.
#include "a_guest.h"

static void show(const char *what, long double v)
{
    uint64_t m;
    uint16_t e;
    memcpy(&m, &v, 8);
    memcpy(&e, (char *)&v + 8, 2);
    printf("%s %04x %016lx\n", what, e, m);
}

int main(void)
{
    double a = 1.1, b = 3.3;
    for (unsigned cw = 0x007f; cw <= 0x0f7f; cw += 0x100) {
        if ((cw & 0x300) == 0x100)
            continue; // a reserved precision
        uint16_t old, new = (uint16_t)cw;
        long double sum, quotient, root, product, whole;
        int32_t i;
        uint8_t bcd[10];
        __asm__ volatile("fnstcw %0; fldcw %1" : "=m"(old) : "m"(new));
        __asm__ volatile("fldl %1; faddl %2; fstpt %0" : "=m"(sum) : "m"(a), "m"(b));
        __asm__ volatile("fldl %1; fdivl %2; fstpt %0" : "=m"(quotient) : "m"(a), "m"(b));
        __asm__ volatile("fldl %1; fsqrt; fstpt %0" : "=m"(root) : "m"(b));
        __asm__ volatile("fldl %1; fldl %2; fmulp; fstpt %0" : "=m"(product) : "m"(a), "m"(b));
        __asm__ volatile("fldl %1; fld %%st; fmulp; frndint; fstpt %0" : "=m"(whole) : "m"(b));
        __asm__ volatile("fldl %1; fchs; fistpl %0" : "=m"(i) : "m"(b));
        __asm__ volatile("fldl %1; fbstp %0" : "=m"(bcd) : "m"(b));
        __asm__ volatile("fldcw %0" : : "m"(old));
        printf("cw %03x i %d bcd %d\n", cw, i, bcd[0]);
        show("sum", sum), show("quotient", quotient), show("root", root), show("product", product), show("whole", whole);
    }
    long double x, y, z;
    __asm__ volatile("fld1; fldpi; fldl2e; fxch %%st(2); fsubrp; fstpt %0; fld1; fcmove %%st(1), %%st; fstpt %1; ffree %%st(0); fincstp; "
                     "fldz; fxam; fabs; fstpt %2; fninit"
                     : "=m"(x), "=m"(y), "=m"(z));
    show("x", x), show("y", y), show("z", z);
    return 0;
}
