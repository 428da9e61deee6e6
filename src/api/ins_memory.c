/* SPDX-License-Identifier: Apache-2.0
 * INS_*: memory operands. Called from instrumentation callbacks, under jit_lock. */
#include "api/ins_facts.h"
#include "regs.h"

UINT32 INS_MemoryOperandCount(INS ins) { return FACTS(ins)->nmem; }
/* An operand that is not there is neither read nor written: many tools ask about operand 0 of any instruction. */
BOOL INS_MemoryOperandIsRead(INS ins, UINT32 n) { return n < FACTS(ins)->nmem && MEMORY(ins, n)->read; }
BOOL INS_MemoryOperandIsWritten(INS ins, UINT32 n) { return n < FACTS(ins)->nmem && MEMORY(ins, n)->written; }
USIZE INS_MemoryOperandSize(INS ins, UINT32 n) { return MEMORY(ins, n)->bits / 8; }
UINT32 INS_MemoryOperandElementCount(INS ins, UINT32 n) { return MEMORY(ins, n)->elements; }
USIZE INS_MemoryOperandElementSize(INS ins, UINT32 n) { return MEMORY(ins, n)->element_bits / 8u; }

UINT32 INS_MemoryOperandIndexToOperandIndex(INS ins, UINT32 n)
{
    const struct fact_operand *o = MEMORY(ins, n);
    return (UINT32)(o - FACTS(ins)->op);
}

/* --- by access ---------------------------------------------------------------------------------------------- */

static const struct fact_operand *operand_or_null(const struct ins_facts *f, int n)
{
    return n < 0 ? NULL : &f->op[f->mem[n]];
}
static const struct fact_operand *reads(INS ins, u32 n, const char *call)
{
    const struct ins_facts *f = ins_facts(ins, call);
    return operand_or_null(f, facts_read_operand(f, n));
}
static const struct fact_operand *writes(INS ins, const char *call)
{
    const struct ins_facts *f = ins_facts(ins, call);
    return operand_or_null(f, facts_write_operand(f));
}
#define READS(ins, n) reads(ins, n, __func__)
#define WRITES(ins) writes(ins, __func__)

BOOL INS_IsMemoryRead(INS ins) { return READS(ins, 0) != NULL; }
BOOL INS_HasMemoryRead2(INS ins) { return READS(ins, 1) != NULL; }
BOOL INS_IsMemoryWrite(INS ins) { return WRITES(ins) != NULL; }
USIZE INS_MemoryReadSize(INS ins) { return READS(ins, 0) ? READS(ins, 0)->bits / 8 : 0; }
USIZE INS_MemoryWriteSize(INS ins) { return WRITES(ins) ? WRITES(ins)->bits / 8 : 0; }

static bool by_base(const struct ins_facts *f, bool write, REG first, REG second)
{
    for (u32 i = 0; i < f->nmem; i++) {
        const struct fact_operand *o = &f->op[f->mem[i]];
        const struct reg_row *base = regs_row(o->base);
        if ((write ? o->written : o->read) && base && (base->full == (u16)first || base->full == (u16)second))
            return true;
    }
    return false;
}

/* True: the operand goes through the stack or the frame pointer, which is all that can be known from the instruction
 * alone. */
BOOL INS_IsStackRead(INS ins) { return by_base(FACTS(ins), false, REG_STACK_PTR, REG_GBP); }
BOOL INS_IsStackWrite(INS ins) { return by_base(FACTS(ins), true, REG_STACK_PTR, REG_GBP); }
BOOL INS_IsIpRelRead(INS ins) { return by_base(FACTS(ins), false, REG_INST_PTR, REG_INST_PTR); }
BOOL INS_IsIpRelWrite(INS ins) { return by_base(FACTS(ins), true, REG_INST_PTR, REG_INST_PTR); }

/* --- special accesses --------------------------------------------------------------------------------------- */

BOOL INS_HasMemoryVector(INS ins) { return FACTS(ins)->flags & (FACT_FLAG_GATHER | FACT_FLAG_SCATTER); }

BOOL INS_HasScatteredMemoryAccess(INS ins)
{
    struct mem_operand m;
    return facts_memory(FACTS(ins), 0, &m) && (m.kind == MEM_VSIB || m.kind == MEM_OTHER);
}

/* False: there is an access that has not one address and one size. */
BOOL INS_IsStandardMemop(INS ins)
{
    const struct ins_facts *f = FACTS(ins);
    return !f->nmem || (!(f->flags & FACT_FLAG_XSAVE) && !INS_HasScatteredMemoryAccess(ins));
}

UINT32 INS_EffectiveAddressWidth(INS ins) { return FACTS(ins)->address_bits; }

/* --- the explicit memory operand (or lea's address) --------------------------------------------------------- */

static const struct fact_operand *explicit_memory(INS ins, const char *call)
{
    const struct ins_facts *f = ins_facts(ins, call);
    for (u32 i = 0; i < f->noperands; i++)
        if ((f->op[i].kind == FACT_MEM || f->op[i].kind == FACT_AGEN) && f->op[i].visibility == FACT_EXPLICIT)
            return &f->op[i];
    return NULL;
}

static const struct fact_operand *first_memory(INS ins, const char *call)
{
    static const struct fact_operand none;
    const struct fact_operand *o = explicit_memory(ins, call);
    const struct ins_facts *f = ins_facts(ins, call);
    return o ? o : f->nmem ? &f->op[f->mem[0]] : &none;
}

BOOL INS_HasExplicitMemoryReference(INS ins) { return explicit_memory(ins, __func__) != NULL; }
REG INS_MemoryBaseReg(INS ins) { return first_memory(ins, __func__)->base; }
REG INS_MemoryIndexReg(INS ins) { return first_memory(ins, __func__)->index; }
UINT32 INS_MemoryScale(INS ins) { return first_memory(ins, __func__)->scale ? first_memory(ins, __func__)->scale : 1; }
ADDRDELTA INS_MemoryDisplacement(INS ins) { return first_memory(ins, __func__)->disp; }
ADDRDELTA INS_MemoryDisplacementSigned(INS ins) { return first_memory(ins, __func__)->disp; }
ADDRINT INS_MemoryOffset(INS ins) { return (ADDRINT)first_memory(ins, __func__)->disp; }

BOOL INS_IsRewritableMemOpBase(INS ins, MEMORY_TYPE type, REG *base)
{
    const struct fact_operand *o = type == MEMORY_TYPE_WRITE ? WRITES(ins) : READS(ins, type == MEMORY_TYPE_READ2);
    if (!o || o->vsib || o->visibility != FACT_EXPLICIT || o->base == REG_INVALID_ || o->base == REG_INST_PTR)
        return false;
    *base = o->base;
    return true;
}
