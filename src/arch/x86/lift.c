/* SPDX-License-Identifier: Apache-2.0
 * Machine code of analysis routines as operations of the routine form (opt/rop.h). What is not in the table is opaque,
 * and so are high bytes of registers, addresses of 32 bits and those relative to a segment's base. No state. */
#include "arch/x86/cpu.h"
#include "arch/x86/decoder.h"
#include "opt/rop.h"

#define BIT(r) (1u << (r))

#include "arch/x86/convention_table.h"
#include "arch/x86/lift_table.h"

/* The conditions of the form are in the order of the condition codes. */
_Static_assert(ROP_IF_OVERFLOW == 0 && ROP_IF_BELOW == 2 && ROP_IF_EQUAL == 4 && ROP_IF_NOT_ABOVE == 6 &&
                   ROP_IF_NEGATIVE == 8 && ROP_IF_EVEN == 10 && ROP_IF_LESS == 12 && ROP_IF_NOT_GREATER == 14,
               "conditions are not in the order of the condition codes");

struct lift {
    ZydisDecodedInstruction z;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    struct rop *out;
};

/* --- operands ------------------------------------------------------------------------------------- */

static bool lift_memory(struct lift *l, const ZydisDecodedOperand *o)
{
    struct rop_memory *m = &l->out->mem;
    if (o->mem.segment == ZYDIS_REGISTER_FS || o->mem.segment == ZYDIS_REGISTER_GS || l->z.address_width != 64)
        return false;
    m->disp = (u64)o->mem.disp.value;
    if (o->mem.base == ZYDIS_REGISTER_RIP)
        m->disp += l->out->at + l->z.length;
    else if (o->mem.base != ZYDIS_REGISTER_NONE)
        m->base = (s8)decoder_gpr(o->mem.base);
    if (o->mem.index != ZYDIS_REGISTER_NONE) {
        m->index = (s8)decoder_gpr(o->mem.index);
        m->shift = (u8)__builtin_ctz(o->mem.scale);
    }
    return o->mem.index == ZYDIS_REGISTER_NONE || m->index >= 0; /* an index that is a vector is not lifted */
}

/* False: the routine form has no such operand. */
static bool lift_operand(struct lift *l, const ZydisDecodedOperand *o, u8 *kind, u8 *reg)
{
    int n;
    switch (o->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        n = decoder_gpr(o->reg.value);
        *kind = ROP_REGISTER;
        *reg = (u8)n;
        return n >= 0 && (o->reg.value < ZYDIS_REGISTER_AH || o->reg.value > ZYDIS_REGISTER_BH);
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        *kind = ROP_CONSTANT;
        l->out->value = o->imm.is_signed ? (u64)o->imm.value.s : o->imm.value.u;
        return true;
    case ZYDIS_OPERAND_TYPE_MEMORY: *kind = ROP_MEMORY; return lift_memory(l, o);
    default: return false;
    }
}

static bool lift_to(struct lift *l, u32 i) { return lift_operand(l, &l->op[i], &l->out->to, &l->out->to_reg); }
static bool lift_from(struct lift *l, u32 i) { return lift_operand(l, &l->op[i], &l->out->from, &l->out->from_reg); }

static void set_to(struct rop *op, enum gpr r)
{
    op->to = ROP_REGISTER;
    op->to_reg = (u8)r;
}

static void set_from(struct rop *op, enum gpr r)
{
    op->from = ROP_REGISTER;
    op->from_reg = (u8)r;
}

/* --- instructions --------------------------------------------------------------------------------- */

static bool lift_shift(struct lift *l)
{
    if (!lift_to(l, 0) || !lift_from(l, 1))
        return false;
    if (l->out->from == ROP_REGISTER)
        l->out->fixed |= BIT(RCX);
    l->out->from_width = 1;
    return true;
}

static bool lift_multiply(struct lift *l)
{
    bool three = l->z.operand_count_visible == 3;
    u8 constant, none;
    if (l->z.operand_count_visible < 2 || !lift_to(l, 0) || !lift_from(l, 1))
        return false;
    if (three)
        l->out->kind = ROP_SCALE;
    return !three || lift_operand(l, &l->op[2], &constant, &none);
}

static bool lift_transfer(struct lift *l)
{
    bool direct = l->op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    if (direct)
        l->out->target = l->out->at + l->z.length + (u64)l->op[0].imm.value.s;
    l->out->condition = l->z.opcode & 15;
    return direct || (lift_from(l, 0) && l->op[0].size == 64);
}

static bool lift_form(struct lift *l, enum form form)
{
    struct rop *op = l->out;
    switch (form) {
    case NOT_KNOWN: return false;
    case NOTHING: return true;
    case TO_FROM: op->condition = l->z.opcode & 15; return lift_to(l, 0) && lift_from(l, 1);
    case TO: op->condition = l->z.opcode & 15; return lift_to(l, 0);
    case TO_ONE:
        op->from = ROP_CONSTANT;
        op->value = 1;
        op->keeps_carry = true;
        return lift_to(l, 0);
    case PUSHES: return lift_from(l, 0) && l->z.operand_width == 64;
    case POPS: return lift_to(l, 0) && l->z.operand_width == 64;
    case EXTENDS: op->from_width = (u8)(l->op[1].size / 8); return lift_to(l, 0) && lift_from(l, 1);
    case SHIFTS: return lift_shift(l);
    case MULTIPLIES: return lift_multiply(l);
    case EXTENDS_A:
        op->from_width = op->width / 2;
        set_to(op, RAX);
        set_from(op, RAX);
        return true;
    case FILLS_D:
        op->fixed = BIT(RAX) | BIT(RDX);
        set_to(op, RDX);
        set_from(op, RAX);
        return true;
    case LEAVES: set_to(op, RBP); return true;
    case TRANSFERS: return lift_transfer(l);
    case RETURNS: op->value = l->z.operand_count_visible ? l->op[0].imm.value.u : 0; return true;
    }
    return false;
}

/* How many bytes it works on. */
static u8 width_of(const struct lift *l, const struct meaning *m)
{
    switch (m->form) {
    case EXTENDS_A:
    case FILLS_D: return (u8)(l->z.operand_width / 8);
    case NOTHING:
    case PUSHES:
    case POPS:
    case LEAVES:
    case TRANSFERS:
    case RETURNS: return 8;
    default: return (u8)(l->op[0].size / 8);
    }
}

/* --- what is not understood ----------------------------------------------------------------------- */

static void note_reads(struct rop *out, ZydisRegister r)
{
    int n = decoder_gpr(r);
    if (n >= 0)
        out->reads |= BIT(n);
}

static void note_gpr(struct rop *out, const ZydisDecodedOperand *o, ZydisRegisterClass class)
{
    u32 r = BIT(decoder_gpr(o->reg.value));
    bool whole = class == ZYDIS_REGCLASS_GPR32 || class == ZYDIS_REGCLASS_GPR64;
    if (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        out->reads |= r;
    if (!(o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
        return;
    out->writes |= r;
    if (whole && o->actions & ZYDIS_OPERAND_ACTION_WRITE)
        out->kills |= r;
    else
        out->reads |= r; /* a part, or on a condition: the rest stays */
}

/* Notes its effect on registers. Returns the first reason why a routine with it is not light. */
static const char *note_register(struct lift *l, const ZydisDecodedOperand *o)
{
    struct rop *out = l->out;
    bool written = o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    ZydisRegisterClass class = ZydisRegisterGetClass(o->reg.value);
    switch (class) {
    case ZYDIS_REGCLASS_FLAGS:
    case ZYDIS_REGCLASS_IP:
    case ZYDIS_REGCLASS_SEGMENT: return NULL;
    case ZYDIS_REGCLASS_GPR8:
    case ZYDIS_REGCLASS_GPR16:
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64: note_gpr(out, o, class); return NULL;
    case ZYDIS_REGCLASS_XMM:
        if (l->z.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
            return "it uses AVX";
        if (written)
            out->vectors |= BIT(o->reg.value - ZYDIS_REGISTER_XMM0);
        return NULL;
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM: return "it uses AVX";
    case ZYDIS_REGCLASS_X87:
    case ZYDIS_REGCLASS_MMX: return "it uses x87 or MMX registers";
    default:
        return o->reg.value == ZYDIS_REGISTER_MXCSR && !(o->actions & ZYDIS_OPERAND_ACTION_WRITE)
                   ? NULL
                   : "it uses special registers";
    }
}

static const char *bar_of_category(const ZydisDecodedInstruction *z)
{
    switch (z->meta.category) {
    case ZYDIS_CATEGORY_STRINGOP: return "it uses string instructions";
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_IOSTRINGOP:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_SYSTEM: return "it makes system calls";
    case ZYDIS_CATEGORY_X87_ALU: return "it uses x87 or MMX registers";
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_RET:
        return "it calls or jumps through a pointer"; /* far ones, and those relative to a segment's base */
    default:
        return z->mnemonic == ZYDIS_MNEMONIC_STD || z->mnemonic == ZYDIS_MNEMONIC_POPFQ ||
                       z->mnemonic == ZYDIS_MNEMONIC_LDMXCSR
                   ? "it changes control flags"
                   : NULL;
    }
}

static void make_opaque(struct lift *l)
{
    struct rop *out = l->out;
    *out = (struct rop){.kind = ROP_OPAQUE, .bytes = l->z.length, .at = out->at, .mem = {.base = -1, .index = -1}};
    for (u8 i = 0; i < l->z.operand_count; i++) {
        const ZydisDecodedOperand *o = &l->op[i];
        const char *bar = NULL;
        if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
            bar = note_register(l, o);
        if (o->type == ZYDIS_OPERAND_TYPE_MEMORY) {
            note_reads(out, o->mem.base);
            note_reads(out, o->mem.index);
        }
        if (!out->bar)
            out->bar = bar;
    }
    out->kills &= ~out->reads;
    if (l->z.meta.category == ZYDIS_CATEGORY_COND_BR) /* by a count */
        out->target = out->at + l->z.length + (u64)l->op[0].imm.value.s;
    if (!out->bar)
        out->bar = bar_of_category(&l->z);
}

void arch_lift(u64 at, struct rop *op)
{
    struct lift l = {.out = op};
    *op = (struct rop){.kind = ROP_OPAQUE,
                       .at = at,
                       .reads = 0xffff,
                       .bar = "it has an instruction that is not known",
                       .mem = {.base = -1, .index = -1}};
    if (!decoder_host((const u8 *)at, &l.z, l.op))
        return;
    const struct meaning *m = &meaning[l.z.mnemonic];
    *op = (struct rop){.kind = m->kind,
                       .width = width_of(&l, m),
                       .bytes = l.z.length,
                       .at = at,
                       .locked = l.z.attributes & ZYDIS_ATTRIB_HAS_LOCK,
                       .mem = {.base = -1, .index = -1}};
    if (!lift_form(&l, m->form)) {
        make_opaque(&l);
        return;
    }
    rop_find_effects(op);
}
