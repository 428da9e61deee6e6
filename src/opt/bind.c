/* SPDX-License-Identifier: Apache-2.0
 * See bind.h. Under jit_lock. */
#include "opt/bind.h"

#include "opt/inline.h"
#include "opt/hooks.h"
#include "opt/live.h"
#include "opt/objects.h"

#define KEEP_BYTES 16384 /* bytes of a region that are kept for the indirect entries of its traces */

static reg_set never_ours(void) { return hold_bit(arch_info.sp) | hold_bit(arch_info.flags_in); }

/* What the analysis code of a trace wants. */
struct wants {
    u32 registers;    /* how many registers it lacks, at the place where it lacks most */
    u64 constant;     /* of the first routine that has one, 0: none */
    reg_set early;        /* registers that are touched before the first place that wants any */
    u32 at[sizeof(reg_set) * 8]; /* the first instruction that touches it */
};

static bool leads_back(const struct pass *b, const struct insn *in)
{
    return in->target == b->pc &&
           ((in->effect.cls == EFFECT_BRANCH && in->effect.copied) || in->effect.cls == EFFECT_JUMP);
}

/* May the trace be entered again with registers in the context, because one of its branches leads to its start, or
 * because it was made for such an exit? Then all its instructions count, else only those that are sure to be
 * executed. */
static bool comes_back(const struct pass *b)
{
    for (u32 i = 0; i < b->ninsns; i++)
        if (leads_back(b, &b->insn[i]))
            return true;
    return b->hint.early_off;
}

static void look_at_insn(struct pass *b, u32 i, bool counts, struct wants *w, reg_set *touched)
{
    reg_set sources = 0;
    u64 constant = 0;
    u32 n = counts && b->ins[i] && b->ins[i]->before ? inline_wants(b, i, &sources, &constant) : 0;
    u32 free = n ? (u32)__builtin_popcount(hold_others(live_before(b, i).regs | sources | hold_bit(arch_info.sp))) : 0;
    if (n && !w->constant)
        w->constant = constant;
    if (n > free) {
        if (!w->registers)
            w->early = *touched | sources;
        w->registers = n - free > w->registers ? n - free : w->registers;
    }
    reg_set now = effect_touches(&b->insn[i].effect);
    for (u32 r = 0; r < arch_info.registers; r++)
        if ((now & ~*touched) >> r & 1)
            w->at[r] = i;
    *touched |= now;
}

/* The best register of those in `may`: the one that the trace touches last. Where two are equal, one that is in the
 * context already, then one that is not in arch_info.least; -1: none. */
static int best(const struct wants *w, reg_set may, reg_set there)
{
    int found = -1;
    u32 most = 0;
    for (u32 r = 0; r < arch_info.registers; r++) {
        u32 score = w->at[r] * 4 + (there >> r & 1) * 2 + !(arch_info.least >> r & 1) + 1;
        if (may >> r & 1 && score > most) {
            most = score;
            found = (int)r;
        }
    }
    return found;
}

static reg_set choose(struct pass *b, struct trace_binding *t)
{
    struct wants w = {0};
    reg_set touched = 0, there = 0, held;
    for (u32 r = 0; r < arch_info.registers; r++)
        w.at[r] = b->ninsns;
    bool counts = true, whole = comes_back(b);
    for (u32 i = 0; i < b->ninsns; i++) {
        look_at_insn(b, i, counts, &w, &touched);
        counts &= whole || !(b->insn[i].effect.cls == EFFECT_BRANCH && b->insn[i].effect.copied);
    }
    if (b->hint.early_off)
        there = (reg_set)(b->hint.slot & ~b->hint.reg);
    if (!w.registers && !there)
        return 0;
    reg_set may = (reg_set)(live_before(b, 0).regs & ~(never_ours() | b->reserved));
    held = there & may & (reg_set)~touched; /* the trace does not touch it, so it stays in the context */
    int r;
    while ((u32)__builtin_popcount(held) < w.registers &&
           (r = best(&w, (reg_set)(may & ~(held | w.early)), there)) >= 0)
        held |= (reg_set)(1u << r);
    if (!held)
        return 0;
    if (b->hint.early_off && b->hint.constant_in && held >> (b->hint.constant_in - 1) & 1 &&
        (!w.constant || w.constant == b->hint.constant)) {
        t->constant_in = b->hint.constant_in;
        t->constant = b->hint.constant;
    } else if (w.constant) {
        t->constant_in = (u8)(best(&w, held, 0) + 1);
        t->constant = w.constant;
    }
    return held;
}

static bool can_bind(const struct pass *b)
{
    bool calls = b->hint.early_off;
    for (u32 i = 0; i < b->ninsns && !calls; i++)
        calls = b->ins[i] && b->ins[i]->before;
    return calls && hold_binds() && !b->checked && !versions_used && !hook_at(b->pc) && !insn_repeats(&b->insn[0]);
}

void bind_begin(struct pass *b)
{
    struct trace_binding t = {0};
    if (!b->instrumented || !can_bind(b))
        return;
    reg_set held = choose(b, &t);
    if (!held)
        return;
    struct emit e = {b->p};
    pass_map(b, b->p, MAP_GUEST, b->pc, 0);
    hold_emit_stores(&e, held);
    hold_set(b, (struct hold){(reg_set)(b->hold.reg & ~held), b->hold.slot | held, false});
    if (t.constant_in) {
        pass_map(b, e.p, MAP_GUEST, b->pc, 0);
        arch_const(&e, t.constant_in - 1u, t.constant);
        b->constant = (struct hold_constant){t.constant_in - 1, t.constant};
    }
    b->p = e.p;
    pass_map(b, b->p, MAP_GUEST, b->pc, 0);
    t.off = (u32)(b->p - b->body);
    t.held = b->held;
    b->binding = t;
}

/* --- on the way to the second entry
 * ----------------------------------------------------------------------------------- */

u8 *bind_entry(const struct exit_binding *has, struct trace *to, const struct trace_binding *wants)
{
    reg_set loads = (reg_set)(has->needed & ~wants->held & ~has->reg),
            stores = (reg_set)(has->needed & wants->held & ~has->slot);
    bool constant = wants->constant_in && !(has->constant_in == wants->constant_in && has->constant == wants->constant);
    u8 *entry = to->body + wants->off;
    if (!loads && !stores && !constant)
        return entry;
    struct bound_piece *piece = (struct bound_piece *)trace_add_entry(
        to, ITEM_BOUND, sizeof *piece + (arch_info.registers + 2u) * arch_info.code_bytes, KEEP_BYTES);
    if (!piece)
        return NULL;
    struct emit e = {piece->code};
    hold_emit_loads(&e, loads);
    hold_emit_stores(&e, stores);
    if (constant)
        arch_const(&e, wants->constant_in - 1u, wants->constant);
    *piece = (struct bound_piece){.jump_off = (u8)(e.p - piece->code), .loads = loads, .stores = stores};
    arch_jump(&e, entry);
    trace_end_entry(to, e.p);
    return piece->code;
}
