/* SPDX-License-Identifier: Apache-2.0
 * The table of registers and its look-ups. No state. */
#include "arch/x86/regs.h"

#include "linchpin/reg.h"

#include <Zydis/Zydis.h>

#include "arch/x86/reg_table.h"

const struct reg_row *regs_row(u32 reg) { return reg < REG_LAST && reg_rows[reg].text ? &reg_rows[reg] : NULL; }

u16 regs_class(u32 reg) { return reg < REG_LAST ? reg_rows[reg].cls : REG_CLASS_NONE; }

u16 regs_from_zydis(u32 zydis) { return zydis < ARRAY_LEN(reg_of_zydis) ? reg_of_zydis[zydis] : REG_INVALID_; }

u32 regs_to_zydis(u32 reg) { return reg < REG_LAST ? reg_rows[reg].zydis : 0; }

int regs_gpr_number(u16 reg, unsigned *offset, unsigned *bytes)
{
    const struct reg_row *row = regs_row(reg);
    if (!row || row->cls < REG_CLASS_GR64 || row->cls > REG_CLASS_GR_H8)
        return -1;
    *offset = row->cls == REG_CLASS_GR_H8;
    *bytes = row->bits / 8;
    return ZydisRegisterGetId((ZydisRegister)reg_rows[row->full].zydis);
}
