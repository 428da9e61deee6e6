/* SPDX-License-Identifier: Apache-2.0
 * See count.h. Owns no state but what is in the pass. Under jit_lock. */
#include "opt/count.h"

#include "base/options.h"
#include "linchpin/iarg.h"
#include "opt/events.h"
#include "opt/fill.h"
#include "opt/hold.h"
#include "opt/live.h"
#include "opt/needs.h"
#include "opt/objects.h"
#include "opt/spread.h"
#include "opt/routine.h"

#define MAX_RAW PASS_MAX_COUNT_ITEMS

/* --- finding -------------------------------------------------------------------------------------------------- */

/* The arguments of the call, if they are known when the trace is made. */
static bool known_args(const struct ins *ins, const struct call *c, struct home *arg)
{
    unsigned bytes;
    if (c->nargs > 6)
        return false;
    for (u16 i = 0; i < c->nargs; i++) {
        const struct call_arg *a = &c->arg[i];
        arg[i] = (struct home){.v = a->value};
        switch (a->iarg) {
        case IARG_ADDRINT: case IARG_PTR: case IARG_UINT64: break;
        case IARG_BOOL: case IARG_UINT32: arg[i].v = (u32)a->value; break;
        case IARG_INST_PTR: arg[i].v = ins->pc; break;
        case IARG_FALLTHROUGH_ADDR: arg[i].v = ins->pc + ins->len; break;
        case IARG_THREAD_ID: arg[i] = (struct home){.by_thread = 1}; break;
        case IARG_REG_VALUE: {
            int n = arch_tool_register(a->reg, &bytes);
            if (n < 0 || bytes != 8)
                return false;
            arg[i] = (struct home){.base = HOME_TOOL_REG, .at = (u64)n};
            break;
        }
        default: return false;
        }
    }
    return true;
}

static bool only_counts(const struct ins *ins, const struct call *c, struct summary *what)
{
    struct home arg[6];
    unsigned bytes = 8;
    int result = c->return_reg ? arch_tool_register(c->return_reg, &bytes) : -1;
    bool known = c->kind == CALL_PLAIN && !c->predicated && (!c->return_reg || (result >= 0 && bytes == 8)) &&
                 known_args(ins, c, arg);
    bool counts = known && summary_of(c->fn, arg, c->nargs, result, what) && fits_s32(what->delta);
    return counts && (!what->bytes || home_fixed(&what->at) || spread_take(&what->at, what->bytes));
}

/* Takes all calls before the instruction, or none. *others: there are calls that do more than count. */
static bool take_calls(struct pass *b, const struct insn *in, struct ins *ins, bool *others)
{
    u32 first = b->nraw;
    for (struct call *c = ins->before; c; c = c->next) {
        struct raw_count r = {.pc_off = (u16)(in->pc - b->pc)};
        bool counts = b->nraw < MAX_RAW && only_counts(ins, c, &r.what);
        routine_log(c->fn, counts ? "inlined, as a counter" : NULL, NULL);
        if (!counts) {
            b->nraw = first;
            *others = true;
            return false;
        }
        if (r.what.bytes && r.what.delta)
            b->raw[b->nraw++] = r;
    }
    ins->counted = true;
    ins->before = NULL;
    return true;
}

/* The instruction before which an addition is cheapest. Where the guest does not need its flags, the addition is one
 * instruction, else it needs a register; so does an address out of reach. A register that the guest needs has to be
 * spilled, which costs the most: its next use waits for the store. */
static u32 best_place(struct pass *b, u32 first, u32 last)
{
    /* How many registers are spilled, by the number of registers that the guest does not need. */
    static const u8 near[3] = {1, 0, 0}, far[3] = {2, 1, 0}, none[3] = {0};
    u32 best = first, best_cost = 9;
    for (u32 i = first; i <= last; i++) {
        struct live l = live_before(b, i);
        u32 dead = (u32)__builtin_popcount(hold_others(l.regs));
        u32 spills =
            spread_on() ? (l.flags ? near : none)[dead > 2 ? 2 : dead] : (l.flags ? far : near)[dead > 2 ? 2 : dead];
        u32 cost = spills * 2 + !!l.flags;
        if (cost < best_cost) {
            best = i;
            best_cost = cost;
        }
    }
    return best;
}

static bool same_counter(const struct summary *a, const struct summary *c)
{
    return home_same(&a->at, &c->at) && a->bytes == c->bytes && a->locked == c->locked;
}

static void group(struct pass *b, u32 from, u32 place)
{
    struct pass_count *k = &b->count[b->ncounts++];
    *k = (struct pass_count){.insn = place, .at = b->raw[from].what.at, .bytes = b->raw[from].what.bytes,
        .locked = b->raw[from].what.locked, .c = {.item = (u16)b->ncount_items}};
    for (u32 i = from; i < b->nraw; i++) {
        s64 sum = k->c.sum + b->raw[i].what.delta;
        if (b->raw[i].taken || !same_counter(&b->raw[i].what, &b->raw[from].what) || !fits_s32(sum) ||
            (options.no_merge && i > from))
            continue;
        b->raw[i].taken = true;
        k->c.sum = sum;
        k->c.nitems++;
        b->count_item[b->ncount_items++] = (struct count_item){b->raw[i].pc_off, (s32)b->raw[i].what.delta};
    }
}

static void close_segment(struct pass *b, u32 first, u32 end)
{
    if (!b->nraw || first >= end)
        return;
    u32 place = options.no_merge ? 0 : best_place(b, first, end - 1);
    for (u32 i = 0; i < b->nraw; i++) {
        if (b->raw[i].taken)
            continue;
        if (options.no_merge)
            for (place = first; b->insn[place].pc - b->pc != b->raw[i].pc_off;)
                place++;
        group(b, i, place);
    }
    b->nraw = 0;
}

static bool observes(const struct call *c)
{
    for (; c; c = c->next)
        if (needs_observed(c))
            return true;
    return false;
}

static void note_observers(const struct pass *b)
{
    for (u32 i = 0; i < b->ninsns; i++) {
        const struct ins *ins = b->ins[i];
        if (ins &&
            (ins->deleted || ins->change || observes(ins->before) || observes(ins->after) || observes(ins->taken))) {
            if (live_observe())
                opt_events.flush();
            return;
        }
    }
}

/* The first instruction of the trace repeats itself, and all calls before it only count: then it need not stop in each
 * iteration, because the number of iterations is known. */
static bool take_repeats(struct pass *b)
{
    if (options.no_merge || !arch_insn_is(&b->insn[0], NATURE_REPEAT_KNOWN) || b->ins[0]->after || b->ins[0]->taken ||
        b->ins[0]->change || b->ins[0]->deleted)
        return false;
    for (u32 i = 0; i < b->ncounts; i++)
        /* Not for a record of a trace buffer, nor for a sum that cannot be a factor in an address. */
        if (b->count[i].insn == ~0u || b->count[i].locked ||
            (b->count[i].c.sum != 1 && b->count[i].c.sum != 2 && b->count[i].c.sum != 4 && b->count[i].c.sum != 8))
            return false;
    for (u32 i = 0; i < b->ncounts; i++)
        b->count[i].c.repeats = true;
    return b->ncounts != 0;
}

/* Plans all counters of the trace. True: there are calls that do more than count. */
static bool plan(struct pass *b)
{
    u32 first = 0;
    bool others = options.no_inline;
    b->repeats_whole = false;
    b->ncounts = b->ncount_items = b->nraw = 0;
    fill_begin(b);
    for (u32 i = 0; i < b->ninsns && !options.no_inline; i++) {
        struct ins *ins = b->ins[i];
        if (b->ncount_items + b->nraw + 8 > MAX_RAW) {
            others = true;
            break;
        }
        bool changed = ins && ins->change; /* control may go elsewhere before it */
        if (changed) {
            fill_end(b);
            close_segment(b, first, i);
            first = i;
        }
        bool fills = ins && ins->before && ins->before->fill && fill_take(b, i, first);
        if (ins && ins->before && !fills && !take_calls(b, &b->insn[i], ins, &others)) {
            fill_end(b);
            close_segment(b, first, i);
            first = i + 1;
        }
        others |= fills;
        others |= ins && (ins->after || ins->taken);
        if (insn_ends_block(&b->insn[i]) || (ins && (ins->after || ins->taken || ins->deleted || ins->change))) {
            fill_end(b);
            close_segment(b, first, i + 1);
            first = i + 1;
        }
        if (i == 0 && ins && ins->counted)
            b->repeats_whole = take_repeats(b);
    }
    fill_end(b);
    close_segment(b, first, b->ninsns);
    return others;
}

void count_plan(struct pass *b)
{
    note_observers(b);
    bool spread = spread_on();
    for (u32 i = 0; i < b->ninsns && spread; i++)
        b->before[i] = b->ins[i] ? b->ins[i]->before : NULL;
    if (!plan(b) || !spread)
        return;
    spread_stop(); /* this happens once; the plan is made anew, because it may depend on spreading */
    for (u32 i = 0; i < b->ninsns; i++)
        if (b->ins[i]) {
            b->ins[i]->before = b->before[i];
            b->ins[i]->counted = false;
        }
    plan(b);
}

/* Where the addition goes, also for counts_settle. */
static void choose_place(struct pass_count *bc)
{
    size_t own = spread_next(&bc->at, bc->bytes);
    bc->c.in_thread = own != 0;
    bc->c.addr = own ? own : bc->at.v;
    bc->c.bytes = own ? 8 : bc->bytes;
    bc->c.locked = !own && bc->locked;
}

void count_lower(struct pass *b, u32 insn)
{
    for (u32 i = 0; i < b->ncounts; i++)
        if (b->count[i].insn == insn) {
            hold_flags_back(b, b->insn[insn].pc, insn);
            hold_forget_constant(b);
            choose_place(&b->count[i]);
            arch_add_mem(b, &b->count[i], b->insn[insn].pc, live_before(b, insn));
        }
}
