/* SPDX-License-Identifier: Apache-2.0
 * See hold.h. Owns no state but what is in the pass. Under jit_lock. */
#include "opt/hold.h"

#include "opt/objects.h"
#include "base/options.h"
#include "opt/carry.h"
#include "opt/live.h"

void hold_set(struct pass *b, struct hold h)
{
    b->hold = h;
    b->flags_held = h.flags;
    if (b->constant.reg >= 0 && h.reg >> b->constant.reg & 1)
        hold_forget_constant(b);
    b->held = (reg_set)(h.slot & ~h.reg);
}

void hold_emit_stores(struct emit *e, reg_set regs)
{
    for (u32 r = 0; r < arch_info.registers; r++)
        if (regs >> r & 1)
            arch_store_ctx(e, arch_info.home + r * 8, r);
}

void hold_emit_loads(struct emit *e, reg_set regs)
{
    for (u32 r = 0; r < arch_info.registers; r++)
        if (regs >> r & 1)
            arch_load_ctx(e, r, arch_info.home + r * 8, 8);
}

/* While the loads are executed, the map says that the registers are in the context. */
void hold_load(struct pass *b, gpc_t pc, reg_set regs)
{
    struct emit e = {b->p};
    regs &= b->held;
    if (!regs)
        return;
    pass_map(b, b->p, MAP_GUEST, pc, 0);
    hold_emit_loads(&e, regs);
    b->p = e.p;
    ASSERT(!b->hold.flags || !(regs >> arch_info.flags_in & 1));
    hold_set(b, (struct hold){b->hold.reg | regs, b->hold.slot, b->hold.flags});
}

void hold_flags_back(struct pass *b, gpc_t pc, u32 i)
{
    struct emit e = {b->p};
    if (LIKELY(!b->hold.flags))
        return;
    if (live_before(b, i).flags) {
        pass_map(b, b->p, MAP_GUEST, pc, 0);
        arch_flags(&e, FLAGS_RESTORE);
        b->p = e.p;
    }
    hold_set(b, (struct hold){b->hold.reg, b->hold.slot, false});
    pass_map(b, b->p, MAP_GUEST, pc, 0);
}

/* Sets the state: all registers are in place but for the one that the carried value displaces. */
static void set_rest(struct pass *b)
{
    hold_set(b, b->next_in ? (struct hold){HOLD_ALL & ~carry_bit(), carry_bit(), false}
                           : (struct hold){HOLD_ALL, 0, false});
}

void hold_sync(struct pass *b, gpc_t pc, u32 i)
{
    if (b->next_in && b->next_in != carry_home()) {
        pass_map(b, b->p, MAP_GUEST, pc, 0);
        carry_take(b, live_before(b, i).regs);
    }
    hold_flags_back(b, pc, i);
    if (b->held)
        hold_load(b, pc, (reg_set)(live_before(b, i).regs & ~(b->next_in ? carry_bit() : 0)));
    set_rest(b);
}

void hold_release(struct pass *b, gpc_t pc, u32 i)
{
    if (b->next_in) {
        pass_map(b, b->p, MAP_GUEST, pc, 0);
        carry_drop(b);
    }
    hold_sync(b, pc, i);
}

void hold_leave(struct pass *b, gpc_t pc, u32 i)
{
    if (carry_id) {
        pass_map(b, b->p, MAP_GUEST, pc, 0);
        carry_take(b, live_before(b, i).regs);
    }
    hold_sync(b, pc, i);
}

void hold_leave_held(struct pass *b, gpc_t pc, u32 i)
{
    if (!hold_binds()) {
        hold_leave(b, pc, i);
        return;
    }
    hold_flags_back(b, pc, i);
    hold_load(b, pc, hold_bit(arch_info.sp));
}

void hold_sync_insn(struct pass *b, u32 i, bool all)
{
    if (all)
        hold_release(b, b->insn[i].pc, i);
    else
        hold_sync(b, b->insn[i].pc, i);
}

/* Is it a transfer of control that goes on in the cache and does not touch the register that the carried value is
 * in? */
static bool is_transfer(const struct insn *in)
{
    return in->effect.cls >= EFFECT_BRANCH && in->effect.cls <= EFFECT_RETURN &&
           !(effect_touches(&in->effect) & carry_bit());
}

/* Must the flags be in place for the instruction, or does it touch the register that they are in? */
static bool ends_flags(const struct pass *b, const struct insn *in, const struct effect *e)
{
    const struct ins *ins = b->ins[in - b->insn];
    return e->flags_touched || (e->reads | e->writes) >> arch_info.flags_in & 1 || arch_insn_is(in, NATURE_TRAPS) ||
           (ins && (ins->after || ins->taken));
}

void hold_before(struct pass *b, const struct insn *in)
{
    const struct effect *e = &in->effect;
    u32 i = (u32)(in - b->insn);
    if (LIKELY(!b->held && !carry_id && !b->hold.flags))
        return;
    if (!hold_keeps(in)) {
        if ((e->cls == EFFECT_JUMP || e->cls == EFFECT_CALL) && is_transfer(in))
            hold_leave_held(b, in->pc, i);
        else if (is_transfer(in))
            hold_leave(b, in->pc, i);
        else
            hold_release(b, in->pc, i);
        return;
    }
    if (b->hold.flags && ends_flags(b, in, e))
        hold_flags_back(b, in->pc, i);
    if (b->next_in && (e->reads | e->writes) >> (b->next_in - 1) & 1)
        carry_evade(b, i);
    /* An instruction that is executed in several steps: between them what it has written is in its register, and the
     * map must not say that it is in the context. */
    hold_load(b, in->pc, e->in_steps ? e->reads | e->writes : e->reads);
}

void hold_after(struct pass *b, const struct insn *in)
{
    const struct effect *e = &in->effect;
    if (LIKELY(!b->hold.slot && b->hold.reg == HOLD_ALL))
        return;
    if (hold_keeps(in))
        hold_set(b, (struct hold){b->hold.reg | e->writes, (reg_set)(b->hold.slot & ~e->writes), b->hold.flags});
    else
        set_rest(b);
}

bool hold_branch(struct pass *b, gpc_t pc, u32 i, gpc_t target, u8 *patch)
{
    bool away = carry_id && b->next_in != carry_home();
    if (LIKELY(!away && !b->held))
        return false;
    reg_set live = live_before(b, i).regs;
    if (!away && !(b->held & live & ~(carry_id ? carry_bit() : 0)))
        return false;
    b->way[b->nways++] = (struct hold_way){pc, patch, pass_add_exit(b, target, patch, EXIT_KIND_BRANCH), live, b->hold,
        b->constant, b->next_in};
    return true;
}

bool hold_binds(void) { return !options.no_bind && !options.no_lazy && !carry_id; }

/* The exit binds: another trace may go on with registers where they are. */
static void keep_binding(struct pass *b, const struct hold_way *w)
{
    bool switched = w->hold.slot >> arch_info.sp & 1 && !(w->hold.reg >> arch_info.sp & 1);
    if (switched || w->hold.flags || !hold_binds())
        return;
    b->bind[b->nbinds++] = (struct exit_binding){.constant = w->constant.value, .early_off = (s32)(w->patch - b->body),
        .late_off = (s32)(b->p - b->body), .exit = (u16)w->exit, .reg = w->hold.reg, .slot = w->hold.slot,
        .needed = w->live, .constant_in = (u8)(w->constant.reg + 1)};
}

void hold_write_branches(struct pass *b)
{
    for (u32 i = 0; i < b->nways; i++) {
        struct hold_way *w = &b->way[i];
        struct pass_exit *x = &b->exit[w->exit];
        arch_patch_branch(w->patch, b->p);
        keep_binding(b, w);
        b->next_in = w->next_in;
        hold_set(b, w->hold);
        pass_map(b, b->p, MAP_LEAVING, w->pc, (u16)w->exit);
        carry_take(b, w->live);
        struct emit e = {b->p};
        hold_emit_loads(&e, (reg_set)(b->held & w->live & ~(carry_id ? carry_bit() : 0)));
        b->p = e.p;
        set_rest(b);
        pass_map(b, b->p, MAP_LEAVING, w->pc, (u16)w->exit);
        x->held = b->held;
        x->next_in = b->next_in;
        e.p = b->p;
        x->patch = arch_jump(&e, NULL);
        b->p = e.p;
    }
    b->nways = 0;
}
