/* SPDX-License-Identifier: Apache-2.0
 * Changes of instructions: deletion, jumps, memory operands (struct ins_change); lowering carries them out. From
 * instrumentation callbacks, under jit_lock. */
#include "api/ins_facts.h"
#include "arch/arch.h"
#include "regs.h"
#include "linchpin/iarg.h"

static struct ins_change *change_of(struct ins *i)
{
    if (!i->change)
        i->change = objects_alloc(sizeof *i->change);
    return i->change;
}

/* Calls inserted before and after it stay. */
VOID INS_Delete(INS ins) { ins_checked(ins, __func__)->deleted = true; }

/* A register with room for an address: the tool's own or a general one of the application. */
static bool holds_address(REG reg)
{
    unsigned at, bytes;
    if (arch_tool_register((u16)reg, &bytes) >= 0 || regs_gpr_number((u16)reg, &at, &bytes) >= 0)
        return bytes == 8;
    return false;
}

static void add_jump(const char *call, INS ins, IPOINT point, struct ins_jump jump)
{
    struct ins *i = ins_checked(ins, call);
    if (point != IPOINT_BEFORE && point != IPOINT_AFTER)
        api_misuse(call, NULL, 0, "a jump goes to IPOINT_BEFORE or IPOINT_AFTER, not to %d", (int)point);
    struct ins_jump *at = point == IPOINT_BEFORE ? &change_of(i)->before : &change_of(i)->after;
    if (at->set)
        api_misuse(call, NULL, 0, "the instruction at 0x%lx has a jump at this place already", i->pc);
    *at = jump;
}

VOID INS_InsertDirectJump(INS ins, IPOINT point, ADDRINT address)
{
    add_jump(__func__, ins, point, (struct ins_jump){.set = true, .target = address});
}

VOID INS_InsertIndirectJump(INS ins, IPOINT point, REG reg)
{
    if (!holds_address(reg))
        api_misuse(__func__, NULL, 0, "%s cannot hold the target: a 64-bit general or tool register is needed",
                   REG_StringShort(reg));
    add_jump(__func__, ins, point, (struct ins_jump){.set = true, .indirect = true, .reg = (u16)reg});
}

VOID INS_RewriteMemoryOperand(INS ins, UINT32 n, REG reg)
{
    struct ins *i = ins_checked(ins, __func__);
    (void)MEMORY(ins, n);
    if (!holds_address(reg))
        api_misuse(__func__, NULL, 0, "%s cannot hold the address: a 64-bit general or tool register is needed",
                   REG_StringShort(reg));
    if (i->change && (i->change->read.old || i->change->written.old))
        api_misuse(__func__, NULL, 0,
                   "registers of the instruction at 0x%lx have been changed (INS_ChangeReg): one or the other", i->pc);
    if (!arch_allows(i, CHANGE_REWRITE, n))
        api_misuse(__func__, NULL, 0,
                   "memory operand %u of the instruction at 0x%lx (%s) has no single address that can be changed", n,
                   i->pc, INS_Mnemonic(ins));
    change_of(i)->rewrite[n] = (u16)reg;
}

VOID INS_RewriteScatteredMemoryOperand(INS ins, UINT32 n)
{
    struct ins *i = ins_checked(ins, __func__);
    (void)MEMORY(ins, n);
    if (!arch_allows(i, CHANGE_SCATTERED, n))
        api_misuse(__func__, NULL, 0, "the instruction at 0x%lx (%s) is not a gather or scatter", i->pc,
                   INS_Mnemonic(ins));
    change_of(i)->scattered = true;
}

/* False: the instruction does not read, or write, the register, or it cannot be done. */
BOOL INS_ChangeReg(INS ins, REG old, REG new, BOOL as_read)
{
    struct ins *i = ins_checked(ins, __func__);
    const struct ins_change *c = i->change;
    if (c &&
        (c->scattered || c->rewrite[0] || c->rewrite[1] || c->rewrite[2] || (as_read ? c->read.old : c->written.old)))
        return false;
    if (!arch_allows_reg(i, (u16)old, (u16)new, as_read))
        return false;
    if (as_read)
        change_of(i)->read.old = (u16)old, change_of(i)->read.new = (u16)new;
    else
        change_of(i)->written.old = (u16)old, change_of(i)->written.new = (u16)new;
    return true;
}

/* --- older names -------------------------------------------------------------------------------------------------- */

static int operand_of_type(const struct ins_facts *f, MEMORY_TYPE type)
{
    return type == MEMORY_TYPE_WRITE ? facts_write_operand(f) : facts_read_operand(f, type == MEMORY_TYPE_READ2);
}

/* False: the instruction has no such operand, or it cannot be changed. */
BOOL INS_RewriteMemoryAddressingToBaseRegisterOnly(INS ins, MEMORY_TYPE type, REG reg)
{
    int n = operand_of_type(FACTS(ins), type);
    if (n < 0 || !holds_address(reg) || !arch_allows(ins_checked(ins, __func__), CHANGE_REWRITE, (u32)n))
        return false;
    INS_RewriteMemoryOperand(ins, (UINT32)n, reg);
    return true;
}

BOOL INS_ChangeMemOpToBaseRegisterAddressMode(INS ins, MEMORY_TYPE type, REG reg)
{
    return INS_RewriteMemoryAddressingToBaseRegisterOnly(ins, type, reg);
}
