/* SPDX-License-Identifier: Apache-2.0
 * What an analysis call may be given at an instruction and a place: checked when all callbacks have seen the
 * instruction, with the tool's source line. Also turns arguments whose value depends on the instruction into the form
 * that the bridge knows. Under jit_lock. */
#include "api/valid.h"

#include "api/made.h"
#include "context.h"
#include "facts.h"
#include "linchpin/iarg.h"
#include "opt/events.h"
#include "opt/objects.h"
#include "regs.h"

#define NOT_OF_PC "Calling %s is not allowed with Instruction Pointer register"
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

/* Does the instruction leave the registers of the address alone? */
static bool address_stays(const struct ins_facts *f, const struct fact_operand *o)
{
    for (u32 i = 0; i < f->nwritten; i++) {
        u16 full = regs_row(f->written_reg[i])->full;
        if ((o->base && regs_row(o->base)->full == full) || (o->index && regs_row(o->index)->full == full))
            return false;
    }
    return true;
}

static void check_memory(struct ins *i, const struct call *c, struct call_arg *a, bool after)
{
    int n = memory_of(i, c, a);
    struct mem_operand m;
    const struct ins_facts *f = facts_of(i);
    if (n < 0 || !facts_memory(f, (u32)n, &m))
        return;
    bool rewritten = n < INS_MAX_MEMS && i->change && i->change->rewrite[n];
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
    } else if (rewritten && !after && is_ptr(a->iarg)) {
        *a = (struct call_arg){.iarg = IARG_REG_VALUE, .reg = i->change->rewrite[n], .offset = a->offset};
    } else if (after && !(is_ptr(a->iarg) && rewritten) && !address_stays(f, &f->op[f->mem[n]])) {
        wrong(i, c, a->iarg, "after it, the registers of the address may have changed");
    } else if (opt_events.translate && !after && is_ptr(a->iarg)) {
        if (c->return_reg)
            api_misuse(c->name, c->file, c->line, "Illegal use of memory address callback and register parameters: the "
                       "address is translated by the tool, and the routine's result goes into a register");
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

/* A register that cannot be given in the way that is asked for. */
static void check_register(const struct call *c, const struct call_arg *a)
{
    if (a->iarg == IARG_REG_VALUE && regs_row(a->reg) && regs_class(a->reg) != REG_CLASS_BUF &&
        (!context_reg_bytes(a->reg) || context_reg_bytes(a->reg) > 8))
        api_misuse(c->name, c->file, c->line, "Invalid REG for IARG_REG_VALUE: %s (%s)", regs_row(a->reg)->text,
                   context_reg_bytes(a->reg) ? "wider than 64 bits; IARG_REG_CONST_REFERENCE can give it"
                                             : "not a register of the program");
    if (a->iarg == IARG_REG_REFERENCE && regs_is_pc(a->reg))
        api_misuse(c->name, c->file, c->line, NOT_OF_PC, "IARG_REG_REFERENCE");
}

static void check_result(const struct call *c)
{
    if (c->return_reg && regs_is_pc(c->return_reg))
        api_misuse(c->name, c->file, c->line, NOT_OF_PC, "IARG_RETURN_REGS");
}

static void check_arg(struct ins *i, const struct call *c, struct call_arg *a, bool after)
{
    static const struct call_arg never = {.iarg = IARG_BOOL};
    const struct ins_facts *f = facts_of(i);
    check_register(c, a);
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
    case IARG_BRANCH_TAKEN: /* of what is no branch it is false, so that a tool may ask at every instruction */
        if (!(f->flags & (CONTROL | FACT_FLAG_SYSCALL)))
            *a = never;
        break;
    case IARG_BRANCH_TARGET_ADDR:
        if (!(f->flags & CONTROL))
            wrong(i, c, a->iarg, "it is not a branch, call or return");
        translate_target(f, a);
        break;
    case IARG_REG_CONST_REFERENCE:
        if (regs_is_pc(a->reg))
            a->iarg = IARG_MADE_PC;
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
            *a = never;
        else if (after)
            wrong(i, c, a->iarg, "only before it");
        break;
    default:
        check_memory(i, c, a, after);
    }
}

/* On the way of a transfer the guest is at its target already. */
static void at_target(const struct ins_facts *f, struct call_arg *a)
{
    if (a->iarg == IARG_REG_VALUE && regs_is_pc(a->reg) && f->flags & CONTROL && !(f->flags & FACT_FLAG_CONDITIONAL))
        *a = (struct call_arg){.iarg = IARG_BRANCH_TARGET_ADDR, .offset = a->offset};
}

/* A deleted transfer that is always taken has been taken when its calls before are done: those at IPOINT_TAKEN_BRANCH
 * follow them. */
static void keep_taken(struct ins *i)
{
    struct call **end = &i->before;
    if (!i->deleted || !i->taken || facts_of(i)->flags & FACT_FLAG_CONDITIONAL)
        return;
    while (*end)
        end = &(*end)->next;
    *end = i->taken;
    i->taken = NULL;
}

/* Is the argument the same when a direct call has pushed its return address, or meant as it is then? Those that name
 * memory, or where the program's arguments are, are not. */
static bool stands_late(const struct call_arg *a)
{
    switch (a->iarg) {
    case IARG_ADDRINT: case IARG_PTR: case IARG_BOOL: case IARG_UINT32: case IARG_UINT64: case IARG_INST_PTR:
    case IARG_FALLTHROUGH_ADDR: case IARG_BRANCH_TARGET_ADDR: case IARG_REG_VALUE: case IARG_REG_REFERENCE:
    case IARG_REG_CONST_REFERENCE: case IARG_CONTEXT: case IARG_CONST_CONTEXT: case IARG_THREAD_ID: case IARG_TSC:
        return true;
    default:
        return false;
    }
}

/* A call whose access is rewritten pushes by other code. */
static bool are_late(const struct ins *i)
{
    if (!i->taken || ins_rewritten(i))
        return false;
    const struct ins_facts *f = facts_of((struct ins *)i);
    if (!(f->flags & FACT_FLAG_CALL) || !(f->flags & FACT_FLAG_DIRECT) || (f->flags & FACT_FLAG_FAR))
        return false;
    for (const struct call *c = i->taken; c; c = c->next)
        for (u16 n = 0; n < c->nargs; n++)
            if (!stands_late(&c->arg[n]))
                return false;
    return true;
}

void valid_resolve(struct ins *i)
{
    keep_taken(i);
    i->taken_late = are_late(i);
    struct call *list[] = {i->before, i->taken, i->after};
    for (u32 k = 0; k < ARRAY_LEN(list); k++)
        for (struct call *c = list[k]; c; c = c->next) {
            check_result(c);
            for (u16 n = 0; n < c->nargs; n++) {
                if (list[k] == i->taken)
                    at_target(facts_of(i), &c->arg[n]);
                check_arg(i, c, &c->arg[n], list[k] == i->after);
                made_resolve(i, &c->arg[n], list[k] == i->after);
            }
        }
}
