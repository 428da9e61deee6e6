/* SPDX-License-Identifier: Apache-2.0
 * What the bridge asks about the tool API's registers. Apart from it because <sys/ucontext.h> has enumerators of the same names. */
#include "arch/x86/regs.h"

#include "linchpin/reg.h"

bool regs_is_pc(u16 reg) { return reg == REG_INST_PTR; }
bool regs_is_flags(u16 reg) { return reg == REG_GFLAGS; }

int regs_xsave_offset(u16 reg)
{
    if (reg >= REG_XMM0 && reg <= REG_XMM15)
        return 160 + (reg - REG_XMM0) * 16;
    if (reg >= REG_ST0 && reg <= REG_ST7)
        return 32 + (reg - REG_ST0) * 16;
    return -1;
}
