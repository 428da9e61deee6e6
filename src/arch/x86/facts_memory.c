/* SPDX-License-Identifier: Apache-2.0
 * Memory operands as code that computes their addresses wants them: hardware numbers, the stack pointer as it is before
 * the instruction. No state. */
#include "arch/x86/cpu.h"
#include "arch/x86/facts.h"
#include "arch/x86/regs.h"
#include "linchpin/reg.h"
#include "xed-category-enum.h"
#include "xed-iclass-enum.h"

#include <string.h>

static s8 hardware_number(u16 reg)
{
    unsigned offset, bytes;
    u16 cls = regs_class(reg);
    if (cls >= REG_CLASS_IP64 && cls <= REG_CLASS_IP16)
        return MEM_RIP;
    return (s8)regs_gpr_number(reg, &offset, &bytes);
}

static enum mem_kind kind_of(const struct ins_facts *f, const struct fact_operand *o)
{
    bool hidden = o->visibility == FACT_SUPPRESSED;
    if (o->vsib)
        return MEM_VSIB;
    if (f->category == XED_CATEGORY_AMX_TILE && o->index != REG_INVALID_)
        return MEM_OTHER; /* rows, index is the distance between them */
    if (f->iclass == XED_ICLASS_ENTER)
        return f->op[1].imm ? MEM_OTHER : MEM_PUSH;
    if (hidden && (f->flags & FACT_FLAG_STACK))
        return o->written ? MEM_PUSH : MEM_POP;
    if (hidden && (f->category == XED_CATEGORY_STRINGOP || f->category == XED_CATEGORY_IOSTRINGOP))
        return MEM_STRING;
    if (f->flags & FACT_FLAG_BITS && f->op[1].kind == FACT_REG)
        return MEM_BIT;
    return f->iclass == XED_ICLASS_XLAT ? MEM_XLAT : MEM_NORMAL;
}

/* pop to memory: the stack pointer is incremented before the address of the destination is computed. */
static s64 stack_adjustment(const struct ins_facts *f, const struct fact_operand *o, const struct mem_operand *m)
{
    if (m->kind == MEM_PUSH)
        return -(s64)m->bytes;
    if (f->iclass == XED_ICLASS_POP && o->visibility == FACT_EXPLICIT && m->base == RSP)
        return m->bytes;
    return 0;
}

static void take_absolute(const struct ins_facts *f, struct mem_operand *m)
{
    if (m->base == MEM_RIP)
        m->absolute = f->pc + f->len + (u64)m->disp;
    else if (m->base == MEM_NO_REG && m->index == MEM_NO_REG)
        m->absolute = (u64)m->disp;
    if (m->addr32)
        m->absolute = m->addr16 ? (u16)m->absolute : (u32)m->absolute;
}

static void take(const struct ins_facts *f, const struct fact_operand *o, struct mem_operand *m)
{
    memset(m, 0, sizeof *m);
    m->kind = (u8)kind_of(f, o);
    /* FS stands for the program's TLS, which is at GS in IA-32 programs. */
    u16 tls = cpu_guest32 ? REG_SEG_GS : REG_SEG_FS, other = cpu_guest32 ? REG_SEG_FS : REG_SEG_GS;
    m->seg = o->seg == tls ? MEM_SEG_FS : o->seg == other ? MEM_SEG_GS : MEM_SEG_NONE;
    m->base = hardware_number(o->base);
    m->index = o->vsib ? MEM_NO_REG : hardware_number(o->index);
    m->index_reg = o->index;
    m->bit = hardware_number(f->op[1].reg);
    m->scale = o->scale ? o->scale : 1;
    m->addr32 = f->address_bits != 64 && m->kind != MEM_PUSH && m->kind != MEM_POP;
    m->addr16 = m->addr32 && f->address_bits == 16;
    m->read = o->read;
    m->written = o->written;
    m->conditional = o->conditional;
    m->elements = o->vsib ? o->elements : 1;
    m->bytes = o->bits / 8;
    m->disp = o->disp + stack_adjustment(f, o, m);
    take_absolute(f, m);
}

bool facts_memory(const struct ins_facts *f, u32 index, struct mem_operand *m)
{
    if (index >= f->nmem)
        return false;
    take(f, &f->op[f->mem[index]], m);
    return true;
}

/* The segment of an address that is only computed does not count. */
bool facts_explicit_address(const struct ins_facts *f, struct mem_operand *m)
{
    for (u32 i = 0; i < f->noperands; i++) {
        const struct fact_operand *o = &f->op[i];
        if ((o->kind != FACT_MEM && o->kind != FACT_AGEN) || o->visibility != FACT_EXPLICIT)
            continue;
        take(f, o, m);
        if (o->kind == FACT_AGEN)
            m->seg = MEM_SEG_NONE;
        return true;
    }
    return false;
}

int facts_read_operand(const struct ins_facts *f, u32 n)
{
    for (int i = 0; i < f->nmem; i++)
        if (f->op[f->mem[i]].read && !n--)
            return i;
    return -1;
}

int facts_write_operand(const struct ins_facts *f)
{
    for (int i = 0; i < f->nmem; i++)
        if (f->op[f->mem[i]].written)
            return i;
    return -1;
}
