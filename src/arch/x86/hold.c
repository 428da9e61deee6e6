/* SPDX-License-Identifier: Apache-2.0
 * See hold.h. Under jit_lock. */
#include "arch/x86/hold.h"

#include "arch/arch.h"
#include "arch/x86/live.h"
#include "base/options.h"
#include "vm/thread.h"

struct hold hold = {HOLD_ALL, 0};
u16 hold_reserved;

/* Conditional branches with loads on their taken way. */
static struct way {
    const struct insn *in;
    u8 *patch;
    u16 regs, held;
} way[BUILD_MAX_INSNS];
static u32 nways;

void hold_set(struct build *b, struct hold h)
{
    hold = h;
    b->held = (u16)(h.slot & ~h.reg);
}

void hold_emit_stores(struct emit *e, u16 regs)
{
    for (enum gpr r = RAX; r < GPR_COUNT; r++)
        if (regs >> r & 1)
            emit_store_ctx(e, HOLD_GPR(r), r);
}

void hold_emit_loads(struct emit *e, u16 regs)
{
    for (enum gpr r = RAX; r < GPR_COUNT; r++)
        if (regs >> r & 1)
            emit_load_ctx(e, r, HOLD_GPR(r));
}

/* While that goes on, it is still in the context. */
void hold_load(struct build *b, gpc_t pc, u16 regs)
{
    struct emit e = {b->p};
    regs &= b->held;
    if (!regs)
        return;
    build_map(b, b->p, MAP_GUEST, pc, 0);
    hold_emit_loads(&e, regs);
    b->p = e.p;
    hold_set(b, (struct hold){hold.reg | regs, hold.slot});
}

void hold_sync(struct build *b, gpc_t pc, u32 i)
{
    if (b->held)
        hold_load(b, pc, live_before(b, i).regs);
    hold_set(b, (struct hold){HOLD_ALL, 0});
}

void arch_lower_sync(struct build *b, u32 i) { hold_sync(b, b->insn[i].pc, i); }

bool hold_keeps(const struct insn *in, struct live_effect *e)
{
    bool copied = (in->cls == INSN_PLAIN && !in->ends_trace && in->seg != 0x65 && !(in->len == 2 && in->bytes[0] == 0xcd)) || in->cls == INSN_JCC;
    return copied && live_effect(in->bytes, in->len, e);
}

void hold_before(struct build *b, const struct insn *in)
{
    struct live_effect e;
    if (LIKELY(!b->held))
        return;
    if (!hold_keeps(in, &e))
        hold_sync(b, in->pc, (u32)(in - b->insn));
    else /* in several steps: what it writes would be in its register amid them */
        hold_load(b, in->pc, in->rip_relative || in->seg ? e.reads | e.writes : e.reads);
}

void hold_after(struct build *b, const struct insn *in)
{
    struct live_effect e;
    if (LIKELY(!hold.slot && hold.reg == HOLD_ALL))
        return;
    if (hold_keeps(in, &e))
        hold_set(b, (struct hold){hold.reg | e.writes, (u16)(hold.slot & ~e.writes)});
    else
        hold_set(b, (struct hold){HOLD_ALL, 0});
}

bool hold_branch(struct build *b, const struct insn *in, u8 *patch)
{
    u16 regs = (u16)(b->held & live_before(b, (u32)(in - b->insn)).regs);
    if (!regs)
        return false;
    way[nways++] = (struct way){in, patch, regs, b->held};
    return true;
}

void hold_write_branches(struct build *b)
{
    for (u32 i = 0; i < nways; i++) {
        struct way *w = &way[i];
        struct emit e = {b->p};
        u32 rel = (u32)(b->p - (w->patch + 4));
        memcpy(w->patch, &rel, 4);
        b->held = w->held;
        build_map(b, b->p, MAP_TARGET_COLD, w->in->pc, (u16)b->nexits);
        hold_emit_loads(&e, w->regs);
        b->p = e.p;
        b->held = 0;
        build_map(b, b->p, MAP_TARGET_COLD, w->in->pc, (u16)b->nexits);
        lower_exit_jmp(b, w->in->target, EXIT_KIND_BRANCH);
    }
    nways = 0;
}
