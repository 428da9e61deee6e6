/* SPDX-License-Identifier: Apache-2.0
 * See needs.h. What single registers of the tool API mean is the architecture's (arch_arg_needs). No state. */
#include "opt/needs.h"

#include "base/options.h"
#include "linchpin/iarg.h"
#include "opt/body.h"
#include "opt/hold.h"
#include "opt/live.h"
#include "opt/routine.h"

static bool is_context(u16 iarg) { return iarg == IARG_CONTEXT || iarg == IARG_CONST_CONTEXT; }

bool needs_nothing(u16 iarg)
{
    switch (iarg) {
    case IARG_ADDRINT: case IARG_PTR: case IARG_BOOL: case IARG_UINT32: case IARG_UINT64: case IARG_INST_PTR:
    case IARG_FALLTHROUGH_ADDR: case IARG_THREAD_ID:
        return true;
    }
    return false;
}

/* Is it made from what the instruction itself reads? */
static bool is_of_instruction(u16 iarg)
{
    switch (iarg) {
    case IARG_MEMORYREAD_EA: case IARG_MEMORYREAD2_EA: case IARG_MEMORYWRITE_EA: case IARG_MEMORYREAD_PTR:
    case IARG_MEMORYREAD2_PTR: case IARG_MEMORYWRITE_PTR: case IARG_MEMORYOP_PTR: case IARG_MEMORYOP_EA:
    case IARG_MEMORYREAD_SIZE: case IARG_MEMORYWRITE_SIZE: case IARG_MEMORYOP_SIZE: case IARG_BRANCH_TAKEN:
    case IARG_BRANCH_TARGET_ADDR: case IARG_EXECUTING: case IARG_TSC:
        return true;
    }
    return false;
}

reg_set needs_sources(const struct call *c)
{
    reg_set m = 0;
    for (u16 i = 0; i < c->nargs; i++)
        if (!needs_nothing(c->arg[i].iarg) && !is_of_instruction(c->arg[i].iarg))
            m |= arch_arg_needs(&c->arg[i]).sources;
    return m;
}

/* The result goes to its register as through a reference. */
reg_set needs_exposed(const struct call *c)
{
    const struct call_arg result = {.iarg = IARG_REG_REFERENCE, .reg = c->return_reg};
    reg_set m = c->return_reg ? arch_arg_needs(&result).exposed : 0;
    for (u16 i = 0; i < c->nargs; i++)
        m |= is_context(c->arg[i].iarg) ? HOLD_ALL : arch_arg_needs(&c->arg[i]).exposed;
    return m & (reg_set)~hold_bit(arch_info.sp);
}

bool needs_all(const struct call *c)
{
    for (u16 i = 0; i < c->nargs; i++)
        if (is_context(c->arg[i].iarg) || arch_arg_needs(&c->arg[i]).all)
            return true;
    return false;
}

bool needs_condition(const struct call *c)
{
    bool asks = c->predicated;
    for (u16 i = 0; i < c->nargs; i++)
        asks |= c->arg[i].iarg == IARG_BRANCH_TAKEN || c->arg[i].iarg == IARG_EXECUTING;
    return asks;
}

/* Has it a result that changes a register of the guest? */
static bool changes_guest(const struct call *c)
{
    unsigned bytes;
    return c->return_reg && arch_tool_register(c->return_reg, &bytes) < 0;
}

reg_set needs_observed(const struct call *c)
{
    if (c->fill && c->kind == CALL_THEN)
        return 0; /* the context for a full buffer has only what the guest needs */
    return needs_all(c) || needs_exposed(c) || changes_guest(c) ? HOLD_ALL : needs_sources(c);
}

bool needs_little(const struct call *c)
{
    return !options.no_light && routine_scan(c->fn)->light && !needs_all(c) && !changes_guest(c) && !c->expose_mxcsr;
}

void needs_log(const struct call *c, bool little, enum bridge_place place)
{
    const char *why = little ? body_of(c->fn)->why : routine_scan(c->fn)->why;
    if (!why)
        why = place == BRIDGE_BEFORE ? "its arguments or registers" : "its place";
    if (c->check_inline)
        routine_check_inline(c->fn, why);
    routine_log(c->fn, little ? "called, with what it changes saved" : "called, with all state saved", why);
}

struct live needs_live(struct pass *b, const struct insn *in, const struct call *list, enum bridge_place place,
                       gpc_t pc)
{
    u32 at = (u32)(in - b->insn);
    bool taken = place == BRIDGE_AFTER && pc != in->pc + in->len;
    struct live l = taken ? live_at(pc) : live_before(b, place == BRIDGE_AFTER ? at + 1 : at);
    for (const struct call *c = list; c; c = c->next)
        l.regs |= needs_little(c) ? needs_sources(c) : HOLD_ALL;
    return l;
}
