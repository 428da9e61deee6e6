/* SPDX-License-Identifier: Apache-2.0
 * See fill.h. Owns no state but what is in the pass. Under jit_lock. */
#include "opt/fill.h"

#include "base/options.h"
#include "linchpin/iarg.h"
#include "opt/carry.h"
#include "opt/hooks.h"
#include "opt/live.h"
#include "opt/objects.h"
#include "os/thread.h"

#include <stddef.h>
#include <string.h>

/* Bytes in reach of a one-byte displacement; with a carried place, a piece beyond that costs one lea. */
#define NEAR_BYTES 128
#define MAX_PENDING 64 /* records of the open piece whose count items are not made yet */

static size_t in_buffer(u32 id, size_t field)
{
    return offsetof(struct thread, opt.buffer) + id * sizeof(struct trace_buffer) + field;
}
static size_t last_of(u32 id) { return in_buffer(id, offsetof(struct trace_buffer, last)); }
static size_t limit_of(u32 id) { return in_buffer(id, offsetof(struct trace_buffer, limit)); }

void fill_begin(struct pass *b)
{
    struct fills *f = &b->fills;
    carry_decide();
    memset(f->of, 0, sizeof f->of);
    f->npieces = f->nrecords = f->nfull = 0;
    f->open = false;
}

/* --- planning ----------------------------------------------------------------------------------------------------- */

static bool can_write(struct ins *ins, const struct call *c, bool repeats)
{
    struct arch_value v;
    if (!c->fill || c->kind != CALL_IF ||
        (repeats ? c->predicated != ins->before->predicated : c->predicated && arch_has_predicate(ins)))
        return false;
    for (u16 i = 1; i < c->nargs; i++) {
        u32 bytes = c->fill->field[i - 1].bytes;
        bool known =
            arch_value(ins, &c->arg[i], &v) ? !v.word || bytes == 8 : bytes == 4 && c->arg[i].iarg == IARG_THREAD_ID;
        if (!known)
            return false;
    }
    return true;
}

/* The registers that the records of the instruction are made from, beside those that the instruction reads. */
static reg_set sources(struct ins *ins, const struct call *c)
{
    struct arch_value v;
    reg_set m = 0;
    for (u16 i = 1; i < c->nargs; i++)
        if (arch_value(ins, &c->arg[i], &v) && v.kind == VALUE_REG)
            m |= hold_bit(v.reg);
    return m;
}

/* Registers that a piece never uses, neither for the room nor for values. Flags have a register of their own. */
static reg_set never_ours(void) { return hold_bit(arch_info.sp) | hold_bit(arch_info.flags_in); }

/* Are there enough registers for the room and for values? */
static bool enough(reg_set used) { return __builtin_popcount(hold_others(used | never_ours())) >= 2; }

/* Chooses the instruction before which room is made: one at which the guest does not need its flags, if it is near. */
static void choose_place(struct pass *b, struct fill_piece *p)
{
    reg_set used = p->used;
    for (u32 i = p->place; ; i--) {
        if (!live_before(b, i).flags) {
            p->place = i;
            p->used = used;
            return;
        }
        if (i == p->first || !hold_keeps(&b->insn[i - 1]) || !enough(used | effect_touches(&b->insn[i - 1].effect)))
            break;
        used |= effect_touches(&b->insn[i - 1].effect);
    }
    p->flags = true;
}

/* Chooses two registers that the instructions of the piece do not touch, if possible ones that the guest does not
 * need. */
static void choose(struct pass *b, struct fill_piece *p)
{
    choose_place(b, p);
    reg_set needed = live_before(b, p->place).regs, got = 0;
    for (int pass = 0; pass < 2; pass++)
        for (u32 r = 0; r < arch_info.registers && __builtin_popcount(got) < 2; r++)
            if (!((p->used | got | never_ours()) >> r & 1) && (pass || !(needed >> r & 1))) {
                *(got ? &p->work : &p->at) = (u8)r;
                got |= hold_bit(r);
            }
    ASSERT(__builtin_popcount(got) == 2);
}

static void keep(struct pass *b, struct fill_piece *p)
{
    u32 n = (u32)(p - b->fills.piece);
    struct pass_count *k = &b->count[b->ncounts];
    p->count = (u16)b->ncounts++;
    *k = (struct pass_count){.insn = ~0u, .c = {.addr = carry_next(p->id), .bytes = 8, .in_thread = true,
        .sum = (s64)p->records * p->record, .item = (u16)b->ncount_items, .nitems = (u16)p->records, .done_off = ~0u}};
    for (u32 i = 0; i < b->fills.nrecords; i++)
        if (b->fills.record[i].piece == n) {
            b->count_item[b->ncount_items++] = (struct count_item){(u16)(b->fills.record[i].ins->pc - b->pc),
                (s32)p->record};
            b->fills.record[i].ins->before = NULL;
            b->fills.record[i].ins->counted = true;
        }
}

/* Is there nothing between the two pieces that may fill the buffer, so that no look is needed? */
static bool is_quiet(const struct pass *b, const struct fill_piece *from, const struct fill_piece *to)
{
    for (u32 k = from->last; k < to->place; k++) {
        const struct ins *ins = b->ins[k];
        if (!hold_keeps(&b->insn[k]) || insn_repeats(&b->insn[k]) || hook_at(b->insn[k + 1].pc) ||
            (ins && (ins->before || ins->after || ins->taken || ins->change || ins->deleted)))
            return false;
    }
    return true;
}

static void choose_carried(struct pass *b, struct fill_piece *p, u32 slack)
{
    p->follows = b->fills.npieces > 1 && !p->repeats && b->fills.room + p->records <= slack && is_quiet(b, p - 1, p);
    b->fills.room = p->follows ? b->fills.room + p->records : p->records;
    if (!p->follows)
        choose_place(b, p);
}

void fill_end(struct pass *b)
{
    if (!b->fills.open)
        return;
    b->fills.open = false;
    struct fill_piece *p = &b->fills.piece[b->fills.npieces - 1];
    if (carry_id)
        choose_carried(b, p, p->full->fill->slack);
    else
        choose(b, p);
    keep(b, p);
}

static u32 most(const struct fill *f) { return carry_id ? f->slack : f->most / 2; }

/* Can the records of instruction i, which touches `used`, go on in the open piece? */
static bool goes_on(const struct pass *b, const struct fill_piece *p, u32 i, u32 records, reg_set *used)
{
    const struct fill *f = b->ins[i]->before->fill;
    for (u32 k = p->last; k < i; k++) { /* the register that points at the room must keep its value */
        if (!hold_keeps(&b->insn[k]))
            return false;
        *used |= effect_touches(&b->insn[k].effect);
    }
    for (u32 k = p->last + 1; k <= i; k++)
        if (hook_at(b->insn[k].pc))
            return false;
    bool near = !carry_id || (p->records + records) * p->record <= NEAR_BYTES;
    return near && p->id == f->id && p->records + records <= most(f) && p->records + records <= MAX_PENDING &&
           enough(p->used | *used);
}

/* How many records the calls before the instruction are; 0: not all of them are records. *used: the registers that they
 * are made from. */
static u32 count_records(struct ins *ins, bool repeats, reg_set *used)
{
    u32 n = 0;
    for (const struct call *c = ins->before; c; c = c->next->next, n++) {
        if (!can_write(ins, c, repeats) || c->fill->id != ins->before->fill->id)
            return 0;
        *used |= sources(ins, c);
    }
    return n;
}

bool fill_take(struct pass *b, u32 i, u32 first)
{
    struct ins *ins = b->ins[i];
    bool repeats = insn_repeats(&b->insn[i]);
    bool as_it_is =
        !options.no_inline && !ins->change && !ins->deleted && !ins->after && !ins->taken && (carry_id || !repeats);
    if (!as_it_is || !b->insn[i].effect.known)
        return false;
    reg_set own = effect_touches(&b->insn[i].effect), used = 0;
    u32 n = count_records(ins, repeats, &own);
    bool room = b->fills.npieces < FILL_MAX_PIECES && b->fills.nrecords + n <= FILL_MAX_RECORDS &&
                b->ncount_items + n + MAX_PENDING <= PASS_MAX_COUNT_ITEMS &&
                b->ncounts + MAX_PENDING < PASS_MAX_COUNT_ITEMS;
    if (!n || n > most(ins->before->fill) || (carry_id && ins->before->fill->id != carry_id) || !enough(own) || !room)
        return false;
    used = own;
    if (b->fills.open && (repeats || !goes_on(b, &b->fills.piece[b->fills.npieces - 1], i, n, &used))) {
        fill_end(b);
        first = i;
        used = own;
    }
    if (!b->fills.open) {
        b->fills.piece[b->fills.npieces++] = (struct fill_piece){.full = ins->before->next, .ins = ins,
            .id = ins->before->fill->id, .record = ins->before->fill->record,
            .first = repeats || hook_at(b->insn[i].pc) ? i : first, .place = i,
            .repeats = repeats, .counted = ins->before->predicated};
        b->fills.open = true;
    }
    struct fill_piece *p = &b->fills.piece[b->fills.npieces - 1];
    p->last = i;
    p->used |= used;
    b->fills.of[i].first = (u16)b->fills.nrecords;
    b->fills.of[i].n = (u16)n;
    for (const struct call *c = ins->before; c; c = c->next->next)
        b->fills.record[b->fills.nrecords++] = (struct fill_record){c, ins, b->fills.npieces - 1, p->records++};
    return true;
}

/* --- code --------------------------------------------------------------------------------------------------------- */

static void store_constant(struct emit *e, const struct fill_piece *p, s32 disp, u64 v, u32 bytes)
{
    if (arch_store_mem_const(e, p->at, disp, v, bytes))
        return;
    arch_const(e, p->work, v);
    arch_store_mem(e, p->at, disp, p->work, bytes);
}

/* Does the record need a register for values? */
static bool needs_work(const struct fill_record *r)
{
    const struct call *c = r->call;
    struct arch_value v;
    for (u16 i = 1; i < c->nargs; i++) {
        bool simple = arch_value(r->ins, &c->arg[i], &v) && v.kind != VALUE_SUM;
        if (!simple || (v.kind == VALUE_CONST && !arch_store_mem_const(NULL, 0, 0, v.v, c->fill->field[i - 1].bytes)))
            return true;
    }
    return false;
}

static void write_field(struct emit *e, const struct fill_piece *p, const struct fill_record *r, u16 i)
{
    const struct call *c = r->call;
    u32 bytes = c->fill->field[i - 1].bytes;
    s32 disp = (s32)(r->number * p->record + c->fill->field[i - 1].offset);
    struct arch_value v;
    if (!arch_value(r->ins, &c->arg[i], &v)) { /* the thread's number */
        arch_load_ctx(e, p->work, offsetof(struct thread, id), 8);
        arch_store_mem(e, p->at, disp, p->work, 4);
        return;
    }
    switch ((enum arch_value_kind)v.kind) {
    case VALUE_CONST:
        store_constant(e, p, disp, v.v, bytes);
        break;
    case VALUE_REG:
        arch_store_mem(e, p->at, disp, v.reg, 8);
        break;
    case VALUE_SUM:
        arch_address(e, p->work, &v);
        arch_store_mem(e, p->at, disp, p->work, 8);
        break;
    }
}

static void write_record(struct pass *b, const struct fill_record *r)
{
    struct emit e = {b->p};
    for (u16 i = 1; i < r->call->nargs; i++)
        write_field(&e, &b->fills.piece[r->piece], r, i);
    b->p = e.p;
}

/* The registers that the n records before an instruction are made from. */
static reg_set all_sources(const struct pass *b, u32 insn, const struct fill_record *r, u32 n)
{
    reg_set from = b->insn[insn].effect.reads;
    for (u32 i = 0; i < n; i++)
        from |= sources(r[i].ins, r[i].call);
    return from;
}

/* Takes the registers in `regs`: the guest's values that are needed go to the context, unless they are there. */
static void take(struct pass *b, struct emit *e, reg_set regs, u32 insn)
{
    reg_set stored = (reg_set)(regs & b->hold.reg & ~b->hold.slot & live_before(b, insn).regs);
    hold_emit_stores(e, stored);
    hold_set(b, (struct hold){(reg_set)(b->hold.reg & ~regs), b->hold.slot | stored, false});
}

/* Puts the flags into their register, if the guest needs them. */
static void park_flags(struct pass *b, struct emit *e, const struct fill_piece *p, gpc_t pc)
{
    if (!p->flags)
        return;
    b->p = e->p;
    arch_park_flags(b, pc);
    e->p = b->p;
}

static void make_room(struct pass *b, struct fill_piece *p)
{
    const struct insn *in = &b->insn[p->place];
    reg_set ours = hold_bit(p->at) | hold_bit(p->work);
    struct emit e = {b->p};
    pass_map(b, e.p, MAP_GUEST, in->pc, 0);
    take(b, &e, p->flags ? ours | hold_bit(arch_info.flags_in) : ours, p->place);
    b->reserved = ours;
    u8 *again = e.p;
    pass_map(b, e.p, MAP_GUEST, in->pc, 0);
    park_flags(b, &e, p, in->pc);
    arch_load_ctx(&e, p->at, carry_next(p->id), 8);
    arch_add_const(&e, p->work, p->at, (s32)(p->records * p->record));
    u8 *full = arch_branch(&e, BRANCH_ABOVE, p->work, last_of(p->id));
    arch_store_ctx(&e, carry_next(p->id), p->work);
    b->count[p->count].c.done_off = (u32)(e.p - b->body);
    if (p->flags)
        arch_flags(&e, FLAGS_RESTORE);
    b->p = e.p;
    arch_add_cold(b, &(struct arch_cold){in, p->ins, p->full, full, again, p->flags, true});
}

/* --- code where the place of the next record is carried (carry.h) ------------------------------------------------- */

/* The VM has given the full buffer to the tool: can it go on at the look (carry_exit)? Else it would in a trace from
 * there on, in which the tool sees the rest of a block as one that begins, and counts it once more. */
static bool goes_on_from_vm(const struct pass *b)
{
    return b->next_in == carry_home() && !(b->held & hold_bit(arch_info.sp));
}

static void look_at_limit(struct pass *b, struct fill_piece *p)
{
    const struct insn *in = &b->insn[p->place];
    struct emit e = {b->p};
    pass_map(b, e.p, MAP_GUEST, in->pc, 0);
    take(b, &e, p->flags ? hold_bit(arch_info.flags_in) : 0, p->place);
    u8 *again = e.p;
    pass_map(b, e.p, MAP_GUEST, in->pc, 0);
    park_flags(b, &e, p, in->pc);
    u8 *patch = arch_branch(&e, BRANCH_ABOVE, b->next_in - 1u, limit_of(p->id));
    if (!p->repeats && !goes_on_from_vm(b)) {
        arch_add_cold(b, &(struct arch_cold){in, p->ins, p->full, patch, again, p->flags, true});
        if (p->flags)
            arch_flags(&e, FLAGS_RESTORE);
        b->p = e.p;
        pass_map(b, b->p, MAP_GUEST, in->pc, 0);
        return;
    }
    if (p->flags) {
        arch_flags(&e, FLAGS_RESTORE);
        pass_map(b, e.p, MAP_GUEST, in->pc, 0);
        b->fills.full[b->fills.nfull++] = (struct fill_full){in, patch, again, b->hold, b->next_in};
    } else {
        b->exit[pass_add_exit(b, in->pc, patch, EXIT_KIND_FULL)].resume = again;
    }
    b->p = e.p;
}

/* Writes the cold code for full buffers, which leaves for the VM. Signals wait until then. */
void fill_write_full(struct pass *b)
{
    for (u32 i = 0; i < b->fills.nfull; i++) {
        struct fill_full *f = &b->fills.full[i];
        struct emit e = {b->p};
        arch_patch_branch(f->patch, b->p);
        pass_map(b, b->p, MAP_CALLS, f->in->pc, 1);
        arch_flags(&e, FLAGS_RESTORE);
        hold_set(b, f->hold);
        b->next_in = f->next_in;
        u8 *patch = arch_jump(&e, NULL);
        b->p = e.p;
        pass_add_exit(b, f->in->pc, patch, EXIT_KIND_FULL);
        b->exit[b->nexits - 1].resume = f->again;
    }
    b->fills.nfull = b->fills.npieces = 0;
}

/* The register in `may` that the guest touches last. */
static u8 touched_last(const struct pass *b, u32 i, reg_set may)
{
    for (; i < b->ninsns && may & ~effect_touches(&b->insn[i].effect); i++)
        may &= (reg_set)~effect_touches(&b->insn[i].effect);
    return (u8)__builtin_ctz(may);
}

/* Chooses a register for values: one that the guest does not need, or one that is in the context anyway; else its value
 * is stored there. */
static void take_work(struct pass *b, struct fill_piece *p, u32 i, reg_set sources)
{
    reg_set live = live_before(b, i).regs, may = hold_others(sources | b->reserved | hold_bit(arch_info.sp));
    reg_set free = (reg_set)(may & (~live | ~b->hold.reg));
    ASSERT(may);
    p->work = free ? (u8)__builtin_ctz(free) : touched_last(b, i, may);
    struct emit e = {b->p};
    take(b, &e, hold_bit(p->work), i);
    b->p = e.p;
    pass_map(b, b->p, MAP_GUEST, b->insn[i].pc, 0);
}

/* Writes the records before an instruction. */
static void write_carried(struct pass *b, u32 insn, struct fill_record *r, u32 n)
{
    struct fill_piece *p = &b->fills.piece[r->piece];
    bool work = false;
    reg_set from = all_sources(b, insn, r, n);
    for (u32 i = 0; i < n; i++)
        work |= needs_work(&r[i]);
    if (p->follows && p->place == insn)
        carry_keep_from(b, insn, p->used);
    hold_load(b, b->insn[insn].pc, from);
    pass_map(b, b->p, MAP_GUEST, b->insn[insn].pc, 0);
    if (work)
        take_work(b, p, insn, from);
    p->at = (u8)(b->next_in - 1);
    for (u32 i = 0; i < n; i++)
        write_record(b, &r[i]);
    if (insn == p->last) {
        struct emit m = {b->p};
        arch_add_const(&m, p->at, p->at, (s32)(p->records * p->record));
        b->p = m.p;
        b->count[p->count].c.done_off = (u32)(m.p - b->body);
    }
}

static void lower_carried(struct pass *b, u32 insn, bool repeats)
{
    for (u32 i = 0; i < b->fills.npieces; i++)
        if (b->fills.piece[i].place == insn && !b->fills.piece[i].follows && b->fills.piece[i].repeats == repeats) {
            carry_keep_from(b, insn, b->fills.piece[i].used);
            look_at_limit(b, &b->fills.piece[i]);
        }
    struct fill_record *r = &b->fills.record[b->fills.of[insn].first];
    if (b->fills.of[insn].n && b->fills.piece[r->piece].repeats == repeats)
        write_carried(b, insn, r, b->fills.of[insn].n);
}

static const struct fill_piece *repeated(const struct pass *b, u32 insn)
{
    for (u32 i = 0; i < b->fills.npieces; i++)
        if (b->fills.piece[i].repeats && b->fills.piece[i].place == insn)
            return &b->fills.piece[i];
    return NULL;
}

bool fill_repeats(const struct pass *b, u32 insn) { return repeated(b, insn); }
bool fill_repeats_counted(const struct pass *b, u32 insn) { return repeated(b, insn)->counted; }

/* Writes the records of one iteration. After them all registers are in place. */
void fill_lower_iteration(struct pass *b, u32 insn)
{
    lower_carried(b, insn, true);
    hold_sync(b, b->insn[insn].pc, insn);
}

void fill_lower(struct pass *b, u32 insn)
{
    struct fill_record *r = &b->fills.record[b->fills.of[insn].first];
    u32 n = b->fills.of[insn].n;
    if (carry_id || b->fills.npieces) {
        hold_flags_back(b, b->insn[insn].pc, insn);
        hold_forget_constant(b);
    }
    if (carry_id) {
        lower_carried(b, insn, false);
        return;
    }
    for (u32 i = 0; i < b->fills.npieces; i++)
        if (b->fills.piece[i].place == insn)
            make_room(b, &b->fills.piece[i]);
    if (!n)
        return;
    hold_load(b, b->insn[insn].pc, all_sources(b, insn, r, n));
    pass_map(b, b->p, MAP_GUEST, b->insn[insn].pc, 0);
    for (u32 i = 0; i < n; i++)
        write_record(b, &r[i]);
    if (insn == b->fills.piece[r->piece].last)
        b->reserved = 0;
}
