/* SPDX-License-Identifier: Apache-2.0
 * What becomes of the calls that a tool has inserted at an instruction: additions to counters are QEMU's own (inline
 * operations), others are made from a callback before the instruction, or, where they want addresses of accesses, from
 * the callback of the access. What cannot be had is refused. Under the client lock; what a callback is given lives
 * until QEMU forgets all its translations. */
#include "facts.h"
#include "linchpin/iarg.h"
#include "linchpin/reg.h"
#include "opt/routine.h"
#include "opt/summary.h"
#include "regs.h"
#include "system/system.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (1ul << 20)

/* --- memory --- */

static struct chunk {
    struct chunk *next;
    size_t used;
    u8 at[];
} *chunks;

void *plan_alloc(size_t bytes)
{
    bytes = (bytes + 15) & ~15ul;
    ASSERT(bytes <= CHUNK_BYTES);
    if (!chunks || chunks->used + bytes > CHUNK_BYTES) {
        struct chunk *c = malloc(sizeof *c + CHUNK_BYTES);
        if (!c)
            die(1, "no memory for what the tool has inserted");
        *c = (struct chunk){.next = chunks};
        chunks = c;
    }
    void *p = chunks->at + chunks->used;
    chunks->used += bytes;
    return memset(p, 0, bytes);
}

void plan_free_all(void)
{
    for (struct chunk *c; (c = chunks);) {
        chunks = c->next;
        free(c);
    }
}

/* --- values --- */

static void wrong(const struct ins *i, const struct call *c, const struct call_arg *a, const char *why)
{
    api_misuse(c->name, c->file, c->line, "%s is not valid for the instruction at 0x%lx: %s", iarg_name(a->iarg), i->pc,
               why);
}

static void checked_address(struct ins *i, const struct call *c, const struct call_arg *a, int n)
{
    struct mem_operand m;
    if (facts_memory(facts_of(i), (u32)n, &m) && (m.kind == MEM_VSIB || m.kind == MEM_OTHER))
        wrong(i, c, a, "it accesses more than one address");
}

/* The memory operand that the argument is about. */
static u8 operand_of(struct ins *i, const struct call *c, const struct call_arg *a)
{
    const struct ins_facts *f = facts_of(i);
    int n = -1;
    switch (a->iarg) {
    case IARG_MEMORYREAD_EA: case IARG_MEMORYREAD_SIZE: case IARG_MEMORYREAD_PA:
        n = facts_read_operand(f, 0);
        break;
    case IARG_MEMORYREAD2_EA: n = facts_read_operand(f, 1); break;
    case IARG_MEMORYWRITE_EA: case IARG_MEMORYWRITE_SIZE: case IARG_MEMORYWRITE_PA: n = facts_write_operand(f); break;
    case IARG_MEMORYOP_EA: case IARG_MEMORYOP_SIZE: case IARG_MEMORYOP_PA: n = a->index < f->nmem ? (int)a->index : -1;
    }
    if (n < 0)
        wrong(i, c, a, "it has no such memory operand");
    return (u8)n;
}

static struct value constant(u64 v) { return (struct value){.source = VALUE_CONSTANT, .constant = v}; }

static struct value tool_reg(const struct call *c, const struct call_arg *a)
{
    if (a->reg < REG_INST_TOOL_FIRST || a->reg > REG_INST_TOOL_LAST)
        system_refuse(c->name, a->iarg == IARG_REG_VALUE
                                   ? "IARG_REG_VALUE of a register of the guest: QEMU 7.2 shows none to plugins"
                                   : "a reference to a register of the guest: QEMU 7.2 shows none to plugins");
    u8 n = (u8)(a->reg - REG_INST_TOOL_FIRST);
    return (struct value){.source = a->iarg == IARG_REG_VALUE ? VALUE_TOOL_REG : VALUE_TOOL_REG_PLACE, .operand = n};
}

static struct value value_of(struct ins *i, const struct call *c, const struct call_arg *a)
{
    const struct ins_facts *f = facts_of(i);
    switch (a->iarg) {
    case IARG_ADDRINT: case IARG_PTR: case IARG_UINT64: return constant(a->value);
    case IARG_BOOL: return constant(!!a->value);
    case IARG_UINT32: return constant((u32)a->value);
    case IARG_INST_PTR: return constant(i->pc);
    case IARG_FALLTHROUGH_ADDR: return constant(i->pc + i->len);
    case IARG_PRIVILEGE: return constant(guest_privilege());
    case IARG_INST_PA: return constant(guest_physical(i->pc));
    case IARG_THREAD_ID: return (struct value){.source = VALUE_THREAD};
    case IARG_MEMORYREAD_SIZE: case IARG_MEMORYWRITE_SIZE: case IARG_MEMORYOP_SIZE:
        return constant(f->op[f->mem[operand_of(i, c, a)]].bits / 8);
    case IARG_MEMORYREAD_EA: case IARG_MEMORYREAD2_EA: case IARG_MEMORYWRITE_EA: case IARG_MEMORYOP_EA:
        checked_address(i, c, a, operand_of(i, c, a));
        return (struct value){.source = VALUE_ADDRESS, .operand = operand_of(i, c, a)};
    case IARG_MEMORYREAD_PA: case IARG_MEMORYWRITE_PA: case IARG_MEMORYOP_PA:
        checked_address(i, c, a, operand_of(i, c, a));
        return (struct value){.source = VALUE_PHYSICAL, .operand = operand_of(i, c, a)};
    case IARG_REG_VALUE: case IARG_REG_REFERENCE: case IARG_REG_CONST_REFERENCE: return tool_reg(c, a);
    case IARG_CONTEXT: case IARG_CONST_CONTEXT:
        if (c->fill) /* of a trace buffer's routine, which is told of the processor by it */
            return (struct value){.source = VALUE_CONTEXT};
    }
    system_refuse(c->name, iarg_name(a->iarg));
}

/* --- calls --- */

static s8 result_of(const struct call *c)
{
    if (!c->return_reg)
        return -1;
    if (c->return_reg < REG_INST_TOOL_FIRST || c->return_reg > REG_INST_TOOL_LAST)
        system_refuse(c->name, "IARG_RETURN_REGS with a register of the guest: QEMU 7.2 lets no plugin write one");
    return (s8)(c->return_reg - REG_INST_TOOL_FIRST);
}

static struct site *make_site(struct ins *i, const struct call *c)
{
    struct site *s = plan_alloc(sizeof *s);
    u32 n = 0;
    *s = (struct site){.fn = c->fn, .fill = c->fill, .kind = c->kind, .result = result_of(c)};
    if (c->nargs > MOST_VALUES)
        system_refuse(c->name, "a call with more than 14 arguments");
    for (u32 k = 0; k < c->nargs; k++)
        s->value[n++] = value_of(i, c, &c->arg[k]);
    s->nvalues = (u8)n;
    s->byte = !c->fill && routine_returns_byte(form_of(c->fn));
    return s;
}

static u32 needs_of(const struct ins_facts *f, const struct call *c, const struct site *s)
{
    u32 needs = 0;
    for (u32 k = 0; k < s->nvalues; k++)
        if (s->value[k].source == VALUE_ADDRESS || s->value[k].source == VALUE_PHYSICAL)
            needs |= 1u << s->value[k].operand;
    /* Whether a repeated instruction does something is seen by its access. */
    if (c->predicated && f->flags & (FACT_FLAG_REP | FACT_FLAG_REPNE) && f->nmem)
        needs |= 1;
    else if (c->predicated && f->flags & FACT_FLAG_PREDICATED && !needs)
        system_refuse(c->name, "an instruction that does something on a condition, which QEMU 7.2 does not show");
    return needs;
}

/* An If that is alone does something, too. */
static const struct call *make_group(struct ins *i, const struct call *c, struct group *g)
{
    struct site **at = &g->first;
    const struct call *first = c;
    do {
        struct site *s = make_site(i, c);
        g->needs |= needs_of(facts_of(i), c, s);
        *at = s;
        at = &s->next;
        c = c->next;
    } while (first->kind == CALL_IF && c && c->kind == CALL_THEN);
    return c;
}

/* --- counters --- */

/* Does the call add a constant to a counter of 64 bits, and nothing else? QEMU 7.2 adds without a lock, so only where
 * there is one processor. */
static bool is_counter(const struct group *g, struct summary *sum)
{
    const struct site *s = g->first;
    struct home arg[6] = {{0}};
    if (g->needs || s->next || s->kind != CALL_PLAIN || s->fill || s->result >= 0 || s->nvalues > 6 || cpu_most != 1)
        return false;
    for (u32 k = 0; k < s->nvalues; k++) {
        if (s->value[k].source != VALUE_CONSTANT && s->value[k].source != VALUE_THREAD)
            return false;
        arg[k].by_thread = s->value[k].source == VALUE_THREAD;
        arg[k].v = s->value[k].constant; /* of the other it is 0 */
    }
    return summary_of(s->fn, arg, s->nvalues, -1, sum) &&
           (!sum->bytes || (sum->bytes == 8 && sum->at.base == HOME_FIXED));
}

/* Counters that no other call comes after are added by QEMU, which does so after its callbacks. */
static void count_inline(struct group **list, struct qemu_plugin_insn *insn)
{
    struct group **last = list; /* what follows here are counters only */
    struct summary sum;
    for (struct group **g = list; *g; g = &(*g)->next)
        if (!is_counter(*g, &sum))
            last = &(*g)->next;
    for (struct group *g = *last; g; g = g->next)
        if (is_counter(g, &sum) && sum.bytes)
            qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, (void *)sum.at.v,
                                                       (u64)sum.delta);
    *last = NULL;
}

/* --- the point --- */

static void describe_operands(struct ins *ins, struct point *p)
{
    const struct ins_facts *f = facts_of(ins);
    p->noperands = f->nmem;
    for (u32 k = 0; k < f->nmem && k < MAX_MEMS; k++) {
        const struct fact_operand *o = &f->op[f->mem[k]];
        p->operand[k].read = o->read;
        p->operand[k].written = o->written;
        p->operand[k].bytes = o->bits / 8;
    }
    p->simple = f->nmem == 1 && p->operand[0].bytes <= 8 && !guest_has_other_accesses(ins);
    p->reads_second_first = guest_reads_second_first(ins);
}

static bool wants_physical(const struct group *g)
{
    for (; g; g = g->next)
        for (const struct site *s = g->first; s; s = s->next)
            for (u32 k = 0; k < s->nvalues; k++)
                if (s->value[k].source == VALUE_PHYSICAL)
                    return true;
    return false;
}

void plan_instruction(struct ins *ins, struct qemu_plugin_insn *insn)
{
    struct point *p = plan_alloc(sizeof *p);
    struct group **run = &p->run, **accessed = &p->accessed;
    for (const struct call *c = ins->before; c;) {
        struct group *g = plan_alloc(sizeof *g);
        c = make_group(ins, c, g);
        struct group ***list = g->needs ? &accessed : &run;
        **list = g;
        *list = &g->next;
    }
    if (p->run)
        count_inline(&p->run, insn);
    if (p->accessed) {
        describe_operands(ins, p);
        p->physical = wants_physical(p->accessed);
        qemu_plugin_register_vcpu_mem_cb(insn, deliver_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, p);
    }
    if (p->accessed && !p->simple)
        qemu_plugin_register_vcpu_insn_exec_cb(insn, deliver_reset_and_run, QEMU_PLUGIN_CB_NO_REGS, p);
    else if (p->run)
        qemu_plugin_register_vcpu_insn_exec_cb(insn, deliver_run, QEMU_PLUGIN_CB_NO_REGS, p);
}
