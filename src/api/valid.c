/* SPDX-License-Identifier: Apache-2.0
 * What an analysis call may be given at an instruction and a place: checked when all callbacks have seen the
 * instruction, with the tool's source line. Also turns arguments whose value depends on the instruction into the form
 * that the bridge knows. Under jit_lock. */
#include "api/valid.h"

#include "api/made.h"
#include "facts.h"
#include "linchpin/iarg.h"
#include "opt/events.h"
#include "opt/objects.h"

#define CONTROL (FACT_FLAG_BRANCH | FACT_FLAG_CALL | FACT_FLAG_RET)

static const char *iarg_name(u16 iarg)
{
#define NAME(n) case n: return #n
    switch (iarg) {
    NAME(IARG_MEMORYREAD_EA); NAME(IARG_MEMORYREAD2_EA); NAME(IARG_MEMORYWRITE_EA); NAME(IARG_MEMORYREAD_SIZE);
    NAME(IARG_MEMORYWRITE_SIZE); NAME(IARG_MEMORYREAD_PTR); NAME(IARG_MEMORYREAD2_PTR); NAME(IARG_MEMORYWRITE_PTR);
    NAME(IARG_MEMORYOP_PTR); NAME(IARG_MEMORYOP_EA); NAME(IARG_MEMORYOP_SIZE); NAME(IARG_MEMORYOP_MASKED_ON);
    NAME(IARG_MULTI_MEMORYACCESS_EA); NAME(IARG_MULTI_ELEMENT_OPERAND); NAME(IARG_EXPLICIT_MEMORY_EA);
    NAME(IARG_BRANCH_TAKEN); NAME(IARG_BRANCH_TARGET_ADDR); NAME(IARG_FIRST_REP_ITERATION); NAME(IARG_MEMORY_VALUE);
    NAME(IARG_MEMORY_REFERENCE); NAME(IARG_REWRITE_SCATTERED_MEMOP);
    }
#undef NAME
    return "the argument";
}

static void wrong(const struct ins *i, const struct call *c, u16 iarg, const char *why)
{
    api_misuse(c->name, c->file, c->line, "%s is not valid for the instruction at 0x%lx: %s", iarg_name(iarg), i->pc,
               why);
}

/* The memory operand that the argument is about, -1: it is about none. */
static int memory_of(struct ins *i, const struct call *c, const struct call_arg *a)
{
    const struct ins_facts *f = facts_of(i);
    int n = -1;
    switch (a->iarg) {
    case IARG_MEMORYREAD_SIZE: case IARG_MEMORYWRITE_SIZE: /* of whatever access there is */
        return f->nmem ? 0 : -1;
    case IARG_MEMORYREAD_EA: case IARG_MEMORYREAD_PTR:
        if ((n = facts_read_operand(f, 0)) < 0)
            wrong(i, c, a->iarg, "it reads no memory");
        break;
    case IARG_MEMORYREAD2_EA: case IARG_MEMORYREAD2_PTR:
        if ((n = facts_read_operand(f, 1)) < 0)
            wrong(i, c, a->iarg, "it has no second memory read");
        break;
    case IARG_MEMORYWRITE_EA: case IARG_MEMORYWRITE_PTR:
        if ((n = facts_write_operand(f)) < 0)
            wrong(i, c, a->iarg, "it writes no memory");
        break;
    case IARG_MEMORY_VALUE: case IARG_MEMORY_REFERENCE:
        if (!f->nmem)
            wrong(i, c, a->iarg, "it has no memory operand");
        return 0;
    case IARG_MEMORYOP_EA: case IARG_MEMORYOP_SIZE: case IARG_MEMORYOP_PTR: case IARG_MEMORYOP_MASKED_ON:
        if (a->index >= f->nmem)
            wrong(i, c, a->iarg, f->nmem ? "it has fewer memory operands" : "it has no memory operand");
        n = (int)a->index;
    }
    return n;
}

static bool is_size(u16 iarg)
{
    return iarg == IARG_MEMORYREAD_SIZE || iarg == IARG_MEMORYWRITE_SIZE || iarg == IARG_MEMORYOP_SIZE;
}
static bool is_ptr(u16 iarg) { return iarg >= IARG_MEMORYREAD_PTR && iarg <= IARG_MEMORYOP_PTR; }

static void check_memory(struct ins *i, const struct call *c, struct call_arg *a, bool after)
{
    int n = memory_of(i, c, a);
    struct mem_operand m;
    const struct ins_facts *f = facts_of(i);
    if (n < 0 || !facts_memory(f, (u32)n, &m))
        return;
    bool rewritten = i->change && i->change->rewrite[n];
    if (is_size(a->iarg)) {
        if (f->flags & FACT_FLAG_XSAVE)
            *a = (struct call_arg){.iarg = IARG_MADE_XSAVE_SIZE};
    } else if (a->iarg == IARG_MEMORYOP_MASKED_ON) {
        if (after)
            wrong(i, c, a->iarg, "only before it is the mask there");
        if (!facts_masked(f))
            *a = (struct call_arg){.iarg = IARG_BOOL, .value = 1};
    } else if (m.kind == MEM_VSIB || m.kind == MEM_OTHER) {
        wrong(i, c, a->iarg, "it accesses more than one address; IARG_MULTI_MEMORYACCESS_EA has them all");
    } else if (after && !(is_ptr(a->iarg) && rewritten)) {
        wrong(i, c, a->iarg, "after it, the registers of the address may have changed");
    } else if (opt_events.translate && !after && is_ptr(a->iarg)) {
        bool write = a->iarg == IARG_MEMORYWRITE_PTR || (a->iarg == IARG_MEMORYOP_PTR && !m.read);
        *a = (struct call_arg){.iarg = IARG_MADE_TRANSLATED, .index = (u32)n, .value = write};
    }
}

static bool has_explicit_address(const struct ins_facts *f)
{
    for (u32 k = 0; k < f->noperands; k++)
        if ((f->op[k].kind == FACT_MEM || f->op[k].kind == FACT_AGEN) && f->op[k].visibility == FACT_EXPLICIT &&
            !f->op[k].vsib)
            return true;
    return false;
}

/* A branch's target in memory, if the tool translates addresses. */
static void translate_target(const struct ins_facts *f, struct call_arg *a)
{
    int n = f->flags & FACT_FLAG_DIRECT ? -1 : facts_read_operand(f, 0);
    if (n >= 0 && opt_events.translate && a->iarg == IARG_BRANCH_TARGET_ADDR)
        *a = (struct call_arg){.iarg = IARG_MADE_TARGET, .index = (u32)n};
}

static void check_arg(struct ins *i, const struct call *c, struct call_arg *a, bool after)
{
    const struct ins_facts *f = facts_of(i);
    switch (a->iarg) {
    case IARG_MULTI_MEMORYACCESS_EA:
        if (!f->nmem)
            wrong(i, c, a->iarg, "it has no memory operand");
        if (after)
            wrong(i, c, a->iarg, "after it, the registers of the addresses may have changed");
        break;
    case IARG_MULTI_ELEMENT_OPERAND:
        if (a->index >= f->noperands || (f->op[a->index].kind != FACT_MEM && f->op[a->index].kind != FACT_REG))
            wrong(i, c, a->iarg, "it has no such register or memory operand");
        if (after)
            wrong(i, c, a->iarg, "only before it are the elements known");
        break;
    case IARG_EXPLICIT_MEMORY_EA:
        if (!has_explicit_address(f))
            wrong(i, c, a->iarg, "it names no memory");
        if (after)
            wrong(i, c, a->iarg, "after it, the registers of the address may have changed");
        break;
    case IARG_BRANCH_TAKEN: case IARG_BRANCH_TARGET_ADDR:
        if (a->iarg == IARG_BRANCH_TAKEN && f->flags & FACT_FLAG_SYSCALL)
            break; /* tools that count jumps ask for it there, too; such a branch is never taken */
        if (!(f->flags & CONTROL))
            wrong(i, c, a->iarg, "it is not a branch, call or return");
        translate_target(f, a);
        break;
    case IARG_MEMORY_REFERENCE:
        a->iarg = IARG_MEMORYOP_PTR;
        check_memory(i, c, a, after);
        break;
    case IARG_REWRITE_SCATTERED_MEMOP:
        if (!i->change || !i->change->scattered)
            wrong(i, c, a->iarg, "INS_RewriteScatteredMemoryOperand has not been called for it");
        if (after)
            wrong(i, c, a->iarg, "only before it");
        break;
    case IARG_FIRST_REP_ITERATION:
        if (!(f->flags & (FACT_FLAG_REP | FACT_FLAG_REPNE)))
            wrong(i, c, a->iarg, "it has no REP prefix");
        if (after)
            wrong(i, c, a->iarg, "only before it");
        break;
    default:
        check_memory(i, c, a, after);
    }
}

void valid_resolve(struct ins *i)
{
    struct call *list[] = {i->before, i->taken, i->after};
    for (u32 k = 0; k < ARRAY_LEN(list); k++)
        for (struct call *c = list[k]; c; c = c->next)
            for (u16 n = 0; n < c->nargs; n++) {
                check_arg(i, c, &c->arg[n], list[k] == i->after);
                made_resolve(i, &c->arg[n], list[k] == i->after);
            }
}
