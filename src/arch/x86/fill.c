/* SPDX-License-Identifier: Apache-2.0
 * See fill.h. Under jit_lock. */
#include "arch/x86/fill.h"

#include "opt/objects.h"
#include "arch/x86/bridge.h"
#include "arch/x86/carry.h"
#include "arch/x86/live.h"
#include "arch/x86/simple.h"
#include "base/options.h"
#include "opt/hooks.h"
#include "linchpin/iarg.h"
#include "os/thread.h"

#include <stddef.h>

#define NEAR_BYTES 128 /* that displacements of one byte reach: carried, a new piece costs one lea */
#define MAX_PENDING 64 /* records of the open piece, whose items are still to come */
#define NEXT(id) carry_next_disp(id)
#define LAST(id) ctx_disp(offsetof(struct thread, opt.buffer) + (id) * sizeof(struct trace_buffer) + offsetof(struct trace_buffer, last))
#define LIMIT(id) ctx_disp(offsetof(struct thread, opt.buffer) + (id) * sizeof(struct trace_buffer) + offsetof(struct trace_buffer, limit))

void fill_begin(struct build *b)
{
    struct fills *f = &b->fills;
    carry_decide();
    memset(f->of, 0, sizeof f->of);
    f->npieces = f->nrecords = f->nfull = 0;
    f->open = false;
}

/* --- planning ------------------------------------------------------------------------------------------------------- */

static bool can_write(struct ins *ins, const struct call *c, bool repeats)
{
    struct mem_operand m;
    enum gpr r;
    u64 v;
    if (!c->fill || c->kind != CALL_IF || (repeats ? c->predicated != ins->before->predicated : c->predicated && bridge_has_predicate(ins)))
        return false;
    for (u16 i = 1; i < c->nargs; i++) {
        u32 bytes = c->fill->field[i - 1].bytes;
        bool known = simple_constant(ins, &c->arg[i], &v) || (bytes == 8 && (simple_address(ins, &c->arg[i], &m) || simple_register(&c->arg[i], &r))) || (bytes == 4 && c->arg[i].iarg == IARG_THREAD_ID);
        if (!known)
            return false;
    }
    return true;
}

/* Registers that the records of the instruction are made from, beside what it reads. */
static u16 sources(const struct call *c)
{
    u16 m = 0;
    enum gpr r;
    for (u16 i = 1; i < c->nargs; i++)
        if (simple_register(&c->arg[i], &r))
            m |= (u16)(1u << r);
    return m;
}

/* Enough registers for the room and for values? */
static bool enough(u16 used) { return __builtin_popcount((u16)~(used | 1u << RSP | 1u << RAX)) >= 2; }

/* Where flags are not needed, if that is near. */
static void choose_place(struct build *b, struct fill_piece *p)
{
    u16 used = p->used;
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

/* Two registers that the piece leaves alone, first those that are not needed. */
static void choose(struct build *b, struct fill_piece *p)
{
    choose_place(b, p);
    u16 needed = live_before(b, p->place).regs, got = 0;
    for (int pass = 0; pass < 2; pass++)
        for (enum gpr r = RCX; r < GPR_COUNT && __builtin_popcount(got) < 2; r++)
            if (r != RSP && !((p->used | got) >> r & 1) && (pass || !(needed >> r & 1))) {
                *(got ? &p->work : &p->at) = r;
                got |= (u16)(1u << r);
            }
    ASSERT(__builtin_popcount(got) == 2);
}

static void keep(struct build *b, struct fill_piece *p)
{
    u32 n = (u32)(p - b->fills.piece);
    struct build_count *k = &b->count[b->ncounts];
    p->count = (u16)b->ncounts++;
    *k = (struct build_count){.insn = ~0u, .c = {.addr = offsetof(struct thread, opt.buffer) + p->id * sizeof(struct trace_buffer) + offsetof(struct trace_buffer, next), .bytes = 8, .in_thread = true,
        .sum = (s64)p->records * p->record, .item = (u16)b->ncount_items, .nitems = (u16)p->records, .done_off = ~0u}};
    for (u32 i = 0; i < b->fills.nrecords; i++)
        if (b->fills.record[i].piece == n) {
            b->count_item[b->ncount_items++] = (struct count_item){(u16)(b->fills.record[i].ins->pc - b->pc), (s32)p->record};
            b->fills.record[i].ins->before = NULL;
            b->fills.record[i].ins->counted = true;
        }
}

/* Is there nothing between the two pieces that may fill the buffer? */
static bool is_quiet(const struct build *b, const struct fill_piece *from, const struct fill_piece *to)
{
    for (u32 k = from->last; k < to->place; k++) {
        const struct ins *ins = b->ins[k];
        if (!hold_keeps(&b->insn[k]) || arch_insn_repeats(&b->insn[k]) || hook_at(b->insn[k + 1].pc) || (ins && (ins->before || ins->after || ins->taken || ins->change || ins->deleted)))
            return false;
    }
    return true;
}

static void choose_carried(struct build *b, struct fill_piece *p, u32 slack)
{
    p->follows = b->fills.npieces > 1 && !p->repeats && b->fills.room + p->records <= slack && is_quiet(b, p - 1, p);
    b->fills.room = p->follows ? b->fills.room + p->records : p->records;
    if (!p->follows)
        choose_place(b, p);
}

void fill_end(struct build *b)
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
static bool goes_on(const struct build *b, const struct fill_piece *p, u32 i, u32 records, u16 *used)
{
    const struct fill *f = b->ins[i]->before->fill;
    for (u32 k = p->last; k < i; k++) { /* the room's register must stay */
        if (!hold_keeps(&b->insn[k]))
            return false;
        *used |= effect_touches(&b->insn[k].effect);
    }
    for (u32 k = p->last + 1; k <= i; k++)
        if (hook_at(b->insn[k].pc))
            return false;
    bool near = !carry_id || (p->records + records) * p->record <= NEAR_BYTES;
    return near && p->id == f->id && p->records + records <= most(f) && p->records + records <= MAX_PENDING && enough(p->used | *used);
}

/* Records of the calls in front of the instruction, 0: not all are. *used: registers that they are made from. */
static u32 count_records(struct ins *ins, bool repeats, u16 *used)
{
    u32 n = 0;
    for (const struct call *c = ins->before; c; c = c->next->next, n++) {
        if (!can_write(ins, c, repeats) || c->fill->id != ins->before->fill->id)
            return 0;
        *used |= sources(c);
    }
    return n;
}

bool fill_take(struct build *b, u32 i, u32 first)
{
    struct ins *ins = b->ins[i];
    bool repeats = arch_insn_repeats(&b->insn[i]);
    bool as_it_is = !options.no_inline && !ins->change && !ins->deleted && !ins->after && !ins->taken && (carry_id || !repeats);
    if (!as_it_is || !b->insn[i].effect.known)
        return false;
    u16 own = effect_touches(&b->insn[i].effect), used = 0;
    u32 n = count_records(ins, repeats, &own);
    bool room = b->fills.npieces < FILL_MAX_PIECES && b->fills.nrecords + n <= FILL_MAX_RECORDS && b->ncount_items + n + MAX_PENDING <= BUILD_MAX_COUNT_ITEMS && b->ncounts + MAX_PENDING < BUILD_MAX_COUNT_ITEMS;
    if (!n || n > most(ins->before->fill) || (carry_id && ins->before->fill->id != carry_id) || !enough(own) || !room)
        return false;
    used = own;
    if (b->fills.open && (repeats || !goes_on(b, &b->fills.piece[b->fills.npieces - 1], i, n, &used))) {
        fill_end(b);
        first = i;
        used = own;
    }
    if (!b->fills.open) {
        b->fills.piece[b->fills.npieces++] = (struct fill_piece){.full = ins->before->next, .ins = ins, .id = ins->before->fill->id, .record = ins->before->fill->record, .first = repeats || hook_at(b->insn[i].pc) ? i : first, .place = i,
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

/* --- code ----------------------------------------------------------------------------------------------------------- */

/* mov %r,disp(%base), bytes wide */
static void store(struct emit *e, enum gpr base, s32 disp, enum gpr r, u32 bytes)
{
    u8 rex = (u8)(0x40 | (bytes == 8) << 3 | (r >> 3) << 2 | base >> 3);
    if (rex != 0x40 || bytes == 1)
        emit_u8(e, rex);
    emit_u8(e, bytes == 1 ? 0x88 : 0x89);
    emit_at(e, r, base, disp);
}

static bool is_wide(u64 v, u32 bytes) { return bytes == 8 && !fits_s32((s64)v); }

static void store_constant(struct emit *e, const struct fill_piece *p, s32 disp, u64 v, u32 bytes)
{
    if (is_wide(v, bytes)) {
        emit_const(e, p->work, v);
        store(e, p->at, disp, p->work, 8);
        return;
    }
    u8 rex = (u8)(0x40 | (bytes == 8) << 3 | p->at >> 3);
    if (rex != 0x40)
        emit_u8(e, rex);
    emit_u8(e, bytes == 1 ? 0xc6 : 0xc7);
    emit_at(e, 0, p->at, disp);
    u32 low = (u32)v;
    emit_bytes(e, &low, bytes == 1 ? 1 : 4);
}

static bool is_constant(const struct mem_operand *m) { return m->seg == MEM_SEG_NONE && (m->base == MEM_RIP || (m->base < 0 && m->index < 0)); }
static bool is_plain(const struct mem_operand *m) { return m->base >= 0 && m->base != MEM_RIP && m->index < 0 && !m->disp && m->seg == MEM_SEG_NONE; }

static void store_address(struct emit *e, const struct fill_piece *p, s32 disp, const struct mem_operand *m)
{
    if (is_constant(m)) {
        store_constant(e, p, disp, m->absolute, 8);
        return;
    }
    if (!is_plain(m))
        simple_load_address(e, p->work, m);
    store(e, p->at, disp, is_plain(m) ? (enum gpr)m->base : p->work, 8);
}

/* Does the record need a register for values? */
static bool needs_work(const struct fill_record *r)
{
    const struct call *c = r->call;
    struct mem_operand m;
    enum gpr reg;
    u64 v;
    for (u16 i = 1; i < c->nargs; i++) {
        u32 bytes = c->fill->field[i - 1].bytes;
        bool direct = simple_constant(r->ins, &c->arg[i], &v) ? !is_wide(v, bytes) : simple_address(r->ins, &c->arg[i], &m) ? (is_constant(&m) ? !is_wide(m.absolute, 8) : is_plain(&m))
            : simple_register(&c->arg[i], &reg);
        if (!direct)
            return true;
    }
    return false;
}

static void write_record(struct build *b, const struct fill_record *r)
{
    const struct fill_piece *p = &b->fills.piece[r->piece];
    const struct call *c = r->call;
    struct emit e = {b->p};
    struct mem_operand m;
    enum gpr reg;
    u64 v;
    for (u16 i = 1; i < c->nargs; i++) {
        u32 bytes = c->fill->field[i - 1].bytes;
        s32 disp = (s32)(r->number * p->record + c->fill->field[i - 1].offset);
        if (simple_constant(r->ins, &c->arg[i], &v)) {
            store_constant(&e, p, disp, v, bytes);
        } else if (simple_address(r->ins, &c->arg[i], &m)) {
            store_address(&e, p, disp, &m);
        } else if (simple_register(&c->arg[i], &reg)) {
            store(&e, p->at, disp, reg, 8);
        } else { /* the thread's number */
            emit_load_ctx(&e, p->work, ctx_disp(offsetof(struct thread, id)));
            store(&e, p->at, disp, p->work, 4);
        }
    }
    b->p = e.p;
}

/* What the n records in front of an instruction are made from. */
static u16 all_sources(const struct build *b, u32 insn, const struct fill_record *r, u32 n)
{
    u16 from = b->insn[insn].effect.reads;
    for (u32 i = 0; i < n; i++)
        from |= sources(r[i].call);
    return from;
}

/* cmp %fs:disp,%r */
static void compare(struct emit *e, enum gpr r, s32 disp) { emit_ctx_op(e, 0x3b, r, disp); }

static void make_room(struct build *b, struct fill_piece *p)
{
    const struct insn *in = &b->insn[p->place];
    u16 ours = (u16)(1u << p->at | 1u << p->work), rax = p->flags << RAX;
    u16 stored = (u16)((ours | rax) & b->hold.reg & ~b->hold.slot & live_before(b, p->place).regs);
    struct emit e = {b->p};
    build_map(b, e.p, MAP_GUEST, in->pc, 0);
    hold_emit_stores(&e, stored);
    hold_set(b, (struct hold){(u16)(b->hold.reg & ~(ours | rax)), b->hold.slot | stored, false});
    b->reserved = ours;
    u8 *again = e.p;
    build_map(b, e.p, MAP_GUEST, in->pc, 0);
    if (p->flags) {
        emit_flags_to_ax(&e);
        emit_store_ctx(&e, CTX_SLOT(3), RAX);
        build_map(b, e.p, MAP_COUNT, in->pc, 1u << 10); /* flags in their slot */
    }
    emit_load_ctx(&e, p->at, NEXT(p->id));
    emit_lea(&e, p->work, (int)p->at, -1, 1, (s32)(p->records * p->record));
    compare(&e, p->work, LAST(p->id));
    emit_u8(&e, 0x0f);
    emit_u8(&e, 0x87); /* ja */
    u8 *full = e.p;
    emit_u32(&e, 0);
    emit_store_ctx(&e, NEXT(p->id), p->work);
    b->count[p->count].c.done_off = (u32)(e.p - b->body);
    if (p->flags)
        emit_flags_from_ax(&e);
    b->p = e.p;
    bridge_add_cold(b, in, p->ins, p->full, full, again, p->flags, true);
}

/* --- code where the place of the next record is carried (carry.h) ----------------------------------------------------- */

static void look_at_limit(struct build *b, struct fill_piece *p)
{
    const struct insn *in = &b->insn[p->place];
    u16 rax = (u16)(p->flags << RAX), stored = (u16)(rax & b->hold.reg & ~b->hold.slot & live_before(b, p->place).regs);
    struct emit e = {b->p};
    build_map(b, e.p, MAP_GUEST, in->pc, 0);
    hold_emit_stores(&e, stored);
    hold_set(b, (struct hold){(u16)(b->hold.reg & ~rax), b->hold.slot | stored, false});
    u8 *again = e.p;
    build_map(b, e.p, MAP_GUEST, in->pc, 0);
    if (p->flags) {
        emit_flags_to_ax(&e);
        emit_store_ctx(&e, CTX_SLOT(3), RAX);
        build_map(b, e.p, MAP_COUNT, in->pc, 1u << 10); /* flags in their slot */
    }
    compare(&e, (enum gpr)(b->next_in - 1), LIMIT(p->id));
    emit_u8(&e, 0x0f);
    emit_u8(&e, 0x87); /* ja */
    u8 *patch = e.p;
    emit_u32(&e, 0);
    if (p->flags) {
        emit_flags_from_ax(&e);
        build_map(b, e.p, MAP_GUEST, in->pc, 0);
        b->fills.full[b->fills.nfull++] = (struct fill_full){in, patch, again, b->hold, b->next_in};
    } else {
        b->exit[build_add_exit(b, in->pc, patch, EXIT_KIND_FULL)].resume = again;
    }
    b->p = e.p;
}

/* Signals wait for the VM. */
void fill_write_full(struct build *b)
{
    for (u32 i = 0; i < b->fills.nfull; i++) {
        struct fill_full *f = &b->fills.full[i];
        struct emit e = {b->p};
        u32 rel = (u32)(b->p - (f->patch + 4));
        memcpy(f->patch, &rel, 4);
        build_map(b, b->p, MAP_BRIDGE, f->in->pc, 1);
        emit_flags_from_ax(&e);
        b->p = e.p;
        hold_set(b, f->hold);
        b->next_in = f->next_in;
        lower_exit_jmp(b, f->in->pc, EXIT_KIND_FULL);
        b->exit[b->nexits - 1].resume = f->again;
    }
    b->fills.nfull = b->fills.npieces = 0;
}

/* The register that the guest touches last, of those in `may`. */
static enum gpr touched_last(const struct build *b, u32 i, u16 may)
{
    for (; i < b->ninsns && may & ~effect_touches(&b->insn[i].effect); i++)
        may &= (u16)~effect_touches(&b->insn[i].effect);
    return (enum gpr)__builtin_ctz(may);
}

/* A register for values: one that is not needed, or is in the context anyway, or else goes there. */
static void take_work(struct build *b, struct fill_piece *p, u32 i, u16 sources)
{
    u16 live = live_before(b, i).regs, may = (u16)~(sources | b->reserved | 1u << RSP);
    u16 free = (u16)(may & (~live | ~b->hold.reg));
    ASSERT(may);
    p->work = free ? (enum gpr)__builtin_ctz(free) : touched_last(b, i, may);
    u16 bit = (u16)(1u << p->work), stored = (u16)(bit & b->hold.reg & ~b->hold.slot & live);
    struct emit e = {b->p};
    hold_emit_stores(&e, stored);
    b->p = e.p;
    hold_set(b, (struct hold){(u16)(b->hold.reg & ~bit), b->hold.slot | stored, false});
    build_map(b, b->p, MAP_GUEST, b->insn[i].pc, 0);
}

/* The records in front of an instruction. */
static void write_carried(struct build *b, u32 insn, struct fill_record *r, u32 n)
{
    struct fill_piece *p = &b->fills.piece[r->piece];
    bool work = false;
    u16 from = all_sources(b, insn, r, n);
    for (u32 i = 0; i < n; i++)
        work |= needs_work(&r[i]);
    if (p->follows && p->place == insn)
        carry_keep_from(b, insn, p->used);
    hold_load(b, b->insn[insn].pc, from);
    build_map(b, b->p, MAP_GUEST, b->insn[insn].pc, 0);
    if (work)
        take_work(b, p, insn, from);
    p->at = (enum gpr)(b->next_in - 1);
    for (u32 i = 0; i < n; i++)
        write_record(b, &r[i]);
    if (insn == p->last) {
        struct emit m = {b->p};
        emit_lea(&m, p->at, (int)p->at, -1, 1, (s32)(p->records * p->record));
        b->p = m.p;
        b->count[p->count].c.done_off = (u32)(m.p - b->body);
    }
}

static void lower_carried(struct build *b, u32 insn, bool repeats)
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

static const struct fill_piece *repeated(const struct build *b, u32 insn)
{
    for (u32 i = 0; i < b->fills.npieces; i++)
        if (b->fills.piece[i].repeats && b->fills.piece[i].place == insn)
            return &b->fills.piece[i];
    return NULL;
}

bool fill_repeats(const struct build *b, u32 insn) { return repeated(b, insn); }
bool fill_repeats_counted(const struct build *b, u32 insn) { return repeated(b, insn)->counted; }

/* All is in its place again behind them. */
void fill_lower_iteration(struct build *b, u32 insn)
{
    lower_carried(b, insn, true);
    hold_sync(b, b->insn[insn].pc, insn);
}

void arch_lower_fills(struct build *b, u32 insn)
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
    build_map(b, b->p, MAP_GUEST, b->insn[insn].pc, 0);
    for (u32 i = 0; i < n; i++)
        write_record(b, &r[i]);
    if (insn == b->fills.piece[r->piece].last)
        b->reserved = 0;
}
