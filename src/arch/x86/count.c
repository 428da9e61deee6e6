/* SPDX-License-Identifier: Apache-2.0
 * Counters of a trace (opt/counts.h): finds the calls that only count, chooses where in each basic block to add, and writes the additions. Under jit_lock. */
#include "opt/objects.h"
#include "arch/x86/bridge.h"
#include "arch/x86/fill.h"
#include "arch/x86/lower.h"
#include "arch/x86/live.h"
#include "arch/x86/regs.h"
#include "arch/x86/routine.h"
#include "opt/summary.h"
#include "base/options.h"
#include "opt/events.h"
#include "opt/spread.h"
#include "linchpin/iarg.h"
#include "os/thread.h"

#define MAX_RAW BUILD_MAX_COUNT_ITEMS

/* --- finding -------------------------------------------------------------------------------------------------- */

/* What the calls are made with, where it is known beforehand. */
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
            int n = regs_tool_number(a->reg, &bytes);
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
    int result = c->return_reg ? regs_tool_number(c->return_reg, &bytes) : -1;
    bool known = c->kind == CALL_PLAIN && !c->predicated && (!c->return_reg || (result >= 0 && bytes == 8)) && known_args(ins, c, arg);
    bool counts = known && summary_of(c->fn, arg, c->nargs, result, what) && fits_s32(what->delta);
    return counts && (!what->bytes || home_fixed(&what->at) || spread_take(&what->at, what->bytes));
}

/* Takes all calls in front of the instruction, or none. *others: there are some that do more than count. */
static bool take_calls(struct build *b, const struct insn *in, struct ins *ins, bool *others)
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

/* Cheapest first: where flags are not needed the addition is one instruction, else it needs a register; so does an address out of reach. A register that is needed is spilled, which
 * costs the most: its next use waits for the store. */
static u32 best_place(struct build *b, u32 first, u32 last)
{
    static const u8 near[3] = {1, 0, 0}, far[3] = {2, 1, 0}, none[3] = {0}; /* spills, by the number of registers not needed */
    u32 best = first, best_cost = 9;
    for (u32 i = first; i <= last; i++) {
        struct live l = live_before(b, i);
        u32 dead = (u32)__builtin_popcount((u16)~l.regs);
        u32 spills = spread_on() ? (l.flags ? near : none)[dead > 2 ? 2 : dead] : (l.flags ? far : near)[dead > 2 ? 2 : dead];
        u32 cost = spills * 2 + !!l.flags;
        if (cost < best_cost) {
            best = i;
            best_cost = cost;
        }
    }
    return best;
}

static bool same_counter(const struct summary *a, const struct summary *c) { return home_same(&a->at, &c->at) && a->bytes == c->bytes && a->locked == c->locked; }

static void group(struct build *b, u32 from, u32 place)
{
    struct build_count *k = &b->count[b->ncounts++];
    *k = (struct build_count){.insn = place, .at = b->raw[from].what.at, .bytes = b->raw[from].what.bytes, .locked = b->raw[from].what.locked, .c = {.item = (u16)b->ncount_items}};
    for (u32 i = from; i < b->nraw; i++) {
        s64 sum = k->c.sum + b->raw[i].what.delta;
        if (b->raw[i].taken || !same_counter(&b->raw[i].what, &b->raw[from].what) || !fits_s32(sum) || (options.no_merge && i > from))
            continue;
        b->raw[i].taken = true;
        k->c.sum = sum;
        k->c.nitems++;
        b->count_item[b->ncount_items++] = (struct count_item){b->raw[i].pc_off, (s32)b->raw[i].what.delta};
    }
}

static void close_segment(struct build *b, u32 first, u32 end)
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
        if (bridge_args_observe(c))
            return true;
    return false;
}

static void note_observers(const struct build *b)
{
    for (u32 i = 0; i < b->ninsns; i++) {
        const struct ins *ins = b->ins[i];
        if (ins && (ins->deleted || ins->change || observes(ins->before) || observes(ins->after) || observes(ins->taken))) {
            if (live_observe())
                opt_events.flush();
            return;
        }
    }
}

/* The first instruction repeats, and all in front of it counts: it need not stop in each iteration, for their number is known. */
static bool take_repeats(struct build *b)
{
    if (options.no_merge || !arch_repeat_known(&b->insn[0]) || b->ins[0]->after || b->ins[0]->taken || b->ins[0]->change || b->ins[0]->deleted)
        return false;
    for (u32 i = 0; i < b->ncounts; i++)
        if (b->count[i].insn == ~0u || b->count[i].locked || (b->count[i].c.sum != 1 && b->count[i].c.sum != 2 && b->count[i].c.sum != 4 && b->count[i].c.sum != 8)) /* a buffer; factors of an address */
            return false;
    for (u32 i = 0; i < b->ncounts; i++)
        b->count[i].c.repeats = true;
    return b->ncounts != 0;
}

/* Are there calls that do more than count? */
static bool plan(struct build *b)
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
        bool changed = ins && ins->change; /* control may go elsewhere in front of it */
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
        if (arch_insn_ends_block(&b->insn[i]) || (ins && (ins->after || ins->taken || ins->deleted || ins->change))) {
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

void arch_plan_begin(struct build *b) { live_reset(b); }

void arch_plan_counts(struct build *b)
{
    note_observers(b);
    bool spread = spread_on();
    for (u32 i = 0; i < b->ninsns && spread; i++)
        b->before[i] = b->ins[i] ? b->ins[i]->before : NULL;
    if (!plan(b) || !spread)
        return;
    spread_stop(); /* once; what was planned may rest on it */
    for (u32 i = 0; i < b->ninsns; i++)
        if (b->ins[i]) {
            b->ins[i]->before = b->before[i];
            b->ins[i]->counted = false;
        }
    plan(b);
}


/* --- code ----------------------------------------------------------------------------------------------------- */

struct spot {
    enum { SPOT_THREAD, SPOT_LOW, SPOT_NEAR, SPOT_REG } how;
    u64 addr; /* SPOT_THREAD: from the FS base */
    enum gpr base;
};

/* [64] [66] [F0] [REX] opcode modrm ... of an access to the counter, `tail` bytes of immediate follow. */
static void emit_access(struct emit *e, const struct count *k, const u8 *op, size_t nop, u8 reg, const struct spot *s, unsigned tail)
{
    if (s->how == SPOT_THREAD)
        emit_u8(e, 0x64);
    if (k->locked)
        emit_u8(e, 0xf0);
    if (k->bytes == 2 && op[0] != 0x0f)
        emit_u8(e, 0x66);
    u8 rex = (u8)(0x40 | (k->bytes == 8) << 3 | (reg >> 3) << 2 | (s->how == SPOT_REG ? s->base >> 3 : 0));
    if (rex != 0x40 || k->bytes == 1)
        emit_u8(e, rex);
    emit_bytes(e, op, nop);
    u8 r = (u8)((reg & 7) << 3);
    if (s->how == SPOT_LOW || s->how == SPOT_THREAD) {
        emit_u8(e, (u8)(0x04 | r));
        emit_u8(e, 0x25);
        emit_u32(e, (u32)s->addr);
    } else if (s->how == SPOT_NEAR) {
        emit_u8(e, (u8)(0x05 | r));
        emit_u32(e, (u32)(s->addr - (u64)(e->p + 4 + tail)));
    } else {
        emit_u8(e, (u8)(0x40 | r | (s->base & 7)));
        if ((s->base & 7) == RSP)
            emit_u8(e, 0x24);
        emit_u8(e, 0);
    }
}

static void emit_add(struct emit *e, const struct count *k, const struct spot *s)
{
    bool small = k->sum == (s8)k->sum || k->bytes == 1;
    u8 op = k->bytes == 1 ? 0x80 : small ? 0x83 : 0x81;
    unsigned tail = small ? 1 : k->bytes == 2 ? 2 : 4;
    emit_access(e, k, &op, 1, 0, s, tail);
    s32 imm = (s32)k->sum;
    emit_bytes(e, &imm, tail);
}

/* The sum of %r and sum, or of %r and sum times rcx, unless that is 0. */
static void emit_sum(struct emit *e, const struct count *k, enum gpr r)
{
    static const u8 zero[] = {0xe3, 0}, over[] = {0xeb, 0}; /* jrcxz, jmp */
    u8 *to_zero = e->p + 1, *to_end = NULL;
    if (k->repeats) {
        emit_bytes(e, zero, sizeof zero);
        emit_lea(e, r, (int)r, RCX, (u8)k->sum, 0);
        emit_bytes(e, over, sizeof over);
        to_end = e->p - 1;
        *to_zero = (u8)(e->p - (to_zero + 1));
    }
    emit_lea(e, r, (int)r, -1, 1, (s32)k->sum);
    if (to_end)
        *to_end = (u8)(e->p - (to_end + 1));
}

/* Without flags: load, lea, store. */
static void emit_add_by_lea(struct emit *e, const struct count *k, const struct spot *s, enum gpr r)
{
    static const u8 load[][2] = {[1] = {0x0f, 0xb6}, [2] = {0x0f, 0xb7}, [4] = {0x8b}, [8] = {0x8b}};
    u8 store = k->bytes == 1 ? 0x88 : 0x89;
    emit_access(e, k, load[k->bytes], k->bytes < 4 ? 2 : 1, r, s, 0);
    emit_sum(e, k, r);
    emit_access(e, k, &store, 1, r, s, 0);
}

/* A register for our use: one that is not needed, else one that is spilled. */
static enum gpr pick(struct live *l, u16 *ours, u16 *spilled)
{
    static const enum gpr order[] = {RAX, RCX, RDX, RSI, RDI, R8, R9, R10, R11, RBX, RBP, R12, R13, R14, R15};
    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        if (!(l->regs >> order[i] & 1)) {
            l->regs |= (u16)(1u << order[i]);
            *ours |= (u16)(1u << order[i]);
            return order[i];
        }
    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        if (!(*ours >> order[i] & 1)) {
            *ours |= (u16)(1u << order[i]);
            *spilled |= (u16)(1u << order[i]);
            return order[i];
        }
    BUG("no register left");
}

enum { SLOT_FIRST = 5, SLOT_SECOND = 7 };

/* data of MAP_COUNT: bits 0-3 register in slot 5, 4-7 register in slot 7, then which of them, and whether flags are in slot 3 */
static u16 map_data(const enum gpr *spill, u32 nspill, bool flags)
{
    u16 data = (u16)(nspill << 8 | flags << 10);
    if (nspill)
        data |= (u16)spill[0];
    if (nspill > 1)
        data |= (u16)(spill[1] << 4);
    return data;
}

/* Where the addition goes, also for counts_settle. */
static void choose_spot(struct build_count *bc, const struct emit *e, struct spot *s)
{
    struct count *k = &bc->c;
    size_t own = spread_next(&bc->at, bc->bytes);
    k->in_thread = own != 0;
    k->addr = own ? own : bc->at.v;
    k->bytes = own ? 8 : bc->bytes;
    k->locked = !own && bc->locked;
    s->addr = own ? (u64)(s64)ctx_disp(own) : k->addr;
    s->how = own ? SPOT_THREAD : s->addr < 0x7fff0000 ? SPOT_LOW : in_reach(e->p + 64, s->addr) && in_reach(e->p, s->addr) ? SPOT_NEAR : SPOT_REG;
}

static void write_count(struct build *b, struct build_count *bc, gpc_t pc, struct live l)
{
    struct count *k = &bc->c;
    struct emit e = {b->p};
    struct spot s;
    choose_spot(bc, &e, &s);
    bool by_lea = (l.flags || k->repeats) && !k->locked, flags = l.flags && k->locked;
    u16 spilled = 0, ours = (u16)(b->reserved | flags << RAX | k->repeats << RCX);
    enum gpr spill[2], value = RAX;
    u32 nspill = 0;
    if (flags && l.regs & 1u << RAX)
        spilled |= 1u << RAX;
    l.regs |= ours;
    if (s.how == SPOT_REG)
        s.base = pick(&l, &ours, &spilled);
    if (by_lea)
        value = pick(&l, &ours, &spilled);
    for (enum gpr r = RAX; r < GPR_COUNT; r++)
        if (spilled >> r & 1)
            spill[nspill++] = r;
    build_map(b, e.p, MAP_GUEST, pc, 0);
    for (u32 i = 0; i < nspill; i++)
        emit_store_ctx(&e, CTX_SLOT(i ? SLOT_SECOND : SLOT_FIRST), spill[i]);
    if (flags) {
        build_map(b, e.p, MAP_COUNT, pc, map_data(spill, nspill, false));
        emit_flags_to_ax(&e);
        emit_store_ctx(&e, CTX_SLOT(3), RAX);
    }
    if (nspill || flags)
        build_map(b, e.p, MAP_COUNT, pc, map_data(spill, nspill, flags));
    if (s.how == SPOT_REG)
        emit_const(&e, s.base, k->addr);
    if (by_lea)
        emit_add_by_lea(&e, k, &s, value);
    else
        emit_add(&e, k, &s);
    bc->c.done_off = (u32)(e.p - b->body);
    if (flags) {
        emit_load_ctx(&e, RAX, CTX_SLOT(3));
        emit_flags_from_ax(&e);
    }
    for (u32 i = 0; i < nspill; i++)
        emit_load_ctx(&e, spill[i], CTX_SLOT(i ? SLOT_SECOND : SLOT_FIRST));
    b->p = e.p;
}

void arch_lower_counts(struct build *b, u32 insn)
{
    for (u32 i = 0; i < b->ncounts; i++)
        if (b->count[i].insn == insn) {
            hold_flags_back(b, b->insn[insn].pc, insn);
            hold_forget_constant(b);
            write_count(b, &b->count[i], b->insn[insn].pc, live_before(b, insn));
        }
}
