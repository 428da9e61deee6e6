/* SPDX-License-Identifier: Apache-2.0
 * The full decode of an instruction: Zydis' answer turned into struct ins_facts. What XED says otherwise is put right
 * in facts_fix.c; this file has no opinion of its own. No state. */
#include "arch/x86/facts.h"

#include "arch/x86/facts_internal.h"
#include "arch/x86/regs.h"
#include "linchpin/reg.h"
#include "xed-category-enum.h"
#include "xed-iclass-enum.h"
#include "xed-operand-enum.h"

#include <string.h>

#include "arch/x86/facts_table.h"

/* --- operands ----------------------------------------------------------------------------------------------- */

static u16 address_seg(const struct ins_facts *f, ZydisRegister seg)
{
    bool named = seg == ZYDIS_REGISTER_FS || seg == ZYDIS_REGISTER_GS;
    return named || (f->mode32 && f->seg_prefix == regs_from_zydis(seg)) ? regs_from_zydis(seg) : (u16)REG_INVALID_;
}

static void take_memory(const struct ins_facts *f, struct fact_operand *o, const ZydisDecodedInstruction *z,
                        const ZydisDecodedOperand *d)
{
    o->kind = d->mem.type == ZYDIS_MEMOP_TYPE_AGEN ? FACT_AGEN : FACT_MEM;
    o->base = regs_from_zydis(d->mem.base);
    o->index = regs_from_zydis(d->mem.index);
    o->scale = d->mem.scale;
    o->disp = d->mem.disp.has_displacement ? d->mem.disp.value : 0;
    o->disp_bits = d->mem.disp.has_displacement ? z->raw.disp.size : 0;
    o->seg = address_seg(f, d->mem.segment);
    o->vsib = d->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
}

static void take_immediate(struct fact_operand *o, const ZydisDecodedOperand *d)
{
    o->kind = d->imm.is_relative ? FACT_BRANCH : FACT_IMM;
    o->imm = d->imm.value.u;
    o->is_signed = d->imm.is_signed;
}

static void take_operand(const struct ins_facts *f, struct fact_operand *o, const ZydisDecodedInstruction *z,
                         const ZydisDecodedOperand *d)
{
    o->visibility = visibility[d->visibility];
    o->read = d->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
    o->written = d->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    o->conditional = d->actions & (ZYDIS_OPERAND_ACTION_CONDREAD | ZYDIS_OPERAND_ACTION_CONDWRITE);
    o->bits = d->size;
    o->element_type = (u8)d->element_type;
    o->element_bits = d->element_size;
    o->elements = d->element_count;
    switch (d->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        o->kind = FACT_REG;
        o->reg = regs_from_zydis(d->reg.value);
        break;
    case ZYDIS_OPERAND_TYPE_MEMORY:
        take_memory(f, o, z, d);
        break;
    case ZYDIS_OPERAND_TYPE_POINTER:
        o->kind = FACT_POINTER;
        o->seg_selector = d->ptr.segment;
        o->imm = d->ptr.offset;
        break;
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        take_immediate(o, d);
        break;
    default:
        BUG("operand type %d", d->type);
    }
}

/* Gives memory operands their numbers and every operand its XED name. */
static void number_operands(struct ins_facts *f)
{
    u8 reg = XED_OPERAND_REG0, imm = XED_OPERAND_IMM0;
    for (u32 i = 0; i < f->noperands; i++) {
        struct fact_operand *o = &f->op[i];
        switch (o->kind) {
        case FACT_MEM:
            ASSERT(f->nmem < FACT_MAX_MEMS);
            o->memory = f->nmem;
            o->name = (u8)(XED_OPERAND_MEM0 + f->nmem);
            f->mem[f->nmem++] = (u8)i;
            break;
        case FACT_REG: o->name = o->is_base ? (u8)(XED_OPERAND_BASE0 + f->nmem - 1) : reg++; break;
        case FACT_AGEN: o->name = XED_OPERAND_AGEN; break;
        case FACT_IMM: o->name = imm++; break;
        case FACT_BRANCH: o->name = XED_OPERAND_RELBR; break;
        case FACT_POINTER: o->name = XED_OPERAND_PTR; break;
        }
    }
}

/* --- registers that are read and written -------------------------------------------------------------------- */

/* A register that two operands name is there twice; one operand names it once, and so do the stack and its pointer. */
static void add_reg(u16 *list, u8 *n, u16 reg, u32 own)
{
    if (reg == REG_INVALID_)
        return;
    for (u32 i = own; i < *n; i++)
        if (list[i] == reg)
            return;
    if (*n < FACT_MAX_REGS)
        list[(*n)++] = reg;
}

static void collect_regs(struct ins_facts *f)
{
    for (u32 i = 0; i < f->noperands; i++) {
        const struct fact_operand *o = &f->op[i];
        u32 own = o->visibility == FACT_SUPPRESSED ? 0 : f->nread;
        u32 own_written = o->visibility == FACT_SUPPRESSED ? 0 : f->nwritten;
        if (o->kind == FACT_REG && o->read)
            add_reg(f->read_reg, &f->nread, o->reg, own);
        if (o->kind == FACT_REG && o->written)
            add_reg(f->written_reg, &f->nwritten, o->reg, own_written);
        if (o->kind != FACT_MEM && o->kind != FACT_AGEN)
            continue;
        add_reg(f->read_reg, &f->nread, o->base, own);
        add_reg(f->read_reg, &f->nread, o->index, own);
        add_reg(f->read_reg, &f->nread, o->seg, own);
    }
}

/* --- what kind of instruction it is ------------------------------------------------------------------------- */

static void take_prefixes(struct ins_facts *f, const ZydisDecodedInstruction *z)
{
    for (u32 i = 0; i < z->raw.prefix_count; i++)
        f->prefixes |= prefix_bits[z->raw.prefixes[i].value];
    for (size_t i = 0; i < ARRAY_LEN(segs); i++)
        if (z->attributes & segs[i].attribute)
            f->seg_prefix = segs[i].reg;
    if (z->attributes & ZYDIS_ATTRIB_HAS_LOCK)
        f->flags |= FACT_FLAG_LOCK_PREFIX | FACT_FLAG_ATOMIC;
    if (z->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE))
        f->flags |= FACT_FLAG_REP;
    if (z->attributes & ZYDIS_ATTRIB_HAS_REPNE)
        f->flags |= FACT_FLAG_REPNE;
}

static u32 control_flags(const struct ins_facts *f, const ZydisDecodedInstruction *z)
{
    u32 far = z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ? FACT_FLAG_FAR : 0;
    switch (f->category) {
    case XED_CATEGORY_COND_BR:
        return f->iclass == XED_ICLASS_XBEGIN || f->iclass == XED_ICLASS_XEND
                   ? 0
                   : FACT_FLAG_BRANCH | FACT_FLAG_CONDITIONAL;
    case XED_CATEGORY_UNCOND_BR:
        return f->iclass == XED_ICLASS_XABORT ? 0 : FACT_FLAG_BRANCH | FACT_FLAG_NO_FALL_THROUGH | far;
    case XED_CATEGORY_CALL:
        return FACT_FLAG_CALL | FACT_FLAG_NO_FALL_THROUGH | far;
    case XED_CATEGORY_RET:
        return FACT_FLAG_RET | FACT_FLAG_NO_FALL_THROUGH | (f->iclass == XED_ICLASS_RET_NEAR ? 0 : FACT_FLAG_FAR);
    case XED_CATEGORY_SYSRET:
        return FACT_FLAG_NO_FALL_THROUGH;
    case XED_CATEGORY_SYSCALL:
        return f->iclass == XED_ICLASS_SYSCALL || f->iclass == XED_ICLASS_SYSCALL_AMD ||
                       f->iclass == XED_ICLASS_SYSENTER
                   ? FACT_FLAG_SYSCALL
                   : 0;
    case XED_CATEGORY_INTERRUPT:
        return f->iclass == XED_ICLASS_INT && f->op[0].kind == FACT_IMM && (u8)f->op[0].imm == 0x80 ? FACT_FLAG_SYSCALL
                                                                                                    : 0;
    case XED_CATEGORY_PREFETCH: case XED_CATEGORY_PREFETCHWT1:
        return FACT_FLAG_PREFETCH;
    case XED_CATEGORY_XSAVE: case XED_CATEGORY_XSAVEOPT:
        return f->nmem ? FACT_FLAG_XSAVE : 0;
    }
    return 0;
}

static u32 other_flags(const struct ins_facts *f)
{
    u32 flags = 0;
    bool vsib = f->nmem && f->op[f->mem[0]].vsib;
    if (vsib && f->op[f->mem[0]].written)
        flags |= FACT_FLAG_SCATTER;
    else if (vsib)
        flags |= FACT_FLAG_GATHER;
    flags |= class_flags[f->iclass];
    return f->iclass == XED_ICLASS_XCHG && f->nmem ? flags | FACT_FLAG_ATOMIC : flags;
}

static u8 condition(u16 iclass)
{
    for (size_t i = 0; i < ARRAY_LEN(conditions); i++)
        if (conditions[i].iclass == iclass)
            return conditions[i].predicate;
    return FACT_PREDICATE_ALWAYS_TRUE;
}

static void take_predicate(struct ins_facts *f)
{
    if (f->category == XED_CATEGORY_CMOV || f->category == XED_CATEGORY_FCMOV)
        f->predicate = condition(f->iclass);
    else if (f->flags & (FACT_FLAG_REP | FACT_FLAG_REPNE))
        f->predicate = f->address_bits == 64   ? FACT_PREDICATE_RCXNZ
                       : f->address_bits == 32 ? FACT_PREDICATE_ECXNZ
                                               : FACT_PREDICATE_CXNZ;
    if (f->predicate != FACT_PREDICATE_ALWAYS_TRUE)
        f->flags |= FACT_FLAG_PREDICATED;
}

static void take_target(struct ins_facts *f)
{
    const struct fact_operand *o = &f->op[0];
    if (!f->noperands || (o->kind != FACT_POINTER && o->kind != FACT_BRANCH))
        return;
    if (f->flags & (FACT_FLAG_BRANCH | FACT_FLAG_CALL))
        f->flags |= FACT_FLAG_DIRECT;
    f->target = o->kind == FACT_POINTER ? o->imm : f->pc + f->len + o->imm;
    if (o->bits == 16)
        f->target &= 0xffff; /* only where the decoder was told that the CPU honours the prefix */
    else if (f->mode32)
        f->target &= 0xffffffff;
}

/* --- the decode --------------------------------------------------------------------------------------------- */

/* AMD's CPUs take an operand size prefix on a near branch for 16 bits, Intel's ignore it; the length tells which the
 * engine went by. */
static ZyanStatus decode_all(ZydisDecodedInstruction *z, ZydisDecodedOperand *ops, const u8 *bytes, size_t avail,
                             u8 len, enum code_mode mode)
{
    ZyanStatus status = ZYAN_STATUS_FAILED;
    for (u32 amd = 0; amd <= DECODER_AMD; amd += DECODER_AMD) {
        status = decoder_full(bytes, avail, amd | facts_decoder(mode), z, ops);
        if (ZYAN_SUCCESS(status) && (!len || z->length == len))
            return status;
    }
    return ZYAN_SUCCESS(status) ? ZYAN_STATUS_FAILED : status;
}

bool facts_is_nop(const struct ins_facts *f)
{
    switch (f->iclass) {
    case XED_ICLASS_NOP: case XED_ICLASS_FNOP: case XED_ICLASS_FSETPM287_NOP: case XED_ICLASS_FENI8087_NOP:
    case XED_ICLASS_FDISI8087_NOP:
        return true;
    }
    return false;
}

static void take_vector_controls(struct ins_facts *f, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *ops)
{
    for (u32 i = 0; i < z->operand_count; i++)
        if (ops[i].encoding == ZYDIS_OPERAND_ENCODING_MASK)
            f->mask_reg = regs_from_zydis(ops[i].reg.value);
    f->zeroing = z->avx.mask.mode == ZYDIS_MASK_MODE_ZEROING || z->avx.mask.mode == ZYDIS_MASK_MODE_CONTROL_ZEROING;
    f->rounding = (u8)z->avx.rounding.mode;
    f->sae = z->avx.has_sae;
    f->broadcast = z->avx.broadcast.is_static ? 0 : (u8)z->avx.broadcast.mode;
}

static void decode_bad(struct ins_facts *f, u8 len)
{
    f->flags = FACT_FLAG_BAD | FACT_FLAG_NO_FALL_THROUGH;
    f->len = len ? len : 1;
}

bool facts_decode(struct ins_facts *f, gpc_t pc, const u8 *bytes, size_t avail, u8 len, enum code_mode mode)
{
    ZydisDecodedInstruction z;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
    memset(f, 0, sizeof *f);
    f->pc = pc;
    f->mode32 = mode;
    size_t n = avail > 15 ? 15 : avail;
    memcpy(f->bytes, bytes, n);
    ZyanStatus status = decode_all(&z, ops, bytes, n, len, mode);
    if (ZYAN_FAILED(status)) {
        decode_bad(f, len);
        f->truncated = status == ZYDIS_STATUS_NO_MORE_DATA;
        return false;
    }
    f->len = z.length;
    f->address_bits = z.address_width;
    f->operand_bits = z.operand_width;
    f->mnemonic = (u16)z.mnemonic;
    take_vector_controls(f, &z, ops);
    take_prefixes(f, &z);
    f->noperands = z.operand_count;
    for (u32 i = 0; i < z.operand_count; i++)
        take_operand(f, &f->op[i], &z, &ops[i]);
    facts_fix_names(f, &z);
    facts_fix_operands(f, &z);
    number_operands(f);
    collect_regs(f);
    f->flags |= control_flags(f, &z) | other_flags(f);
    take_predicate(f);
    take_target(f);
    return true;
}
