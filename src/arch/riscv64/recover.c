/* SPDX-License-Identifier: Apache-2.0
 * Precise state: from the hardware registers at any cache address to the guest's state (E2, E13). Called from the
 * signal handler on the interrupted thread; reads traces and regions without a lock (they are not freed while a thread
 * is in them, E9). */
#include "arch/riscv64/lower.h"

#include "opt/counts.h"
#include "os/thread.h"

const u8 arch_map_kind[MAP_HOWS + 1] = {
    [HOW_T0] = MAP_GUEST,       [HOW_SPILL] = MAP_GUEST,    [HOW_TP] = MAP_GUEST,    [HOW_IB] = MAP_GUEST,
    [HOW_IB_DONE] = MAP_TARGET, [HOW_IB_KEPT] = MAP_TARGET, [HOW_COUNT] = MAP_GUEST,
};

/* Analysis calls that were made are never taken back. */
const u32 arch_map_undone;

static void take_slots(struct cpu_state *c)
{
    c->gpr[T0] = c->slot[SLOT_T0];
    c->gpr[T1] = c->slot[SLOT_T1];
}

static void recover_count(struct cpu_state *c, u16 spilled)
{
    for (u32 i = 0; i < COUNT_SPILLS; i++) {
        u32 r = spilled >> 5 * i & 31;
        if (r)
            c->gpr[r] = c->slot[count_slot[i]];
    }
}

/* The guest's pc. */
static u64 recover_how(struct cpu_state *c, const struct map_entry *m, u64 pc)
{
    u64 target = m->how == HOW_IB_DONE ? c->gpr[T0] : c->slot[SLOT_TARGET];
    switch ((enum map_how)m->how) {
    case HOW_T0: c->gpr[T0] = c->slot[SLOT_T0]; return pc;
    case HOW_TP:
        c->gpr[TP] = c->gpr[m->data];
        c->gpr[m->data] = c->slot[SLOT_SPILL];
        return pc;
    case HOW_SPILL: c->gpr[m->data] = c->slot[SLOT_SPILL]; return pc;
    case HOW_COUNT: recover_count(c, m->data); return pc;
    case HOW_IB: take_slots(c); return pc;
    case HOW_IB_DONE:
    case HOW_IB_KEPT: take_slots(c); return target;
    }
    BUG("map entry of kind %u", m->how);
}

static void recover_body(struct cpu_state *c, const struct trace *t)
{
    const struct map_entry m = map_at(t, c->pc - (u64)t->body);
    u64 pc = t->pc + m.pc_off;
    if (m.kind == MAP_CALLS)
        missing("a signal amid analysis calls");
    if (m.how)
        pc = recover_how(c, &m, pc);
    else if (m.kind == MAP_TARGET || m.kind == MAP_LEAVING)
        pc = exit_get(t->first_exit + m.data)->target;
    c->pc = pc;
}

static void recover_lookup(struct cpu_state *c, const struct region *r)
{
    bool begun = c->pc >= (u64)r->ib_flags_saved;
    u64 target = begun ? c->slot[SLOT_TARGET] : c->gpr[T0];
    if (begun) {
        c->gpr[T2] = c->slot[SLOT_T2];
        c->gpr[T3] = c->slot[SLOT_T3];
    }
    take_slots(c);
    c->pc = target;
}

static void recover_entry(struct cpu_state *c)
{
    u64 target = c->gpr[T0];
    take_slots(c);
    c->pc = target;
}

void arch_recover(struct cpu_state *c, const struct region *r)
{
    u8 *pc = (u8 *)c->pc;
    if (pc >= r->ib_miss && pc < r->common_end) {
        recover_lookup(c, r);
        return;
    }
    struct code_item item = region_find_item(r, pc);
    if (!item.trace || pc >= r->stub_next)
        missing("a signal in a far jump");
    if (item.kind == ITEM_BODY)
        recover_body(c, item.trace);
    else
        recover_entry(c);
}

/* In a stub all is in place but t0, and it is on its way. */
bool arch_stub_waits(u64 pc) { return (void)pc, true; }

void arch_settle_counts(u64 pc, enum arch_settle how)
{
    const struct trace *t = place_body(pc);
    if (!t || !t->count_bytes)
        return; /* none, or elsewhere: all blocks so far are complete */
    u32 off = (u32)(pc - (u64)t->body);
    struct map_entry m = map_at(t, off);
    bool calls_done = how == SETTLE_FAULT || (how == SETTLE_SIGNAL && m.kind == MAP_TARGET);
    counts_settle(t, off, m.pc_off, calls_done, 0);
}
