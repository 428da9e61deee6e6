/* SPDX-License-Identifier: Apache-2.0
 * Arguments of analysis calls that code without a bridge can make (arch_value): constants, and what comes straight from
 * the guest's registers. Under jit_lock. */
#include "opt/objects.h"
#include "arch/x86/emit.h"
#include "arch/x86/facts.h"
#include "arch/x86/regs.h"
#include "linchpin/iarg.h"

static bool is_address(struct ins *ins, const struct call_arg *a, struct mem_operand *m)
{
    const struct ins_facts *f = facts_of(ins);
    int n;
    switch (a->iarg) {
    case IARG_MEMORYREAD_EA: n = facts_read_operand(f, 0); break;
    case IARG_MEMORYREAD2_EA: n = facts_read_operand(f, 1); break;
    case IARG_MEMORYWRITE_EA: n = facts_write_operand(f); break;
    case IARG_MEMORYOP_EA: n = (int)a->index; break;
    default: return false;
    }
    if (n < 0 || !facts_mem_operand(ins, (u32)n, m) || m->kind > MEM_STRING)
        return false;
    if (m->addr32) /* an IA-32 program's, whose registers have no upper halves */
        return cpu_guest32 && !m->addr16 && m->seg != MEM_SEG_GS;
    return fits_s32(m->disp) &&
           (m->seg == MEM_SEG_NONE || (m->seg == MEM_SEG_FS && m->index < 0 && m->base != MEM_RIP &&
                                       (m->base >= 0 || fits_s32((s64)m->absolute))));
}

static bool is_constant(struct ins *ins, const struct call_arg *a, u64 *v)
{
    struct mem_operand m;
    switch (a->iarg) {
    case IARG_ADDRINT: case IARG_PTR: case IARG_UINT64: case IARG_BOOL: case IARG_UINT32: *v = a->value; return true;
    case IARG_INST_PTR: *v = ins->pc; return true;
    case IARG_FALLTHROUGH_ADDR: *v = ins->pc + ins->len; return true;
    case IARG_MEMORYOP_SIZE:
        if (!facts_mem_operand(ins, a->index, &m))
            return false;
        *v = m.bytes;
        return true;
    default: return false;
    }
}

static bool is_register(const struct call_arg *a, enum gpr *r)
{
    unsigned at, bytes;
    int n = a->iarg == IARG_REG_VALUE ? regs_gpr_number(a->reg, &at, &bytes) : -1;
    if (n < 0 || at || bytes != 8)
        return false;
    *r = (enum gpr)n;
    return true;
}

/* `to` has the base of the TLS. Sums wrap at 4 GiB. */
static void load_narrow_tls(struct emit *e, enum gpr to, const struct mem_operand *m, s32 more)
{
    if (m->base >= 0 && m->index >= 0) /* four terms */
        emit_lea_narrow(e, to, m->base, (int)to, 1, 0);
    if (m->index >= 0)
        emit_lea_narrow(e, to, (int)to, m->index, m->scale, more);
    else if (m->base >= 0) /* not as the index, which the stack pointer cannot be */
        emit_lea_narrow(e, to, m->base, (int)to, 1, more);
    else if (more)
        emit_lea_narrow(e, to, (int)to, -1, 1, more);
}

/* Loads an address; the guest's registers are in place, and `to` is none of them. Changes no flags. */
static void load_address(struct emit *e, enum gpr to, const struct mem_operand *m)
{
    bool none = m->base < 0 && m->index < 0;
    if (m->seg == MEM_SEG_FS) { /* in the GS base: rdgsbase */
        EMIT(e, 0xf3, (u8)(0x48 | to >> 3), 0x0f, 0xae, (u8)(0xc8 | (to & 7)));
        s32 more = none ? (s32)m->absolute : (s32)m->disp;
        if (UNLIKELY(m->addr32))
            load_narrow_tls(e, to, m, more);
        else if (!none)
            emit_lea(e, to, m->base, (int)to, 1, more);
        else if (more)
            emit_lea(e, to, (int)to, -1, 1, more);
    } else if (m->base == MEM_RIP || none) {
        emit_const(e, to, m->absolute);
    } else if (m->addr32) {
        emit_lea_narrow(e, to, m->base < 0 ? -1 : m->base, m->index < 0 ? -1 : m->index, m->scale, (s32)m->disp);
    } else {
        emit_lea(e, to, m->base < 0 ? -1 : m->base, m->index < 0 ? -1 : m->index, m->scale, (s32)m->disp);
    }
}

/* --- for src/opt -------------------------------------------------------------------------------------------------- */

static void take_operand(struct arch_value *to, const struct mem_operand *m)
{
    bool none = m->base < 0 && m->index < 0;
    if (m->seg == MEM_SEG_NONE && (m->base == MEM_RIP || none))
        *to = (struct arch_value){.kind = VALUE_CONST, .v = m->absolute};
    else if (m->seg == MEM_SEG_NONE && m->base >= 0 && m->index < 0 && !m->disp)
        *to = (struct arch_value){.kind = VALUE_REG, .reg = (u8)m->base};
    else
        *to = (struct arch_value){.kind = VALUE_SUM, .base = m->base, .index = m->index,
            .shift = (u8)__builtin_ctz(m->scale ? m->scale : 1), .tls = m->seg == MEM_SEG_FS,
            .narrow = m->addr32, .disp = (s32)(none ? (s64)m->absolute : m->disp)};
    to->word = true;
}

bool arch_value(struct ins *ins, const struct call_arg *a, struct arch_value *to)
{
    struct mem_operand m;
    enum gpr r;
    u64 v;
    if (is_constant(ins, a, &v))
        *to = (struct arch_value){.kind = VALUE_CONST, .v = v};
    else if (is_address(ins, a, &m))
        take_operand(to, &m);
    else if (is_register(a, &r))
        *to = (struct arch_value){.kind = VALUE_REG, .reg = (u8)r, .word = true};
    else
        return false;
    return true;
}

void arch_address(struct emit *e, u32 to, const struct arch_value *sum)
{
    bool none = sum->base < 0 && sum->index < 0;
    struct mem_operand m = {.seg = sum->tls ? MEM_SEG_FS : MEM_SEG_NONE, .base = sum->base, .index = sum->index,
        .scale = (u8)(1u << sum->shift), .addr32 = sum->narrow, .disp = sum->disp,
        .absolute = none ? (u64)(s64)sum->disp : 0};
    load_address(e, (enum gpr)to, &m);
}
