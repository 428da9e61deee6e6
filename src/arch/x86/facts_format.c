/* SPDX-License-Identifier: Apache-2.0
 * The text of an instruction: Intel syntax as XED writes it (what tools print and compare), AT&T as Zydis does. No
 * state. */
#include "xed_names.h"
#include "arch/x86/facts_internal.h"
#include "arch/x86/facts.h"
#include "arch/x86/regs.h"
#include "linchpin/reg.h"
#include "xed-category-enum.h"
#include "xed-iclass-enum.h"

#include <string.h>

#include "arch/x86/format_table.h"

struct text {
    char *out;
    size_t bytes, used;
};

static void put(struct text *t, const char *s)
{
    size_t n = strlen(s);
    if (t->used + n >= t->bytes)
        n = t->bytes - 1 - t->used;
    memcpy(t->out + t->used, s, n);
    t->used += n;
    t->out[t->used] = 0;
}

static void put_hex(struct text *t, u64 v)
{
    char digits[24];
    base_format(digits, sizeof digits, "0x%lx", v);
    put(t, digits);
}

static void put_reg(struct text *t, u16 reg)
{
    const struct reg_row *row = regs_row(reg);
    char name[16];
    if (row && row->cls == REG_CLASS_ST) {
        base_format(name, sizeof name, "st(%c)", row->text[2]);
        put(t, name);
    } else if (row)
        put(t, row->text);
}

static const char *size_name(const struct ins_facts *f, const struct fact_operand *o)
{
    if (f->flags & (FACT_FLAG_PREFETCH | FACT_FLAG_XSAVE))
        return "";
    if (o->bits == 512 && (f->category == XED_CATEGORY_MISC || f->category == XED_CATEGORY_CLWB ||
                           f->category == XED_CATEGORY_CLFLUSHOPT))
        return "";
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
        if (sizes[i].bits == o->bits)
            return sizes[i].text;
    return "";
}

static void put_sum(struct text *t, const struct ins_facts *f, const struct fact_operand *o)
{
    bool any = false;
    if (o->base != REG_INVALID_) {
        put_reg(t, o->base);
        any = true;
    }
    if (o->index != REG_INVALID_) {
        char scale[4];
        put(t, any ? "+" : "");
        put_reg(t, o->index);
        base_format(scale, sizeof scale, "*%u", o->scale);
        put(t, scale);
        any = true;
    }
    if (!any)
        put_hex(t, f->mode32 ? (u32)o->disp : (u64)o->disp);
    else if (o->disp) {
        put(t, o->disp < 0 ? "-" : "+");
        put_hex(t, o->disp < 0 ? 0 - (u64)o->disp : (u64)o->disp);
    }
}

static void put_memory(struct text *t, const struct ins_facts *f, const struct fact_operand *o)
{
    put(t, o->kind == FACT_AGEN && f->category != XED_CATEGORY_WIDENOP ? "" : size_name(f, o));
    put(t, "ptr ");
    if (o->seg != REG_INVALID_) {
        put_reg(t, o->seg);
        put(t, ":");
    }
    put(t, "[");
    put_sum(t, f, o);
    put(t, "]");
    put(t, broadcasts[f->broadcast]);
}

/* A signed immediate is shown as wide as the operation. */
static u64 shown_immediate(const struct ins_facts *f, const struct fact_operand *o)
{
    u32 bits = f->op[0].bits;
    bool wide =
        f->category == XED_CATEGORY_PUSH || f->noperands < 2 || f->op[0].kind == FACT_IMM || bits >= 64 || !bits;
    if (!o->is_signed || wide)
        return f->mode32 ? (u32)o->imm : o->imm;
    return o->imm & ((1ul << bits) - 1);
}

static void put_mask(struct text *t, const struct ins_facts *f)
{
    if (f->mask_reg == REG_INVALID_ || f->mask_reg == REG_K0)
        return;
    put(t, "{");
    put_reg(t, f->mask_reg);
    put(t, "}");
    put(t, f->zeroing && regs_class(f->op[0].reg) != REG_CLASS_K ? "{z}" : "");
}

static void put_operand(struct text *t, const struct ins_facts *f, const struct fact_operand *o)
{
    switch (o->kind) {
    case FACT_REG:
        if (o->reg == REG_ST0 && o->visibility == FACT_IMPLICIT)
            put(t, "st");
        else
            put_reg(t, o->reg);
        break;
    case FACT_MEM: case FACT_AGEN: put_memory(t, f, o); break;
    case FACT_IMM: put_hex(t, shown_immediate(f, o)); break;
    case FACT_BRANCH: put_hex(t, f->target); break;
    case FACT_POINTER:
        put_hex(t, o->imm);
        put(t, ", ");
        put_hex(t, o->seg_selector);
        break;
    }
}

static bool is_shown(const struct ins_facts *f, const struct fact_operand *o)
{
    return o->visibility != FACT_SUPPRESSED || (f->category == XED_CATEGORY_STRINGOP && o->kind == FACT_MEM);
}

/* The EVEX mask is written after the operand before it, unless the instruction writes it (gathers). */
static bool is_mask(const struct ins_facts *f, const struct fact_operand *o)
{
    return o->kind == FACT_REG && o->reg == f->mask_reg && f->mask_reg != REG_INVALID_ && o != &f->op[0];
}

static const char *branch_prefix(const struct ins_facts *f)
{
    if (!(f->flags & (FACT_FLAG_BRANCH | FACT_FLAG_CALL | FACT_FLAG_RET)) || f->flags & FACT_FLAG_FAR)
        return "";
    if (f->prefixes & FACT_PREFIX_F2)
        return "bnd ";
    if (f->flags & FACT_FLAG_CONDITIONAL)
        return f->prefixes & FACT_PREFIX_2E ? "hint-not-taken " : f->prefixes & FACT_PREFIX_3E ? "hint-taken " : "";
    return f->prefixes & FACT_PREFIX_3E && !(f->flags & (FACT_FLAG_DIRECT | FACT_FLAG_RET)) ? "notrack " : "";
}

/* Zydis has no name of its own for these. */
static const char *mnemonic(const struct ins_facts *f)
{
    switch (f->iclass) {
    case XED_ICLASS_PREFETCHW: return "prefetchw";
    case XED_ICLASS_PREFETCH_RESERVED: return "prefetch_reserved";
    case XED_ICLASS_WBNOINVD: return "wbnoinvd";
    }
    return ZydisMnemonicGetString((ZydisMnemonic)f->mnemonic);
}

static void put_mnemonic(struct text *t, const struct ins_facts *f, bool xed)
{
    if (xed) { /* its class says it all: prefixes, far */
        put(t, xed_iclass_name(f->iclass));
        return;
    }
    put(t, branch_prefix(f));
    if (f->flags & FACT_FLAG_LOCK_PREFIX)
        put(t, "lock ");
    if (f->flags & (FACT_FLAG_REP | FACT_FLAG_REPNE))
        put(t, f->flags & FACT_FLAG_REPNE ? "repne " : "rep ");
    put(t, mnemonic(f));
    if (f->iclass == XED_ICLASS_CALL_FAR || f->iclass == XED_ICLASS_JMP_FAR || f->iclass == XED_ICLASS_RET_FAR)
        put(t, " far");
}

/* The rounding is written after the first operand and its mask. */
static void put_rounding(struct text *t, const struct ins_facts *f)
{
    put(t, f->rounding ? roundings[f->rounding] : f->sae ? "{sae}" : "");
}

static void format_intel(struct text *t, const struct ins_facts *f, bool xed)
{
    u32 shown = 0;
    put_mnemonic(t, f, xed);
    for (u32 i = 0; i < f->noperands; i++) {
        const struct fact_operand *o = &f->op[i];
        if (!is_shown(f, o))
            continue;
        if (is_mask(f, o)) {
            put_mask(t, f);
            continue;
        }
        if (shown == 1)
            put_rounding(t, f);
        put(t, shown++ ? ", " : " ");
        put_operand(t, f, o);
    }
}

/* 64-bit near transfers through the stack or a register have their size in AT&T's names: callq, retq, jmpq. */
static void add_suffix(struct text *t, const struct ins_facts *f, const ZydisDecodedInstruction *z)
{
    static const char *const names[] = {"call", "ret", "jmp"};
    bool near = z->meta.branch_type == ZYDIS_BRANCH_TYPE_NEAR;
    for (size_t i = 0; i < ARRAY_LEN(names) && near && !f->mode32 && z->operand_width == 64; i++) {
        size_t n = strlen(names[i]);
        char *at = strstr(t->out, names[i]);
        if (!at || (at[n] && at[n] != ' ') || t->used + 2 > t->bytes || (at != t->out && at[-1] != ' '))
            continue;
        if (names[i][0] == 'j' && !strchr(at, '*'))
            continue; /* its target is in the instruction */
        memmove(at + n + 1, at + n, strlen(at + n) + 1);
        at[n] = 'q';
        t->used++;
        return;
    }
}

static void format_att(struct text *t, const struct ins_facts *f)
{
    ZydisFormatter formatter;
    ZydisDecodedInstruction z;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);
    if (ZYAN_FAILED(decoder_full(f->bytes, f->len, facts_decoder(f->mode32), &z, ops)) ||
        ZYAN_FAILED(ZydisFormatterFormatInstruction(&formatter, &z, ops, z.operand_count_visible, t->out, t->bytes,
                                                    f->pc, NULL)))
        put(t, "(bad)");
    else
        t->used = strlen(t->out);
    add_suffix(t, f, &z);
}

size_t facts_format(const struct ins_facts *f, enum facts_syntax syntax, char *out, size_t bytes)
{
    struct text t = { out, bytes, 0 };
    if (!bytes)
        return 0;
    out[0] = 0;
    if (f->flags & FACT_FLAG_BAD)
        put(&t, "(bad)");
    else if (syntax == FACTS_ATT)
        format_att(&t, f);
    else
        format_intel(&t, f, syntax == FACTS_XED);
    return t.used;
}
