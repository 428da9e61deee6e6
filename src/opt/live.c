/* SPDX-License-Identifier: Apache-2.0
 * See live.h. Goes once over the trace, from its end to its start; at its exits it looks ahead into guest code. Owns a
 * memory of what it has found there. Under jit_lock. */
#include "opt/live.h"

#include "base/options.h"
#include "opt/needs.h"
#include "opt/objects.h"
#include "opt/peek.h"
#include "os/os.h"
#include "vm/clock.h"

#include <string.h>

#define ALL ((struct live){(reg_set)~0, FLAG_SET_ALL})

static bool observed;

void live_reset(struct pass *b)
{
    b->live_known = false;
}

bool live_observe(void)
{
    bool first = !observed;
    observed = true;
    return first;
}

/* --- beyond the trace ------------------------------------------------------------------------------------------- */

#define LOOK_AHEAD 16 /* instructions that are looked at after an exit, on all ways together */
#define MEMO 4096

struct look {
    gpc_t pc;
    int budget; /* how many of them were left when it was found */
    struct live live;
};
static struct look memo[MEMO];

/* Where the walk goes on after `in`: the target, and for a conditional branch the fall-through too. */
static struct live look(gpc_t pc, int *budget);

static struct live look_behind(const struct insn *in, int *budget)
{
    struct live a, b;
    switch ((enum effect_class)in->effect.cls) {
    case EFFECT_PLAIN: case EFFECT_REPEAT:
        return in->ends_trace ? ALL : look(in->pc + in->len, budget);
    case EFFECT_JUMP: case EFFECT_CALL:
        return look(in->target, budget);
    case EFFECT_BRANCH:
        if (!in->effect.copied)
            return ALL;
        a = look(in->target, budget);
        b = look(in->pc + in->len, budget);
        return (struct live){a.regs | b.regs, a.flags | b.flags};
    default:
        return ALL;
    }
}

static struct live through(struct live l, const struct effect *e)
{
    l.regs = (reg_set)((l.regs & ~e->kills) | e->reads | 1u << arch_info.sp);
    l.flags = (flag_set)((l.flags & ~e->flags_killed) | e->flags_read);
    return l;
}

static bool look_decode(struct insn *in, gpc_t pc)
{
    u8 bytes[15];
    size_t n = peek_code(pc, bytes, sizeof bytes);
    return n && decode_insn_effect(in, pc, bytes, n) && in->effect.known;
}

static struct live look(gpc_t pc, int *budget)
{
    struct look *m = &memo[pc % MEMO];
    struct insn in;
    int left = --*budget;
    if (UNLIKELY(os_sections) && os_section_at(pc))
        return ALL; /* it may go on where the section says */
    if (m->pc == pc && m->budget >= left)
        return m->live;
    if (left <= 0 || !look_decode(&in, pc))
        return ALL;
    struct live l = through(look_behind(&in, budget), &in.effect);
    *m = (struct look){pc, left, l};
    return l;
}

/* What is needed before the instruction at pc, which is not in this trace. */
static struct live look_at(gpc_t pc)
{
    int budget = LOOK_AHEAD;
    if (observed)
        return ALL; /* calls there may see anything */
    return look(pc, &budget);
}

void live_forget_code(void) { memset(memo, 0, sizeof memo); }

/* --- the trace ------------------------------------------------------------------------------------------------- */

/* What is needed after `in`, the last instruction or one that may leave the trace. next: what is needed before the
 * instruction that follows in the trace. */
static struct live needed_after(const struct insn *in, struct live next)
{
    struct live a;
    switch ((enum effect_class)in->effect.cls) {
    case EFFECT_PLAIN: case EFFECT_REPEAT:
        return in->ends_trace ? ALL : next;
    case EFFECT_JUMP: case EFFECT_CALL:
        return look_at(in->target);
    case EFFECT_BRANCH:
        if (!in->effect.copied)
            return ALL;
        a = look_at(in->target);
        return (struct live){a.regs | next.regs, a.flags | next.flags};
    default:
        return ALL;
    }
}

/* Adds the registers that the calls see. */
static struct live seen_by(const struct call *list, struct live l)
{
    for (const struct call *c = list; c; c = c->next) {
        reg_set regs = needs_observed(c);
        l.regs |= regs;
        if (regs == (reg_set)~0)
            l.flags = FLAG_SET_ALL;
    }
    return l;
}

/* Is it code that the program has written itself? A compiler that writes code while it runs may look at any register in
 * its fault handlers, or go on elsewhere with it: then all registers are needed. */
static bool is_written_code(const struct pass *b)
{
    u8 byte;
    return !peek_code(b->pc, &byte, 1);
}

static bool falls_through(const struct insn *in)
{
    u8 cls = in->effect.cls;
    return cls == EFFECT_PLAIN || cls == EFFECT_REPEAT || (cls == EFFECT_BRANCH && in->effect.copied);
}

/* Is it known what it does, and where execution goes on? */
static bool is_known(const struct insn *in)
{
    u8 cls = in->effect.cls;
    return in->effect.known && (falls_through(in) || cls == EFFECT_JUMP || cls == EFFECT_CALL);
}

static void compute(struct pass *b)
{
    b->live_known = true;
    if (b->section || is_written_code(b)) {
        for (u32 i = 0; i <= b->ninsns; i++)
            b->live[i] = ALL;
        return;
    }
    const struct insn *last = &b->insn[b->ninsns - 1];
    struct live l = falls_through(last) ? look_at(last->pc + last->len) : ALL;
    b->live[b->ninsns] = l;
    for (u32 i = b->ninsns; i-- > 0;) {
        const struct insn *in = &b->insn[i];
        const struct ins *ins = b->ins[i];
        if (!ins || !ins->deleted)
            l = needed_after(in, l);
        if (ins)
            l = seen_by(ins->after, seen_by(ins->taken, l));
        if (!ins || !ins->deleted)
            l = is_known(in) ? through(l, &in->effect) : ALL;
        if (ins)
            l = seen_by(ins->before, l);
        if (ins && (ins->deleted || ins->change))
            l = ALL; /* the tool has changed what it does */
        b->live[i] = l;
    }
}

struct live live_at(gpc_t pc) { return options.no_dead ? ALL : look_at(pc); }

struct live live_before(struct pass *b, u32 i)
{
    if (options.no_dead)
        return ALL;
    if (!b->live_known) {
        enum clock_place was = clock_at(CLOCK_OPTIMISE);
        compute(b);
        clock_back(was);
    }
    return b->live[i];
}
