/* SPDX-License-Identifier: Apache-2.0
 * What the bridge asks about the tool API's registers. It is a file of its own because <sys/ucontext.h> has enumerators
 * of the same names. No state. */
#include "arch/x86/regs.h"

#include "linchpin/reg.h"

bool regs_is_pc(u16 reg) { return reg == REG_INST_PTR; }
bool regs_is_k0(u16 reg) { return reg == REG_K0; }
bool regs_is_flags(u16 reg) { return reg == REG_GFLAGS; }

u32 regs_tile_number(u32 reg) { return reg - REG_TMM0; }

int arch_tool_register(u16 reg, unsigned *bytes)
{
    bool wide = reg >= REG_INST_G0 && reg <= REG_INST_G29, narrow = reg >= REG_INST_G0D && reg <= REG_INST_G29D;
    if (wide || narrow)
        *bytes = wide ? 8 : 4;
    return wide ? reg - REG_INST_G0 : narrow ? reg - REG_INST_G0D : -1;
}
