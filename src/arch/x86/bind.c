/* SPDX-License-Identifier: Apache-2.0
 * See bind.h. Under jit_lock, but for bind_recover. */
#include "arch/x86/bind.h"

#include "opt/objects.h"
#include "arch/arch.h"
#include "arch/x86/inline.h"
#include "arch/x86/live.h"
#include "opt/hooks.h"
#include "os/thread.h"

#define MOVE_BYTES 9 /* of a register from or to the context */
#define KEEP_BYTES 16384 /* of a region, for the indirect entries of its traces */
#define NEVER_OURS ((u16)(1u << RSP | 1u << RAX)) /* rax is for flags */

/* What the analysis code of a trace wants. */
struct wants {
    u32 registers;    /* more than the guest leaves free, at the place where that is worst */
    u64 constant;     /* of the first routine that has one, 0: none */
    u16 early;        /* registers that are touched before the first place that wants any */
    u32 at[GPR_COUNT]; /* the first instruction that touches it */
};

/* Is the trace left for a trace that may come back with registers in the context? Else only what is sure to be executed counts. */
static bool comes_back(const struct build *b)
{
    for (u32 i = 0; i < b->ninsns; i++)
        if ((b->insn[i].cls == INSN_JCC || b->insn[i].cls == INSN_JMP) && b->insn[i].target == b->pc)
            return true;
    return b->hint.early_off;
}

static void look_at_insn(struct build *b, u32 i, bool counts, struct wants *w, u16 *touched)
{
    u16 sources = 0;
    u64 constant = 0;
    u32 n = counts && b->ins[i] && b->ins[i]->before ? inline_wants(b, i, &sources, &constant) : 0;
    u32 free = n ? (u32)__builtin_popcount((u16)~(live_before(b, i).regs | sources | 1u << RSP)) : 0;
    if (n && !w->constant)
        w->constant = constant;
    if (n > free) {
        if (!w->registers)
            w->early = *touched | sources;
        w->registers = n - free > w->registers ? n - free : w->registers;
    }
    u16 now = effect_touches(&b->insn[i].effect);
    for (enum gpr r = RAX; r < GPR_COUNT; r++)
        if ((now & ~*touched) >> r & 1)
            w->at[r] = i;
    *touched |= now;
}

/* Of those in `may`: what the trace touches last, and where that is the same, what is in the context already; rcx, which indirect branches use, only if there is no other. */
static int best(const struct wants *w, u16 may, u16 there)
{
    int found = -1;
    u32 most = 0;
    for (enum gpr r = RAX; r < GPR_COUNT; r++) {
        u32 score = w->at[r] * 4 + (there >> r & 1) * 2 + (r != RCX) + 1;
        if (may >> r & 1 && score > most) {
            most = score;
            found = (int)r;
        }
    }
    return found;
}

static u16 choose(struct build *b, struct trace_binding *t)
{
    struct wants w = {0};
    u16 touched = 0, there = 0, held;
    for (enum gpr r = RAX; r < GPR_COUNT; r++)
        w.at[r] = b->ninsns;
    bool counts = true, whole = comes_back(b);
    for (u32 i = 0; i < b->ninsns; i++) {
        look_at_insn(b, i, counts, &w, &touched);
        counts &= whole || b->insn[i].cls != INSN_JCC;
    }
    if (b->hint.early_off)
        there = (u16)(b->hint.slot & ~b->hint.reg);
    if (!w.registers && !there)
        return 0;
    u16 may = (u16)(live_before(b, 0).regs & ~(NEVER_OURS | b->reserved));
    held = there & may & (u16)~touched; /* it passes through */
    int r;
    while ((u32)__builtin_popcount(held) < w.registers && (r = best(&w, (u16)(may & ~(held | w.early)), there)) >= 0)
        held |= (u16)(1u << r);
    if (!held)
        return 0;
    if (b->hint.early_off && b->hint.constant_in && held >> (b->hint.constant_in - 1) & 1 && (!w.constant || w.constant == b->hint.constant)) {
        t->constant_in = b->hint.constant_in;
        t->constant = b->hint.constant;
    } else if (w.constant) {
        t->constant_in = (u8)(best(&w, held, 0) + 1);
        t->constant = w.constant;
    }
    return held;
}

static bool can_bind(const struct build *b)
{
    bool calls = b->hint.early_off;
    for (u32 i = 0; i < b->ninsns && !calls; i++)
        calls = b->ins[i] && b->ins[i]->before;
    return calls && hold_binds() && !b->checked && !versions_used && !hook_at(b->pc) && !arch_insn_repeats(&b->insn[0]);
}

void bind_begin(struct build *b)
{
    struct trace_binding t = {0};
    if (!b->instrumented || !can_bind(b))
        return;
    u16 held = choose(b, &t);
    if (!held)
        return;
    struct emit e = {b->p};
    build_map(b, b->p, MAP_GUEST, b->pc, 0);
    hold_emit_stores(&e, held);
    hold_set(b, (struct hold){(u16)(b->hold.reg & ~held), b->hold.slot | held, false});
    if (t.constant_in) {
        build_map(b, e.p, MAP_GUEST, b->pc, 0);
        emit_const(&e, (enum gpr)(t.constant_in - 1), t.constant);
        b->constant = (struct hold_constant){t.constant_in - 1, t.constant};
    }
    b->p = e.p;
    build_map(b, b->p, MAP_GUEST, b->pc, 0);
    t.off = (u32)(b->p - b->body);
    t.held = b->held;
    b->binding = t;
}

/* --- on the way to it ------------------------------------------------------------------------------------------------------- */

u8 *arch_bound_entry(const struct exit_binding *has, struct trace *to, const struct trace_binding *wants)
{
    u16 loads = (u16)(has->needed & ~wants->held & ~has->reg), stores = (u16)(has->needed & wants->held & ~has->slot);
    bool constant = wants->constant_in && !(has->constant_in == wants->constant_in && has->constant == wants->constant);
    u8 *entry = to->body + wants->off;
    if (!loads && !stores && !constant)
        return entry;
    u8 *start = trace_add_entry(to, 1 + 16 * MOVE_BYTES + 10 + 5, KEEP_BYTES);
    if (!start)
        return NULL;
    struct emit e = {start};
    emit_u8(&e, BIND_MARK);
    hold_emit_loads(&e, loads);
    hold_emit_stores(&e, stores);
    if (constant)
        emit_const(&e, (enum gpr)(wants->constant_in - 1), wants->constant);
    emit_jmp(&e, entry);
    trace_end_entry(to, e.p);
    return start;
}

/* What the piece loads stays in the context, what it stores in its register, until the constant is there. */
void bind_recover(struct cpu_state *c, const struct trace *t, const u8 *entry)
{
    struct trace_binding b;
    u16 loads = 0, stores = 0;
    trace_binding(t, &b);
    for (const u8 *p = entry + 1; p[0] == 0x64; p += MOVE_BYTES)
        *(p[2] == 0x8b ? &loads : &stores) |= (u16)(1u << ((p[1] >> 2 & 1) << 3 | (p[3] >> 3 & 7)));
    u16 held = (u16)((b.held & ~stores) | loads);
    if (*(const u8 *)c->pc == 0xe9 && b.constant_in)
        held |= (u16)(1u << (b.constant_in - 1));
    for (enum gpr r = RAX; r < GPR_COUNT; r++)
        if (held >> r & 1)
            c->gpr[r] = c->bridge.gpr[r];
    c->pc = t->pc;
    vm_tc.jit.version = t->version;
}
