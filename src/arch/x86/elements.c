/* SPDX-License-Identifier: Apache-2.0
 * Accesses of more than one address (facts.h). Reads the guest's registers from vm_tc.cpu.bridge and, for XRSTOR and
 * XSAVEC, the header of the guest's area. No state. */
#include "arch/x86/facts.h"

#include "arch/arch.h"
#include "arch/x86/context.h"
#include "arch/x86/regs.h"
#include "arch/x86/xed_names.h"
#include "os/os.h"
#include "os/thread.h"
#include "xed-iclass-enum.h"

#include <cpuid.h>
#include <string.h>

#define VECTOR_BYTES 64
#define XSAVE_LEGACY 512
#define XSAVE_HEADER 64
#define XSAVE_COMPACT (1ul << 63)
#define X_FIRST_EXTENDED 2

/* --- masks -------------------------------------------------------------------------------------------------------- */

enum mask_kind { MASK_NONE, MASK_K, MASK_SIGNS };

static bool is_mask_move(u16 iclass)
{
    switch (iclass) {
    case XED_ICLASS_VMASKMOVPS: case XED_ICLASS_VMASKMOVPD: case XED_ICLASS_VPMASKMOVD: case XED_ICLASS_VPMASKMOVQ:
    case XED_ICLASS_MASKMOVDQU: case XED_ICLASS_VMASKMOVDQU: case XED_ICLASS_MASKMOVQ:
        return true;
    }
    return false;
}

static bool is_vector(const struct fact_operand *o)
{
    u16 cls = o->kind == FACT_REG ? regs_class(o->reg) : (u16)REG_CLASS_NONE;
    return cls == REG_CLASS_MM || (cls >= REG_CLASS_XMM && cls <= REG_CLASS_ZMM);
}

/* Where the mask is: a mask register, or the signs of a vector's elements. */
static enum mask_kind mask_of(const struct ins_facts *f, u16 *reg)
{
    bool gather = f->flags & FACT_FLAG_GATHER, k = regs_class(f->mask_reg) == REG_CLASS_K;
    if (k) {
        *reg = f->mask_reg;
        return regs_is_k0(*reg) ? MASK_NONE : MASK_K;
    }
    u32 n = gather ? 2 : is_mask_move(f->iclass) ? 1 : 0;
    if (!n || n >= f->noperands || !is_vector(&f->op[n]))
        return MASK_NONE;
    *reg = f->op[n].reg;
    return MASK_SIGNS;
}

bool facts_masked(const struct ins_facts *f)
{
    u16 reg;
    return mask_of(f, &reg) != MASK_NONE;
}

/* Bit i: element i, each of `bytes`, is accessed. */
static u64 mask_bits(const struct ins_facts *f, u32 bytes)
{
    u8 value[VECTOR_BYTES] = {0};
    u16 reg;
    u64 bits = 0;
    switch (mask_of(f, &reg)) {
    case MASK_NONE:
        return ~0ul;
    case MASK_K:
        context_read(&vm_tc.cpu.bridge, reg, &bits);
        return bits;
    case MASK_SIGNS:
        context_read(&vm_tc.cpu.bridge, reg, value);
        for (u32 i = 0; i * bytes < VECTOR_BYTES; i++)
            bits |= (u64)(value[i * bytes + bytes - 1] >> 7) << i;
    }
    return bits;
}

/* --- addresses ---------------------------------------------------------------------------------------------------- */

static u64 sum(const struct mem_operand *m, u64 index)
{
    const u64 *gpr = vm_tc.cpu.bridge.gpr;
    u64 a = m->base == MEM_RIP || (m->base < 0 && m->index < 0 && m->kind != MEM_VSIB)
                ? m->absolute
                : (u64)m->disp + (m->base < 0 ? 0 : gpr[(u8)m->base]);
    if (m->kind == MEM_XLAT)
        index = (u8)gpr[RAX];
    else if (m->index >= 0)
        index = gpr[(u8)m->index];
    a += index * m->scale;
    if (m->kind == MEM_BIT) {
        u32 unused = 64 - 8 * m->bytes;
        a += (u64)((s64)(gpr[(u8)m->bit] << unused) >> unused >> (3 + __builtin_ctz(m->bytes))) * m->bytes;
    }
    if (m->addr32)
        a = m->addr16 ? (u16)a : (u32)a;
    a += m->seg == MEM_SEG_FS ? arch_tls_base() : m->seg == MEM_SEG_GS ? vm_tc.cpu.gs_base : 0;
    return cpu_guest32 ? (u32)a : a;
}

u64 elements_address(const struct ins_facts *f, const struct fact_operand *o)
{
    struct mem_operand m;
    return facts_memory(f, o->memory, &m) ? sum(&m, 0) : 0;
}

/* How wide an index is: the letter after the verb says it. */
static u32 index_bytes(const struct ins_facts *f)
{
    const char *name = xed_iclass_name(f->iclass), *verb = strstr(name, "GATHER");
    verb = verb ? verb + 6 : strstr(name, "SCATTER") + 7;
    return verb[verb[0] == 'P' ? 3 : 0] == 'D' ? 4 : 8;
}

static u32 list_scattered(const struct ins_facts *f, const struct fact_operand *o, struct element *out)
{
    u8 index[VECTOR_BYTES];
    struct mem_operand m;
    u32 step = index_bytes(f), bytes = o->bits / 8;
    u64 on = mask_bits(f, bytes);
    facts_memory(f, o->memory, &m);
    context_read(&vm_tc.cpu.bridge, m.index_reg, index);
    for (u32 i = 0; i < o->elements; i++) {
        s32 narrow;
        s64 wide;
        memcpy(&narrow, index + i * step, 4);
        memcpy(&wide, index + i * step, step == 8 ? 8 : 4);
        out[i] = (struct element){sum(&m, (u64)(step == 8 ? wide : narrow)), i * bytes, bytes, on >> i & 1};
    }
    return o->elements;
}

u32 elements_list(const struct ins_facts *f, const struct fact_operand *o, struct element *out)
{
    if (o->kind == FACT_MEM && o->vsib)
        return list_scattered(f, o, out);
    u32 n = o->elements > 1 && o->elements <= ELEMENTS_MAX && o->element_bits >= 8 && !f->broadcast ? o->elements : 1;
    u32 bytes = n == 1 ? o->bits / 8 : o->element_bits / 8u;
    u64 on = mask_bits(f, bytes ? bytes : 1), base = o->kind == FACT_MEM ? elements_address(f, o) : 0;
    if (n == 1 && on)
        on = 1;
    for (u32 i = 0; i < n; i++)
        out[i] = (struct element){base ? base + i * bytes : 0, i * bytes, bytes, on >> i & 1};
    return n;
}

/* --- the XSAVE family --------------------------------------------------------------------------------------------- */

static u32 standard_bytes(u64 components)
{
    u32 end = XSAVE_LEGACY + XSAVE_HEADER, a, b, c, d;
    for (u32 i = X_FIRST_EXTENDED; i < 63; i++)
        if (components >> i & 1 && __get_cpuid_count(0xd, i, &a, &b, &c, &d) && a && a + b > end)
            end = a + b;
    return end;
}

/* Layout by `format`; up to the last one of `present`. */
static u32 compact_bytes(u64 format, u64 present)
{
    u32 at = XSAVE_LEGACY + XSAVE_HEADER, end = at, a, b, c, d;
    for (u32 i = X_FIRST_EXTENDED; i < 63; i++) {
        if (!(format >> i & 1) || !__get_cpuid_count(0xd, i, &a, &b, &c, &d) || !a)
            continue;
        if (c & 2)
            at = (at + 63) & ~63u;
        at += a;
        if (present >> i & 1)
            end = at;
    }
    return end;
}

u32 elements_xsave_bytes(const struct ins_facts *f, bool done)
{
    const struct bridge_state *s = &vm_tc.cpu.bridge;
    u64 wanted = ((s->gpr[RDX] & 0xffffffff) << 32 | (s->gpr[RAX] & 0xffffffff)) & vm_tc.cpu.xsave_mask;
    const struct fact_operand *o = &f->op[f->mem[0]];
    u64 header[2] = {0}; /* XSTATE_BV, XCOMP_BV */
    bool read = os_safe_copy(header, (void *)(elements_address(f, o) + XSAVE_LEGACY), sizeof header) == sizeof header;
    switch (f->iclass) {
    case XED_ICLASS_XSAVEC: case XED_ICLASS_XSAVEC64: case XED_ICLASS_XSAVES: case XED_ICLASS_XSAVES64:
        return done && read ? compact_bytes(header[1], header[0]) : compact_bytes(wanted, wanted);
    case XED_ICLASS_XRSTOR: case XED_ICLASS_XRSTOR64: case XED_ICLASS_XRSTORS: case XED_ICLASS_XRSTORS64:
        return read && header[1] & XSAVE_COMPACT ? compact_bytes(header[1], wanted & header[0])
                                                 : standard_bytes(wanted);
    case XED_ICLASS_XSAVE: case XED_ICLASS_XSAVE64: case XED_ICLASS_XSAVEOPT: case XED_ICLASS_XSAVEOPT64:
        return standard_bytes(wanted);
    }
    return o->bits / 8;
}
