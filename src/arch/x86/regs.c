/* SPDX-License-Identifier: Apache-2.0
 * The table of registers and its look-ups. It changes once, at start, for a tool whose registers are those of IA-32. */
#include "arch/x86/regs.h"

#include "arch/arch.h"

#include "linchpin/reg.h"

#include <Zydis/Zydis.h>

#include "arch/x86/reg_table.h"

const struct reg_row *regs_row(u32 reg) { return reg < REG_LAST && reg_rows[reg].text ? &reg_rows[reg] : NULL; }

u16 regs_class(u32 reg) { return reg < REG_LAST ? reg_rows[reg].cls : REG_CLASS_NONE; }

u16 regs_from_zydis(u32 zydis) { return zydis < ARRAY_LEN(reg_of_zydis) ? reg_of_zydis[zydis] : REG_INVALID_; }

u32 regs_to_zydis(u32 reg) { return reg < REG_LAST ? reg_rows[reg].zydis : 0; }

void arch_use_narrow_tool(void)
{
    arch_narrow_tool = true;
    for (size_t i = 0; i < ARRAY_LEN(reg_halves); i++) {
        const struct reg_row *half = &reg_rows[reg_halves[i].half];
        struct reg_row *whole = &reg_rows[reg_halves[i].whole];
        reg_of_zydis[half->zydis] = reg_halves[i].whole;
        whole->text = half->text;
        whole->bits = half->bits;
    }
    for (u32 reg = REG_INST_BASE; reg <= REG_INST_TOOL_LAST; reg++)
        reg_rows[reg].bits = 32;
}

int regs_gpr_number(u16 reg, unsigned *offset, unsigned *bytes)
{
    const struct reg_row *row = regs_row(reg);
    if (!row || row->cls < REG_CLASS_GR64 || row->cls > REG_CLASS_GR_H8)
        return -1;
    *offset = row->cls == REG_CLASS_GR_H8;
    *bytes = row->bits / 8;
    return ZydisRegisterGetId((ZydisRegister)reg_rows[row->full].zydis);
}
