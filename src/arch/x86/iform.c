/* SPDX-License-Identifier: Apache-2.0
 * The form of an instruction (xed_iform_enum_t): its class and the kinds of its operands, named in XED's way
 * (MOV_GPRv_MEMv). No state. */
#include "arch/x86/iform.h"

#include "arch/x86/facts.h"
#include "arch/x86/regs.h"
#include "arch/x86/xed_names.h"
#include "linchpin/reg.h"
#include "xed-extension-enum.h"
#include "xed-iclass-enum.h"

#include <Zydis/Zydis.h>

#include "arch/x86/iform_table.h"

static bool is_evex(const struct ins_facts *f) { return f->extension == XED_EXTENSION_AVX512EVEX; }
static bool is_vex(const struct ins_facts *f)
{
    return f->len && (f->bytes[0] == 0xc4 || f->bytes[0] == 0xc5) && !f->mode32;
}

/* What is in a vector register, or in memory next to one. */
static const char *vector_type(const struct ins_facts *f, const struct fact_operand *o)
{
    bool scalar = o->elements <= 1;
    switch (o->element_type) {
    case ZYDIS_ELEMENT_TYPE_FLOAT32:
        return is_evex(f)  ? "f32"
               : scalar    ? (is_vex(f) ? "d" : "ss")
               : is_vex(f) ? (o->bits == 256 ? "qq" : "dq")
                           : "ps";
    case ZYDIS_ELEMENT_TYPE_FLOAT64:
        return is_evex(f)  ? "f64"
               : scalar    ? (is_vex(f) ? "q" : "sd")
               : is_vex(f) ? (o->bits == 256 ? "qq" : "dq")
                           : "pd";
    }
    if (is_evex(f))
        return o->element_bits == 8 ? "u8" : o->element_bits == 16 ? "u16" : o->element_bits == 32 ? "u32" : "u64";
    return o->bits == 32 ? "d" : o->bits == 64 ? "q" : o->bits == 256 ? "qq" : o->bits == 512 ? "zd" : "dq";
}

static bool general_only(const struct ins_facts *f)
{
    for (u32 i = 0; i < f->noperands; i++) {
        u16 cls = f->op[i].kind == FACT_REG ? regs_class(f->op[i].reg) : REG_CLASS_NONE;
        if (cls >= REG_CLASS_MM && cls <= REG_CLASS_X87)
            return false;
    }
    return true;
}

static const char *fixed_register(const struct fact_operand *o, char text[16])
{
    if (o->reg == REG_AX || o->reg == REG_EAX || o->reg == REG_RAX)
        return "OrAX";
    const char *name = regs_row(o->reg) ? regs_row(o->reg)->text : "?";
    size_t i = 0;
    for (; i < 15 && name[i]; i++)
        text[i] = name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 32) : name[i];
    text[i] = 0;
    return text;
}

static void put_register(const struct ins_facts *f, const struct fact_operand *o, char *out)
{
    char text[16];
    u16 cls = regs_class(o->reg);
    const char *kind = form_kinds[cls] ? form_kinds[cls] : "REG", *type = form_has_type[cls] ? vector_type(f, o) : "";
    if (!general_only(f) && (cls == REG_CLASS_GR64 || cls == REG_CLASS_GR32))
        kind = cls == REG_CLASS_GR64 ? "GPR64q" : "GPR32d";
    if (cls == REG_CLASS_SYSTEM)
        kind = regs_row(o->reg)->text[0] == 'd' ? "DR" : "CR";
    if (o->visibility == FACT_IMPLICIT)
        kind = fixed_register(o, text), type = "";
    base_format(out, 24, "_%s%s", kind, type);
}

static void put_memory(const struct ins_facts *f, const struct fact_operand *o, char *out)
{
    const char *type = vector_type(f, o);
    if (general_only(f) && o->bits <= 64) {
        /* As wide as the operation: v; else its own width. */
        type = o->bits == 8 ? "b" : o->bits == f->operand_bits ? "v" : o->bits == 16 ? "w" : o->bits == 32 ? "d" : "q";
    } else if (o->bits > 512 || !o->bits) {
        type = "";
    }
    base_format(out, 24, "_MEM%s", type);
}

static void put_operand(const struct ins_facts *f, const struct fact_operand *o, char *out)
{
    const char *text = "";
    out[0] = 0;
    switch (o->kind) {
    case FACT_REG: put_register(f, o, out); return;
    case FACT_MEM: put_memory(f, o, out); return;
    case FACT_AGEN: text = f->iclass == XED_ICLASS_NOP ? "_MEMv" : "_AGEN"; break;
    case FACT_IMM:
        text = o->visibility == FACT_IMPLICIT           ? "_ONE"
               : o->bits == 8                           ? "_IMMb"
               : o->bits == 64                          ? "_IMMv"
               : f->operand_bits == 16 || o->bits == 32 ? "_IMMz"
                                                        : "_IMMw";
        break;
    case FACT_BRANCH: text = o->bits == 8 ? "_RELBRb" : "_RELBRz"; break;
    case FACT_POINTER: text = "_PTRp_IMMw"; break;
    }
    base_format(out, 24, "%s", text);
}

/* Those that two opcodes can express for two registers. */
static bool two_ways(const struct ins_facts *f)
{
    for (u32 i = 0; i < ARRAY_LEN(two_way_classes); i++)
        if (f->iclass == two_way_classes[i])
            return f->noperands >= 2 && f->op[0].kind == FACT_REG && f->op[1].kind == FACT_REG &&
                   regs_class(f->op[0].reg) <= REG_CLASS_GR_H8 && regs_class(f->op[1].reg) <= REG_CLASS_GR_H8;
    return false;
}

static u8 opcode_of(const struct ins_facts *f)
{
    u32 i = 0;
    for (; i < f->len; i++)
        switch (f->bytes[i]) {
        case 0x66: case 0x67: case 0xf0: case 0xf2: case 0xf3: case 0x2e: case 0x36: case 0x3e: case 0x26:
        case 0x64: case 0x65: continue;
        default:
            if (f->mode32 || (f->bytes[i] & 0xf0) != 0x40)
                return f->bytes[i];
        }
    return 0;
}

bool iform_name(const struct ins_facts *f, char name[IFORM_NAME_BYTES])
{
    const char *iclass = xed_iclass_name(f->iclass);
    size_t n = (size_t)base_format(name, IFORM_NAME_BYTES, "%s", iclass ? iclass : "INVALID");
    for (u32 i = 0; i < f->noperands; i++) {
        char text[24];
        if (f->op[i].visibility == FACT_SUPPRESSED)
            continue;
        put_operand(f, &f->op[i], text);
        n += (size_t)base_format(name + n, IFORM_NAME_BYTES - n, "%s", text);
    }
    static const char digits[] = "0123456789ABCDEF";
    if (two_ways(f))
        base_format(name + n, IFORM_NAME_BYTES - n, "_%c%c", digits[opcode_of(f) >> 4], digits[opcode_of(f) & 15]);
    else if (is_evex(f))
        base_format(name + n, IFORM_NAME_BYTES - n, "_AVX512");
    return f->iclass;
}
