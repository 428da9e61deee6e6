/* SPDX-License-Identifier: Apache-2.0
 * See rtn_tail.h. At such a jump the guest's stack pointer is at the return address, and a note is made of both
 * (vm/call.h). When the guest arrives there the VM makes the calls, with arguments from the guest's registers as they
 * are then: the result is there. Rule A35. */
#include "api/rtn_tail.h"

#include "api/replace_args.h"
#include "arch/arch.h"
#include "context.h"
#include "facts.h"
#include "image/image.h"
#include "linchpin/iarg.h"
#include "os/thread.h"
#include "vm/call.h"

#include <string.h>

static const char cold[] = ".cold";

const struct rtn *rtn_whole(const struct rtn *r)
{
    char name[512];
    const char *dot = strstr(r->name, cold);
    size_t n = dot ? (size_t)(dot - r->name) : 0;
    if (!n || n >= sizeof name)
        return r;
    memcpy(name, r->name, n);
    name[n] = 0;
    const struct rtn *whole = rtn_named(r->image, name);
    return whole ? whole : r;
}

/* --- when it has returned ----------------------------------------------------------------------------------------- */

static void make_call(const struct call *c, gpc_t pc)
{
    struct abi_list l;
    struct replacement as = {.pc = pc, .call = c};
    struct activation a = {.return_pc = arch_pc(&vm_tc.cpu)};
    void *memory = __builtin_alloca_with_align(replace_arguments_bytes(&as), 512);
    replace_arguments(&l, &as, &a, memory);
    l.call.fn = c->fn;
    abi_host_call(&l.call);
    replace_give_back(&as, memory);
    if (c->return_reg)
        replace_set_reg(c->return_reg, l.call.ret[0]);
}

static void returned(u64 rtn, u64 pc)
{
    image_lock();
    const struct rtn *r = rtn_get((u32)rtn);
    const struct call *first = r ? r->after : NULL;
    image_unlock();
    for (const struct call *c = first; c; c = c->next)
        make_call(c, pc);
}

/* --- at the jump -------------------------------------------------------------------------------------------------- */

static void note(u64 rtn, u64 pc, u64 sp, u64 return_pc) { vm_note_return(return_pc, sp, returned, rtn, pc); }

/* An indirect jump: out of the routine, or through a table of a switch? */
static void note_indirect(u64 rtn, u64 pc, u64 sp, u64 return_pc, u64 target)
{
    image_lock();
    const struct rtn *r = rtn_get((u32)rtn), *to = rtn_find(target);
    bool leaves = r && (target < r->start || target >= r->end) && (!to || to->start == target);
    image_unlock();
    if (leaves)
        note(rtn, pc, sp, return_pc);
}

static bool calls_possible(const struct call *c)
{
    for (; c; c = c->next)
        for (u16 i = 0; i < c->nargs; i++)
            if (!replace_argument_known(c->arg[i].iarg) || c->arg[i].iarg == IARG_ORIG_FUNCPTR)
                return false;
    return true;
}

static void add(struct call **list, const struct rtn *r, bool direct)
{
    const struct call_arg args[] = {
        {.iarg = IARG_UINT64, .value = r->id},
        {.iarg = IARG_INST_PTR},
        {.iarg = IARG_FUNCARG_ENTRYPOINT_REFERENCE, .index = 6 /* above the return address */},
        {.iarg = IARG_RETURN_IP},
        {.iarg = IARG_BRANCH_TARGET_ADDR},
    };
    u16 n = direct ? 4 : 5;
    struct call *c = objects_alloc(sizeof *c + n * sizeof args[0]);
    *c = (struct call){.fn = direct ? (void *)note : (void *)note_indirect, .order = CALL_ORDER_LAST, .nargs = n};
    memcpy(c->arg, args, n * sizeof args[0]);
    while (*list)
        list = &(*list)->next;
    *list = c;
}

void rtn_tail_apply(const struct rtn *r, struct ins *i)
{
    const struct ins_facts *f = facts_of(i);
    if (!(f->flags & FACT_FLAG_BRANCH) || (f->flags & FACT_FLAG_FAR) || !calls_possible(r->after))
        return;
    if (!(f->flags & FACT_FLAG_DIRECT)) {
        add(&i->before, r, false);
        return;
    }
    if (f->target >= r->start && f->target < r->end)
        return;
    const struct rtn *to = rtn_find(f->target);
    if (to && to->start == f->target && rtn_whole(to) != r)
        add(f->flags & FACT_FLAG_CONDITIONAL ? &i->taken : &i->before, r, true);
}
