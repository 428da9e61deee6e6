/* SPDX-License-Identifier: Apache-2.0
 * Where Zydis says something else than XED, which Pin's tools were written against: the corrections, as tables where
 * they are many. Each is covered by a row in tests/unit/test_facts.c. No state. */
#include "arch/x86/facts_internal.h"
#include "arch/x86/regs.h"
#include "arch/x86/xed_names.h"
#include "linchpin/reg.h"
#include "xed-category-enum.h"
#include "xed-extension-enum.h"
#include "xed-iclass-enum.h"

#include <string.h>

#include "arch/x86/facts_fix_table.h"

/* --- names -------------------------------------------------------------------------------------------------- */

static bool is_wide(const ZydisDecodedInstruction *z)
{
    return z->attributes & ZYDIS_ATTRIB_HAS_REX   ? z->raw.rex.W
           : z->attributes & ZYDIS_ATTRIB_HAS_VEX ? z->raw.vex.W
                                                  : false;
}

static bool has_f3(const ZydisDecodedInstruction *z)
{
    for (u32 i = 0; i < z->raw.prefix_count; i++)
        if (z->raw.prefixes[i].value == 0xf3)
            return true;
    return false;
}

static bool splits(const ZydisDecodedInstruction *z, enum split_by by)
{
    switch (by) {
    case BY_FAR: return z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || (z->opcode & 0xfe) == 0xca;
    case BY_MAP: return z->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT;
    case BY_0F3A: return z->opcode_map == ZYDIS_OPCODE_MAP_0F3A;
    case BY_ODD: return z->opcode & 1;
    case BY_REG_0: return z->raw.modrm.reg == 0;
    case BY_REG_3: return z->raw.modrm.reg == 3;
    case BY_WIDE: return is_wide(z);
    case BY_F3: return has_f3(z);
    case BY_XOP: return z->encoding == ZYDIS_INSTRUCTION_ENCODING_XOP;
    case BY_EVEX: return z->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && z->opcode_map == ZYDIS_OPCODE_MAP_0F;
    }
    return false;
}

/* One mnemonic of Zydis for several instruction classes of XED. */
static u16 split_iclass(const ZydisDecodedInstruction *z)
{
    for (size_t i = 0; i < ARRAY_LEN(iclass_splits); i++)
        if (iclass_splits[i].mnemonic == z->mnemonic) {
            u16 iclass = splits(z, iclass_splits[i].by) ? iclass_splits[i].yes : iclass_splits[i].no;
            if (iclass)
                return iclass;
        }
    return xed_iclass_from_zydis(z->mnemonic);
}

u32 facts_mnemonic_of(u16 iclass)
{
    for (size_t i = 0; i < ARRAY_LEN(iclass_splits); i++)
        if (iclass_splits[i].yes == iclass || iclass_splits[i].no == iclass)
            return iclass_splits[i].mnemonic;
    return xed_iclass_to_zydis(iclass);
}

static void fix_extension(struct ins_facts *f, const ZydisDecodedInstruction *z)
{
    bool mmx = z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY && !(f->prefixes & FACT_PREFIX_66);
    for (size_t i = 0; i < ARRAY_LEN(extension_fixes); i++)
        if (extension_fixes[i].iclass == f->iclass && (mmx || !extension_fixes[i].mmx))
            f->extension = extension_fixes[i].extension;
}

void facts_fix_names(struct ins_facts *f, const ZydisDecodedInstruction *z)
{
    f->iclass = split_iclass(z);
    if (f->flags & FACT_FLAG_LOCK_PREFIX)
        f->iclass = xed_iclass_locked(f->iclass);
    if (f->flags & (FACT_FLAG_REP | FACT_FLAG_REPNE))
        f->iclass = xed_iclass_repeated(f->iclass, f->flags & FACT_FLAG_REPNE);
    f->category = xed_category_from_zydis(z->meta.category);
    f->extension = xed_extension_from_zydis(z->meta.isa_ext);
    fix_extension(f, z);
}

/* --- operands ----------------------------------------------------------------------------------------------- */

static void remove_operand(struct ins_facts *f, u32 at)
{
    memmove(&f->op[at], &f->op[at + 1], (--f->noperands - at) * sizeof f->op[0]);
}

static struct fact_operand *insert_operand(struct ins_facts *f, u32 at)
{
    ASSERT(f->noperands < FACT_MAX_OPERANDS);
    memmove(&f->op[at + 1], &f->op[at], (f->noperands++ - at) * sizeof f->op[0]);
    memset(&f->op[at], 0, sizeof f->op[at]);
    return &f->op[at];
}

/* Takes the suppressed register operand `reg` out, returns where it stood, -1: there is none. */
static int take_out(struct ins_facts *f, u16 reg, struct fact_operand *was)
{
    for (int i = 0; i < f->noperands; i++)
        if (f->op[i].kind == FACT_REG && f->op[i].visibility == FACT_SUPPRESSED && f->op[i].reg == reg) {
            *was = f->op[i];
            remove_operand(f, (u32)i);
            return i;
        }
    return -1;
}

/* The address register of a suppressed memory operand follows it, read and (stack, strings) written. Zydis has it
 * elsewhere, only written with REP, or (cmps, scas) not at all. */
static void fix_hidden_memory(struct ins_facts *f)
{
    bool string = f->category == XED_CATEGORY_STRINGOP || f->category == XED_CATEGORY_IOSTRINGOP;
    for (int i = 0; i < f->noperands; i++) {
        u16 base = f->op[i].base;
        if (f->op[i].kind != FACT_MEM || f->op[i].visibility != FACT_SUPPRESSED || base == REG_INVALID_)
            continue;
        struct fact_operand was = { .bits = regs_row(base)->bits };
        int at = f->iclass == XED_ICLASS_LEAVE ? -1 : take_out(f, base, &was);
        if (at >= 0 && at < i)
            i--;
        struct fact_operand *o = insert_operand(f, (u32)++i);
        *o = was;
        o->kind = FACT_REG;
        o->visibility = FACT_SUPPRESSED;
        o->reg = base;
        o->read = true;
        o->written |= string;
        o->is_base = true;
    }
}

/* x87: the top of the stack is an implicit operand, and the first one unless the instruction stores it. */
static void fix_x87(struct ins_facts *f)
{
    struct fact_operand st0;
    int at = take_out(f, REG_ST0, &st0);
    if (at < 0)
        return;
    bool stores = at > 0 && f->op[0].written && !st0.written;
    st0.visibility = at > 0 ? FACT_IMPLICIT : FACT_SUPPRESSED;
    *insert_operand(f, at > 0 && stores ? (u32)at : 0) = st0;
}

/* An address that nothing is read from or written to. XED calls that of a NOP a read; an instrumented one may be
 * anything, so it is none here. */
static void fix_agen(struct ins_facts *f, const ZydisDecodedInstruction *z)
{
    bool nop = f->category == XED_CATEGORY_WIDENOP;
    for (u32 i = 0; i < f->noperands; i++) {
        struct fact_operand *o = &f->op[i];
        if (o->kind == FACT_MEM && (nop || (!o->read && !o->written)))
            o->kind = FACT_AGEN;
        if (o->kind == FACT_AGEN)
            o->read = true;
    }
    if (nop && z->opcode == 0x1f && f->noperands == 2)
        f->noperands = 1;
}

static void fix_single_operands(struct ins_facts *f)
{
    for (size_t i = 0; i < ARRAY_LEN(operand_fixes); i++) {
        const struct operand_fix *x = &operand_fixes[i];
        if (x->iclass != f->iclass || x->operand >= f->noperands)
            continue;
        struct fact_operand *o = &f->op[x->operand];
        switch (x->fix) {
        case FIX_READ: o->read |= o->kind == FACT_REG; break;
        case FIX_WRITTEN: o->written = true; break;
        case FIX_BITS: o->bits = x->bits; break;
        case FIX_REMOVE: remove_operand(f, x->operand); break;
        }
    }
}

/* Gathers and scatters: how many addresses there are. The index's element size is the letter after the verb
 * (VPGATHERDQ: 32 bits). */
static void fix_vsib(struct ins_facts *f, struct fact_operand *o)
{
    const char *name = xed_iclass_name(f->iclass);
    const char *verb = strstr(name, "GATHER") ? strstr(name, "GATHER") + 6 : strstr(name, "SCATTER") + 7;
    bool prefetch = verb[0] == 'P';
    u32 index_bits = verb[prefetch ? 3 : 0] == 'D' ? 32 : 64;
    u32 count = regs_row(o->index)->bits / index_bits;
    for (u32 i = 0; i < f->noperands && !prefetch; i++) {
        u16 cls = f->op[i].kind == FACT_REG ? regs_class(f->op[i].reg) : (u16)REG_CLASS_NONE;
        if (cls >= REG_CLASS_XMM && cls <= REG_CLASS_ZMM && f->op[i].bits / o->bits < count)
            count = f->op[i].bits / o->bits;
    }
    o->elements = (u16)count;
    o->element_bits = (u16)o->bits;
}

/* Memory operands whose size or address Zydis has otherwise. */
static void fix_memory(struct ins_facts *f)
{
    struct fact_operand *o = &f->op[0];
    if (f->category == XED_CATEGORY_PREFETCH && o->kind == FACT_MEM && !o->vsib)
        o->bits = 512;
    if (f->iclass == XED_ICLASS_XLAT) {
        o->index = REG_AL;
        o->scale = 1;
    }
    if (f->iclass == XED_ICLASS_MOVSXD && o->bits == 16)
        f->op[1].bits = 16;
    for (u32 i = 0; i < f->noperands; i++)
        if (f->op[i].vsib)
            fix_vsib(f, &f->op[i]);
}

void facts_fix_operands(struct ins_facts *f, const ZydisDecodedInstruction *z)
{
    fix_hidden_memory(f);
    if (f->category == XED_CATEGORY_X87_ALU || f->category == XED_CATEGORY_FCMOV)
        fix_x87(f);
    fix_memory(f);
    fix_agen(f, z);
    fix_single_operands(f);
}
