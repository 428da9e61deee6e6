// The x87 environment: control, status and tag words by fnstenv and fnsave, and all of it back by fldenv and frstor.
#include "a_guest.h"

struct env {
    uint32_t control, status, tag, fip, fcs_opcode, fdp, fds;
};

int main(void)
{
    struct env e = {0};
    struct {
        struct env e;
        uint8_t regs[80];
    } save;
    uint16_t sw1, sw2;
    __asm__ volatile("fninit; fld1; fldz; fldpi; fnstenv %0" : "=m"(e));
    printf("%x %x %x\n", e.control & 0xffff, e.status & 0xffff, e.tag & 0xffff);
    // fnstenv masks all exceptions; fldenv brings the old masks and status back
    e.control = (e.control & ~0xc3fu) | 0xc3f;
    e.status = 0x4500 | (e.status & 0x3800);
    __asm__ volatile("fldenv %1; fnstsw %0; fnsave %2; fnstsw %3" : "=m"(sw1), "+m"(e), "=m"(save), "=m"(sw2));
    printf("%x %x\n", sw1, sw2);
    printf("%x %x %x\n", save.e.control & 0xffff, save.e.status & 0xffff, save.e.tag & 0xffff);
    for (int i = 0; i < 3; i++) {
        for (int k = 9; k >= 0; k--)
            printf("%02x", save.regs[i * 10 + k]);
        printf("\n");
    }
    double top;
    __asm__ volatile("frstor %1; faddp; fstl %0; fnstsw %2; fninit" : "=m"(top), "=m"(save), "=m"(sw1) : "m"(save));
    printf("%.15f %x\n", top, sw1);
    return 0;
}
