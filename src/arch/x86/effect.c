/* SPDX-License-Identifier: Apache-2.0
 * The effect of an instruction (arch/effect.h), from what the full decoder says of it; quick.c has its own for the
 * common ones. No state. */
#include "arch/x86/effect.h"

static reg_set gpr_bit(ZydisRegister r)
{
    int n = decoder_gpr(r);
    return n >= 0 ? (reg_set)(1u << n) : 0;
}

static void note_operand(struct effect *e, const ZydisDecodedOperand *o)
{
    if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
        e->reads |= gpr_bit(o->mem.base) | gpr_bit(o->mem.index);
    if (o->type != ZYDIS_OPERAND_TYPE_REGISTER)
        return;
    reg_set bit = gpr_bit(o->reg.value);
    if (!bit)
        return;
    ZydisRegisterClass c = ZydisRegisterGetClass(o->reg.value);
    bool whole = c == ZYDIS_REGCLASS_GPR32 || c == ZYDIS_REGCLASS_GPR64;
    if (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
        e->writes |= bit;
    if (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        e->reads |= bit;
    if (whole && o->actions & ZYDIS_OPERAND_ACTION_WRITE)
        e->kills |= bit;
    else if (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
        e->reads |= bit; /* a part of it, or on a condition: the other bits stay */
}

/* Flags that the instruction surely writes. A shift by 0 writes none; AF, which nothing but pushf and lahf can see,
 * counts as written where it is undefined. */
static flag_set killed_flags(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
    const ZydisAccessedFlags *f = z->cpu_flags;
    switch (z->meta.category) {
    case ZYDIS_CATEGORY_SHIFT:
    case ZYDIS_CATEGORY_ROTATE: {
        const ZydisDecodedOperand *count = &op[z->operand_count_visible - 1];
        bool by_constant =
            count->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && (count->imm.value.u & (z->operand_width == 64 ? 63 : 31));
        if (!by_constant && z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY)
            return 0;
        break;
    }
    case ZYDIS_CATEGORY_STRINGOP:
        return 0;
    default:
        break;
    }
    u32 all = f->modified | f->set_0 | f->set_1;
    if (f->undefined & ZYDIS_CPUFLAG_AF)
        all |= ZYDIS_CPUFLAG_AF;
    return (flag_set)(all & FLAG_SET_ALL);
}

static void note_flags(struct effect *e, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
    if (z->cpu_flags) {
        e->flags_read = (flag_set)(z->cpu_flags->tested & FLAG_SET_ALL);
        e->flags_killed = killed_flags(z, op);
        e->flags_touched = z->cpu_flags->tested | z->cpu_flags->modified | z->cpu_flags->set_0 | z->cpu_flags->set_1 |
                           z->cpu_flags->undefined;
    }
    /* Into r11, and back. */
    if (z->mnemonic == ZYDIS_MNEMONIC_PUSHF || z->mnemonic == ZYDIS_MNEMONIC_PUSHFQ ||
        z->mnemonic == ZYDIS_MNEMONIC_LAHF || z->mnemonic == ZYDIS_MNEMONIC_SYSCALL)
        e->flags_read = FLAG_SET_ALL, e->flags_touched = true;
}

/* What the operands do not tell. */
static void note_nature(struct effect *e, const ZydisDecodedInstruction *z)
{
    if (z->mnemonic == ZYDIS_MNEMONIC_NOP)
        e->reads = 0; /* its operands are not accessed */
    if (z->meta.category == ZYDIS_CATEGORY_STRINGOP || z->meta.category == ZYDIS_CATEGORY_IOSTRINGOP)
        e->writes |= e->reads; /* the addresses and the count move */
    if (z->mnemonic == ZYDIS_MNEMONIC_BSF || z->mnemonic == ZYDIS_MNEMONIC_BSR)
        e->reads |= e->writes; /* with a source of 0 they leave the register as it was */
    if (z->meta.category == ZYDIS_CATEGORY_SYSTEM)
        e->reads |= e->writes; /* it faults, mostly; lar and lsl may leave the register as it was */
    if (z->meta.category == ZYDIS_CATEGORY_CET)
        e->reads |= e->writes; /* without shadow stacks it does nothing */
}

void effect_decoded(struct effect *e, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
    *e = (struct effect){.known = true};
    for (u8 i = 0; i < z->operand_count; i++)
        note_operand(e, &op[i]);
    note_flags(e, z, op);
    note_nature(e, z);
    e->kills &= (reg_set)~e->reads;
    e->reads |= e->writes & (reg_set)~e->kills; /* a register that it may leave as it was must have its value */
}
