/* SPDX-License-Identifier: Apache-2.0
 * INS_*: operands, and the registers that are read and written. Called from instrumentation callbacks, under
 * jit_lock. */
#include "api/ins_facts.h"
#include "regs.h"

UINT32 INS_OperandCount(INS ins) { return FACTS(ins)->noperands; }
/* The address register of a memory operand that the text does not show (stack, strings) is an implicit operand, and no
 * register operand. */
BOOL INS_OperandIsReg(INS ins, UINT32 n) { return OPERAND(ins, n)->kind == FACT_REG && !OPERAND(ins, n)->is_base; }
BOOL INS_OperandIsMemory(INS ins, UINT32 n) { return OPERAND(ins, n)->kind == FACT_MEM; }
BOOL INS_OperandIsImmediate(INS ins, UINT32 n) { return OPERAND(ins, n)->kind == FACT_IMM; }
BOOL INS_OperandIsBranchDisplacement(INS ins, UINT32 n) { return OPERAND(ins, n)->kind == FACT_BRANCH; }
BOOL INS_OperandIsAddressGenerator(INS ins, UINT32 n) { return OPERAND(ins, n)->kind == FACT_AGEN; }
BOOL INS_OperandIsImplicit(INS ins, UINT32 n) { return OPERAND(ins, n)->visibility != FACT_EXPLICIT; }
BOOL INS_OperandIsSegmentReg(INS ins, UINT32 n)
{
    return OPERAND(ins, n)->kind == FACT_REG && regs_class(OPERAND(ins, n)->reg) == REG_CLASS_SEG;
}
/* A memory operand whose address the encoding does not name: strings, the stack. */
BOOL INS_OperandIsFixedMemop(INS ins, UINT32 n)
{
    return OPERAND(ins, n)->kind == FACT_MEM && OPERAND(ins, n)->visibility != FACT_EXPLICIT;
}

REG INS_OperandReg(INS ins, UINT32 n)
{
    return OPERAND(ins, n)->kind == FACT_REG ? OPERAND(ins, n)->reg : REG_INVALID_;
}
UINT32 INS_OperandNameId(INS ins, UINT32 n) { return OPERAND(ins, n)->name; }
UINT32 INS_OperandWidth(INS ins, UINT32 n) { return OPERAND(ins, n)->bits; }
UINT32 INS_OperandSize(INS ins, UINT32 n) { return (OPERAND(ins, n)->bits + 7) / 8; }

UINT64 INS_OperandImmediate(INS ins, UINT32 n)
{
    const struct fact_operand *o = OPERAND(ins, n);
    if (o->kind != FACT_IMM && o->kind != FACT_BRANCH)
        api_misuse(__func__, NULL, 0, "operand %u of the instruction at 0x%lx is not an immediate", n,
                   INS_Address(ins));
    return o->imm;
}

BOOL INS_OperandRead(INS ins, UINT32 n) { return OPERAND(ins, n)->read; }
BOOL INS_OperandWritten(INS ins, UINT32 n) { return OPERAND(ins, n)->written; }
BOOL INS_OperandReadOnly(INS ins, UINT32 n) { return OPERAND(ins, n)->read && !OPERAND(ins, n)->written; }
BOOL INS_OperandWrittenOnly(INS ins, UINT32 n) { return OPERAND(ins, n)->written && !OPERAND(ins, n)->read; }
BOOL INS_OperandReadAndWritten(INS ins, UINT32 n) { return OPERAND(ins, n)->read && OPERAND(ins, n)->written; }

/* Flags and masks have single bits, not elements. */
BOOL INS_OperandHasElements(INS ins, UINT32 n)
{
    return OPERAND(ins, n)->elements > 1 && OPERAND(ins, n)->element_bits >= 8;
}
UINT32 INS_OperandElementCount(INS ins, UINT32 n) { return OPERAND(ins, n)->elements; }
USIZE INS_OperandElementSize(INS ins, UINT32 n) { return (OPERAND(ins, n)->element_bits + 7u) / 8; }

/* --- the address of a memory operand or of lea -------------------------------------------------------------- */

REG INS_OperandMemoryBaseReg(INS ins, UINT32 n) { return OPERAND(ins, n)->base; }
REG INS_OperandMemoryIndexReg(INS ins, UINT32 n) { return OPERAND(ins, n)->index; }
REG INS_OperandMemorySegmentReg(INS ins, UINT32 n) { return OPERAND(ins, n)->seg; }
UINT32 INS_OperandMemoryScale(INS ins, UINT32 n) { return OPERAND(ins, n)->scale ? OPERAND(ins, n)->scale : 1; }
ADDRDELTA INS_OperandMemoryDisplacement(INS ins, UINT32 n) { return OPERAND(ins, n)->disp; }

/* --- registers ---------------------------------------------------------------------------------------------- */

UINT32 INS_MaxNumRRegs(INS ins) { return FACTS(ins)->nread; }
UINT32 INS_MaxNumWRegs(INS ins) { return FACTS(ins)->nwritten; }
REG INS_RegR(INS ins, UINT32 n) { return n < FACTS(ins)->nread ? FACTS(ins)->read_reg[n] : REG_INVALID_; }
REG INS_RegW(INS ins, UINT32 n) { return n < FACTS(ins)->nwritten ? FACTS(ins)->written_reg[n] : REG_INVALID_; }

static bool contains(const u16 *regs, u32 count, REG reg, bool full)
{
    for (u32 i = 0; i < count; i++)
        if (regs[i] == (u16)reg || (full && REG_FullRegName((REG)regs[i]) == REG_FullRegName(reg)))
            return true;
    return false;
}

BOOL INS_RegRContain(INS ins, REG reg) { return contains(FACTS(ins)->read_reg, FACTS(ins)->nread, reg, false); }
BOOL INS_RegWContain(INS ins, REG reg) { return contains(FACTS(ins)->written_reg, FACTS(ins)->nwritten, reg, false); }
BOOL INS_FullRegRContain(INS ins, REG reg) { return contains(FACTS(ins)->read_reg, FACTS(ins)->nread, reg, true); }
BOOL INS_FullRegWContain(INS ins, REG reg)
{
    return contains(FACTS(ins)->written_reg, FACTS(ins)->nwritten, reg, true);
}

BOOL INS_RegIsImplicit(INS ins, REG reg)
{
    const struct ins_facts *f = FACTS(ins);
    for (u32 i = 0; i < f->noperands; i++)
        if (f->op[i].kind == FACT_REG && f->op[i].reg == (u16)reg)
            return f->op[i].visibility != FACT_EXPLICIT;
    return false;
}
