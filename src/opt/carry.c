/* SPDX-License-Identifier: Apache-2.0
 * See carry.h: the moves while a trace is lowered. Under jit_lock. */
#include "opt/carry.h"

#include "opt/objects.h"
#include "opt/live.h"
#include "base/options.h"
#include "os/thread.h"

u32 carry_id;

size_t carry_next(u32 id)
{
    return offsetof(struct thread, opt.buffer) + id * sizeof(struct trace_buffer) + offsetof(struct trace_buffer, next);
}

void carry_decide(void)
{
    static bool decided;
    if (!decided)
        carry_id = options.no_inline || options.no_carry ? 0 : fill_only;
    decided = true;
}

void carry_begin(struct pass *b)
{
    carry_decide();
    hold_forget_constant(b);
    b->next_in = carry_id ? carry_home() : 0;
    b->reserved = carry_id ? carry_bit() : 0;
    hold_set(b, carry_id ? (struct hold){HOLD_ALL & (reg_set)~carry_bit(), carry_bit(), false}
                         : (struct hold){HOLD_ALL, 0, false});
}

/* A new map entry: the guest is where it was, a register is elsewhere. */
static void map_again(struct pass *b)
{
    const struct map_entry m = b->map[b->nmap - 1];
    pass_map(b, b->p, (enum map_kind)m.kind, b->pc + m.pc_off, m.data);
    b->map[b->nmap - 1].how = m.how;
}

static reg_set carrier(const struct pass *b) { return b->next_in ? (reg_set)(1u << (b->next_in - 1)) : 0; }

static void set(struct pass *b, u8 next_in)
{
    b->reserved &= (reg_set)~carrier(b);
    b->next_in = next_in;
    b->reserved |= carrier(b);
}

void carry_move(struct pass *b, u32 to, reg_set live)
{
    reg_set bit = hold_bit(to), stored = (reg_set)(bit & b->hold.reg & ~b->hold.slot & live);
    struct emit e = {b->p};
    hold_forget_constant(b);
    hold_emit_stores(&e, stored);
    b->p = e.p;
    hold_set(b, (struct hold){(reg_set)(b->hold.reg & ~bit), b->hold.slot | stored, false});
    map_again(b);
    if (b->next_in)
        arch_move(&e, to, b->next_in - 1u);
    else
        arch_load_ctx(&e, to, carry_next(carry_id), 8);
    b->p = e.p;
    set(b, (u8)(to + 1));
    if (to == arch_info.carry)
        /* C1 holds for the guest's register even where the guest does not need it. */
        hold_set(b, (struct hold){b->hold.reg, b->hold.slot | carry_bit(), false});
    map_again(b);
}

void carry_take(struct pass *b, reg_set live)
{
    if (carry_id && b->next_in != carry_home())
        carry_move(b, arch_info.carry, live);
}

void carry_drop(struct pass *b)
{
    struct emit e = {b->p};
    if (!b->next_in)
        return;
    arch_store_ctx(&e, carry_next(carry_id), b->next_in - 1u);
    b->p = e.p;
    set(b, 0);
    map_again(b);
}

void carry_forget(struct pass *b)
{
    set(b, 0);
    hold_set(b, (struct hold){HOLD_ALL, 0, false});
}

/* Registers that the trace touches from instruction i on. */
static reg_set touched_from(const struct pass *b, u32 i)
{
    reg_set used = 0;
    for (; i < b->ninsns; i++)
        used |= effect_touches(&b->insn[i].effect);
    return used;
}

/* A register that is not in `used`, one that costs nothing if possible. */
static int find(const struct pass *b, reg_set used, reg_set live)
{
    reg_set may = hold_others(used | hold_bit(arch_info.sp) | hold_bit(arch_info.flags_in) | carrier(b) | b->reserved);
    reg_set cheap = (reg_set)(may & (~live | ~b->hold.reg));
    return cheap ? __builtin_ctz(cheap) : may ? __builtin_ctz(may) : -1;
}

void carry_evade(struct pass *b, u32 i)
{
    reg_set live = live_before(b, i).regs;
    int to = find(b, touched_from(b, i), live);
    pass_map(b, b->p, MAP_GUEST, b->insn[i].pc, 0);
    if (to >= 0)
        carry_move(b, (u32)to, live);
    else
        carry_drop(b);
}

void carry_keep_from(struct pass *b, u32 i, reg_set used)
{
    reg_set live = live_before(b, i).regs, bit = carrier(b);
    if (bit && !(bit & used))
        return;
    int to = find(b, touched_from(b, i) | used, live);
    if (to < 0)
        to = find(b, used, live);
    ASSERT(to >= 0);
    pass_map(b, b->p, MAP_GUEST, b->insn[i].pc, 0);
    if (!(carry_bit() & used) && !b->next_in)
        carry_take(b, live);
    else
        carry_move(b, (u32)to, live);
}
