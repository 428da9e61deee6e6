/* SPDX-License-Identifier: Apache-2.0
 * See fill.h. Under jit_lock. */
#include "arch/x86/fill.h"

#include "api/buffer.h"
#include "api/insert.h"
#include "arch/x86/bridge.h"
#include "arch/x86/live.h"
#include "arch/x86/simple.h"
#include "base/options.h"
#include "jit/hooks.h"
#include "linchpin/iarg.h"
#include "vm/thread.h"

#include <stddef.h>

#define MAX_PIECES BUILD_TOOL_INSNS
#define MAX_RECORDS (BUILD_TOOL_INSNS * 4)
#define MAX_PENDING 64 /* records of the open piece, whose items are still to come */
#define NEXT(id) ctx_disp(offsetof(struct thread, buffer) + (id) * sizeof(struct trace_buffer) + offsetof(struct trace_buffer, next))
#define LAST(id) ctx_disp(offsetof(struct thread, buffer) + (id) * sizeof(struct trace_buffer) + offsetof(struct trace_buffer, last))

/* One piece: records of one buffer. */
static struct piece {
    const struct call *full; /* for when there is no room */
    struct ins *ins;         /* the first that has records */
    u32 id, record;
    u32 first, place, last;  /* instructions: of the piece, where room is made, the last with a record */
    u32 records;
    u16 used;                /* registers that its instructions touch */
    enum gpr at, work;       /* the room; for values */
    bool flags;              /* are needed where room is made */
    u16 count;               /* of the trace */
} piece[MAX_PIECES];
static u32 npieces;

static struct record {
    const struct call *call;
    struct ins *ins;
    u32 insn, piece, number; /* of the piece's records */
} record[MAX_RECORDS];
static u32 nrecords;
static bool open;

void fill_begin(void)
{
    npieces = nrecords = 0;
    open = false;
}

/* --- planning ------------------------------------------------------------------------------------------------------- */

static bool can_write(struct ins *ins, const struct call *c)
{
    struct mem_operand m;
    enum gpr r;
    u64 v;
    if (!c->fill || c->kind != CALL_IF || (c->predicated && bridge_has_predicate(ins)))
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
static void choose_place(struct build *b, struct piece *p)
{
    u16 used = p->used;
    struct live_effect e;
    for (u32 i = p->place; ; i--) {
        if (!live_before(b, i).flags) {
            p->place = i;
            p->used = used;
            return;
        }
        if (i == p->first || !hold_keeps(&b->insn[i - 1], &e) || !enough(used | e.reads | e.writes))
            break;
        used |= e.reads | e.writes;
    }
    p->flags = true;
}

/* Two registers that the piece leaves alone, first those that are not needed. */
static void choose(struct build *b, struct piece *p)
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

static void keep(struct build *b, struct piece *p)
{
    u32 n = (u32)(p - piece);
    struct build_count *k = &b->count[b->ncounts];
    p->count = (u16)b->ncounts++;
    *k = (struct build_count){.insn = ~0u, .c = {.addr = offsetof(struct thread, buffer) + p->id * sizeof(struct trace_buffer) + offsetof(struct trace_buffer, next), .bytes = 8, .in_thread = true,
        .sum = (s64)p->records * p->record, .item = (u16)b->ncount_items, .nitems = (u16)p->records, .done_off = ~0u}};
    for (u32 i = 0; i < nrecords; i++)
        if (record[i].piece == n) {
            b->count_item[b->ncount_items++] = (struct count_item){(u16)(record[i].ins->pc - b->pc), (s32)p->record};
            record[i].ins->before = NULL;
        }
}

void fill_end(struct build *b)
{
    struct piece *p = &piece[npieces - 1];
    if (!open)
        return;
    open = false;
    choose(b, p);
    keep(b, p);
}

/* Can the records of instruction i, which touches `used`, go on in the open piece? */
static bool goes_on(const struct build *b, const struct piece *p, u32 i, u32 records, u16 *used)
{
    const struct fill *f = b->ins[i]->before->fill;
    struct live_effect e;
    for (u32 k = p->last; k < i; k++) { /* the room's register must stay */
        if (!hold_keeps(&b->insn[k], &e))
            return false;
        *used |= e.reads | e.writes;
    }
    for (u32 k = p->last + 1; k <= i; k++)
        if (hook_at(b->insn[k].pc))
            return false;
    return p->id == f->id && p->records + records <= f->most / 2 && p->records + records <= MAX_PENDING && enough(p->used | *used);
}

/* Records of the calls in front of the instruction, 0: not all are. *used: registers that they are made from. */
static u32 count_records(struct ins *ins, u16 *used)
{
    u32 n = 0;
    for (const struct call *c = ins->before; c; c = c->next->next, n++) {
        if (!can_write(ins, c) || c->fill->id != ins->before->fill->id)
            return 0;
        *used |= sources(c);
    }
    return n;
}

bool fill_take(struct build *b, u32 i, u32 first)
{
    struct ins *ins = b->ins[i];
    struct live_effect e;
    bool as_it_is = !options.no_inline && !ins->change && !ins->deleted && !ins->after && !ins->taken && !arch_insn_repeats(&b->insn[i]);
    if (!as_it_is || !live_effect(b->insn[i].bytes, b->insn[i].len, &e))
        return false;
    u16 own = e.reads | e.writes, used = 0;
    u32 n = count_records(ins, &own);
    bool room = npieces < MAX_PIECES && nrecords + n <= MAX_RECORDS && b->ncount_items + n + MAX_PENDING <= BUILD_MAX_COUNT_ITEMS && b->ncounts + MAX_PENDING < BUILD_MAX_COUNT_ITEMS;
    if (!n || n > ins->before->fill->most / 2 || !enough(own) || !room)
        return false;
    used = own;
    if (open && !goes_on(b, &piece[npieces - 1], i, n, &used)) {
        fill_end(b);
        first = i;
        used = own;
    }
    if (!open) {
        piece[npieces++] = (struct piece){.full = ins->before->next, .ins = ins, .id = ins->before->fill->id, .record = ins->before->fill->record, .first = hook_at(b->insn[i].pc) ? i : first, .place = i};
        open = true;
    }
    struct piece *p = &piece[npieces - 1];
    p->last = i;
    p->used |= used;
    for (const struct call *c = ins->before; c; c = c->next->next)
        record[nrecords++] = (struct record){c, ins, i, npieces - 1, p->records++};
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

static void store_constant(struct emit *e, const struct piece *p, s32 disp, u64 v, u32 bytes)
{
    if (bytes == 8 && !fits_s32((s64)v)) {
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

static void store_address(struct emit *e, const struct piece *p, s32 disp, const struct mem_operand *m)
{
    bool plain = m->base >= 0 && m->base != MEM_RIP && m->index < 0 && !m->disp && m->seg == MEM_SEG_NONE;
    bool constant = m->seg == MEM_SEG_NONE && (m->base == MEM_RIP || (m->base < 0 && m->index < 0));
    if (constant) {
        store_constant(e, p, disp, m->absolute, 8);
        return;
    }
    if (!plain)
        simple_load_address(e, p->work, m);
    store(e, p->at, disp, plain ? (enum gpr)m->base : p->work, 8);
}

static void write_record(struct build *b, const struct record *r)
{
    const struct piece *p = &piece[r->piece];
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

/* cmp %fs:disp,%r */
static void compare(struct emit *e, enum gpr r, s32 disp) { emit_ctx_op(e, 0x3b, r, disp); }

static void make_room(struct build *b, struct piece *p)
{
    const struct insn *in = &b->insn[p->place];
    u16 ours = (u16)(1u << p->at | 1u << p->work), rax = p->flags << RAX;
    u16 stored = (u16)((ours | rax) & hold.reg & ~hold.slot & live_before(b, p->place).regs);
    struct emit e = {b->p};
    build_map(b, e.p, MAP_GUEST, in->pc, 0);
    hold_emit_stores(&e, stored);
    hold_set(b, (struct hold){(u16)(hold.reg & ~(ours | rax)), hold.slot | stored});
    hold_reserved = ours;
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
    bridge_add_cold(b, in, p->ins, p->full, full, again, p->flags);
}

void arch_lower_fills(struct build *b, u32 insn)
{
    bool any = false;
    for (u32 i = 0; i < npieces; i++)
        if (piece[i].place == insn)
            make_room(b, &piece[i]);
    for (u32 i = 0; i < nrecords; i++)
        if (record[i].insn == insn) {
            struct live_effect e;
            live_effect(b->insn[insn].bytes, b->insn[insn].len, &e);
            if (!any)
                hold_load(b, b->insn[insn].pc, e.reads | sources(record[i].call));
            if (!any)
                build_map(b, b->p, MAP_GUEST, b->insn[insn].pc, 0);
            any = true;
            write_record(b, &record[i]);
            if (insn == piece[record[i].piece].last)
                hold_reserved = 0;
        }
}
