// The last x87 instruction's address, as fxsave64, and with a pending exception fnstenv and fnsave, report it, is the guest's or zero.
#include "a_guest.h"

static _Alignas(16) uint8_t area[512];
extern char at_divide[], at_add[];

static void report(const char *what, uint64_t fip, uint64_t fdp, const void *operand)
{
    const char *place = fip == 0 ? "zero" : fip == (uint64_t)at_divide ? "divide" : fip == (uint64_t)at_add ? "add" : "elsewhere";
    printf("%s: %s, operand %s\n", what, place, fdp == 0 ? "zero" : fdp == (uint64_t)operand ? "right" : "elsewhere");
}

/* 32 bits of it, behind the control, status and tag words. */
#define SHORT(op)                                                                                                                   \
    do {                                                                                                                            \
        uint32_t fip;                                                                                                               \
        memset(area, 0x5a, sizeof area);                                                                                            \
        __asm__ volatile("fninit; fldl %3; fldcw %4; 1: fdivl %2; " op " %0; fnclex; fldcw %5; fninit; lea 1b(%%rip), %1"          \
                         : "=m"(area), "=r"(at) : "m"(zero), "m"(two), "m"(unmasked), "m"(masked));                                  \
        memcpy(&fip, area + 12, 4);                                                                                                 \
        printf("%s, zero divide pending: %s\n", op, fip == 0 ? "zero" : fip == (uint32_t)at ? "divide" : "elsewhere");              \
    } while (0)

static double zero, two = 2;
static const uint16_t unmasked = 0x37b, masked = 0x37f;

static void short_forms(void)
{
    uint64_t at = 0;
    SHORT("fnstenv");
    SHORT("fnsave");
}

int main(void)
{
    uint64_t fip, fdp;
    __asm__ volatile("fninit; fldl %1; at_add: faddl %1; fxsave64 %0; fninit" : "=m"(area) : "m"(two));
    memcpy(&fip, area + 8, 8), memcpy(&fdp, area + 16, 8);
    report("fxsave, nothing pending", fip, fdp, &two);
    __asm__ volatile("fninit; fldl %2; fldcw %3; at_divide: fdivl %1; fxsave64 %0; fnclex; fldcw %4; fninit"
                     : "=m"(area)
                     : "m"(zero), "m"(two), "m"(unmasked), "m"(masked));
    memcpy(&fip, area + 8, 8), memcpy(&fdp, area + 16, 8);
    report("fxsave, zero divide pending", fip, fdp, &zero);
    printf("status %x\n", area[2] | area[3] << 8);
    short_forms();
    return 0;
}
