/* SPDX-License-Identifier: Apache-2.0
 * See summary.h. Owns no state. Values are constants, sums that may differ between threads (HOME), addresses in the
 * routine's own frame, or the counter's old value plus a constant. Any other value ends the attempt. Unoptimised
 * routines keep their arguments in the frame: it is modelled as a few slots. */
#include "opt/summary.h"

#include "opt/events.h"
#include "opt/form.h"
#include "os/os.h"

#define MAX_STEPS 32
#define FRAME_SLOTS 16

#define MAX_THREAD (1l << 20) /* upper bound of a thread's number */

enum kind { UNKNOWN, CONSTANT, HOME, FRAME, OLD }; /* HOME: the sum `at`; OLD: what is in memory at `at`, plus v */

struct value {
    u8 kind;
    u8 bytes; /* OLD */
    u64 v;
    struct home at;
};

struct slot {
    s64 off;
    u8 bytes;
    struct value value;
};

struct run {
    struct value reg[ROP_REGISTERS];
    struct slot slot[FRAME_SLOTS];
    u32 nslots;
    const struct rop *op;
    struct summary *out;
    bool written; /* the counter has been written: nothing may be read from memory after that */
};

static struct value constant(u64 v) { return (struct value){.kind = CONSTANT, .v = v}; }
static struct value unknown(void) { return (struct value){0}; }
static struct value of_home(const struct home *p)
{
    return home_fixed(p) ? constant(p->v) : (struct value){.kind = HOME, .at = *p};
}

/* The value as a place; false: it is none. A pointer that was loaded is one. */
static bool as_home(const struct value *v, struct home *p)
{
    bool pointer = v->kind == OLD && v->bytes == 8 && v->at.base == HOME_FIXED;
    if (v->kind == CONSTANT)
        *p = (struct home){.v = v->v};
    else if (v->kind == HOME)
        *p = v->at;
    else if (pointer)
        *p = (struct home){.v = v->v, .base = HOME_POINTER, .at = v->at.v, .at_by_thread = v->at.by_thread};
    return v->kind == CONSTANT || v->kind == HOME || pointer;
}

/* Is it, for every thread, between 0 and what fits in so many bits? */
static bool is_small(const struct value *v, unsigned bits)
{
    return v->kind == HOME && v->at.base == HOME_FIXED && v->at.v < 1ul << (bits - 1) && v->at.by_thread >= 0 &&
           v->at.by_thread < 1l << 30 && (v->at.v + (u64)v->at.by_thread * MAX_THREAD) >> bits == 0;
}

static struct value times(struct value v, u64 factor)
{
    if (v.kind == CONSTANT)
        return constant(v.v * factor);
    if (v.kind == HOME && factor == 1)
        return v;
    if (v.kind != HOME || v.at.base != HOME_FIXED)
        return unknown();
    v.at.v *= factor;
    v.at.by_thread *= (s64)factor;
    return of_home(&v.at);
}

/* Adds two values. At most one of them has a base. */
static struct value plus(const struct value *a, const struct value *b)
{
    struct home x, y;
    if (!as_home(a, &x) || !as_home(b, &y) || (x.base && y.base))
        return unknown();
    if (!x.base)
        x.base = y.base, x.at = y.at, x.at_by_thread = y.at_by_thread;
    x.v += y.v;
    x.by_thread += y.by_thread;
    return of_home(&x);
}

/* --- registers and frame ------------------------------------------------------------------------------------------ */

static u64 cut(u64 v, unsigned bytes) { return bytes >= 8 ? v : v & ((1ul << bytes * 8) - 1); }

static u64 sign_extend(u64 v, unsigned bytes)
{
    unsigned up = 64 - bytes * 8;
    return bytes >= 8 ? v : (u64)((s64)(v << up) >> up);
}

static bool set_reg(struct run *r, u8 n, unsigned bytes, struct value v)
{
    if (bytes < 4)
        return false;
    if (bytes == 4 && v.kind == CONSTANT)
        v.v = (u32)v.v;
    if ((bytes == 4 && (v.kind == FRAME || (v.kind == HOME && !is_small(&v, 32)))) ||
        (v.kind == OLD && v.bytes > bytes))
        return false;
    r->reg[n] = v;
    return true;
}

/* A register as an operand of `bytes`. */
static struct value get_reg(const struct run *r, u8 n, unsigned bytes)
{
    struct value v = r->reg[n];
    if (v.kind == CONSTANT)
        v.v = cut(v.v, bytes);
    else if (bytes < 4 || (bytes < 8 && (v.kind == FRAME || (v.kind == HOME && !is_small(&v, 32)))) ||
             (v.kind == OLD && bytes != v.bytes))
        return unknown();
    return v;
}

static struct value address_of(const struct run *r)
{
    const struct rop_memory *m = &r->op->mem;
    struct value sum = constant(m->disp);
    if (m->base >= 0) {
        struct value b = r->reg[m->base];
        if (b.kind == FRAME)
            sum = (struct value){.kind = FRAME, .v = sum.v + b.v};
        else
            sum = plus(&b, &sum);
    }
    if (m->index >= 0) {
        struct value more = times(r->reg[m->index], 1ul << m->shift);
        if (sum.kind == FRAME && more.kind == CONSTANT)
            sum.v += more.v;
        else
            sum = plus(&sum, &more);
    }
    return sum;
}

static struct slot *find_slot(struct run *r, s64 off, unsigned bytes, bool *overlaps)
{
    *overlaps = false;
    for (u32 i = 0; i < r->nslots; i++) {
        struct slot *s = &r->slot[i];
        if (s->off == off && s->bytes == bytes)
            return s;
        if (s->off < off + (s64)bytes && off < s->off + s->bytes)
            *overlaps = true;
    }
    return NULL;
}

static struct value load_frame(struct run *r, s64 off, unsigned bytes)
{
    bool overlaps;
    struct slot *s = find_slot(r, off, bytes, &overlaps);
    return s && !overlaps ? s->value : unknown();
}

static bool store_frame(struct run *r, s64 off, unsigned bytes, struct value v)
{
    bool overlaps;
    struct slot *s = find_slot(r, off, bytes, &overlaps);
    if (overlaps || off >= 0 || (!s && r->nslots == FRAME_SLOTS))
        return false;
    if (!s)
        s = &r->slot[r->nslots++];
    *s = (struct slot){off, (u8)bytes, v};
    return true;
}

/* --- memory ---------------------------------------------------------------------------------------------------- */

static struct value load(struct run *r, struct value at, unsigned bytes)
{
    u64 v;
    if (at.kind == FRAME)
        return load_frame(r, (s64)at.v, bytes);
    if (at.kind == CONSTANT && os_constant_at(at.v, bytes, &v))
        return constant(v);
    struct value old = {.kind = OLD, .bytes = (u8)bytes};
    return r->written || !as_home(&at, &old.at) ? unknown() : old;
}

static bool set_counter(struct run *r, const struct home *at, unsigned bytes, u64 delta, bool locked)
{
    if (r->written)
        return false;
    r->written = true;
    *r->out = (struct summary){*at, (s64)sign_extend(cut(delta, bytes), bytes), (u8)bytes, locked};
    return true;
}

static bool store(struct run *r, struct value at, unsigned bytes, struct value v)
{
    if (at.kind == FRAME)
        return store_frame(r, (s64)at.v, bytes, v);
    struct home p;
    return as_home(&at, &p) && v.kind == OLD && home_same(&v.at, &p) && v.bytes == bytes &&
           set_counter(r, &p, bytes, v.v, false);
}

/* --- operations ----------------------------------------------------------------------------------------------- */

static struct value read_operand(struct run *r, u8 kind, u8 reg, unsigned bytes)
{
    switch (kind) {
    case ROP_REGISTER: return get_reg(r, reg, bytes);
    case ROP_CONSTANT: return constant(r->op->value);
    case ROP_MEMORY: return load(r, address_of(r), bytes);
    default: return unknown();
    }
}

static struct value read_to(struct run *r) { return read_operand(r, r->op->to, r->op->to_reg, r->op->width); }
static struct value read_from(struct run *r)
{
    return read_operand(r, r->op->from, r->op->from_reg, r->op->from_width ? r->op->from_width : r->op->width);
}

static bool write_to(struct run *r, struct value v)
{
    if (r->op->to == ROP_REGISTER)
        return set_reg(r, r->op->to_reg, r->op->width, v);
    return r->op->to == ROP_MEMORY && store(r, address_of(r), r->op->width, v);
}

static struct value add_values(struct value a, struct value b, bool minus)
{
    if ((a.kind == HOME || b.kind == HOME) && (!minus || b.kind == CONSTANT)) {
        b.v = minus ? -b.v : b.v;
        return plus(&a, &b);
    }
    if (b.kind == CONSTANT && a.kind != UNKNOWN) {
        a.v += minus ? -b.v : b.v;
        return a;
    }
    if (a.kind == CONSTANT && b.kind != UNKNOWN && !minus) {
        b.v += a.v;
        return b;
    }
    return unknown();
}

static bool do_add(struct run *r, bool minus)
{
    struct value b = read_from(r);
    if (r->op->to == ROP_MEMORY) {
        struct value at = address_of(r);
        struct home p;
        if (as_home(&at, &p))
            return b.kind == CONSTANT && set_counter(r, &p, r->op->width, minus ? -b.v : b.v, r->op->locked);
    }
    return !r->op->locked && write_to(r, add_values(read_to(r), b, minus));
}

static bool do_constant_op(struct run *r)
{
    const struct rop *op = r->op;
    struct value a = read_to(r), b = read_from(r);
    bool same = op->to == ROP_REGISTER && op->from == ROP_REGISTER && op->to_reg == op->from_reg;
    unsigned most = op->width == 8 ? 63 : 31;
    u64 v;
    if (same && op->kind == ROP_XOR)
        return write_to(r, constant(0));
    if (a.kind == HOME && b.kind == CONSTANT && op->kind == ROP_SHL && b.v < 30)
        return write_to(r, times(a, 1ul << b.v));
    if (a.kind != CONSTANT || b.kind != CONSTANT)
        return op->to == ROP_REGISTER && set_reg(r, op->to_reg, op->width, unknown());
    switch (op->kind) {
    case ROP_AND: v = a.v & b.v; break;
    case ROP_OR: v = a.v | b.v; break;
    case ROP_XOR: v = a.v ^ b.v; break;
    case ROP_SHL: v = a.v << (b.v & most); break;
    case ROP_SHR: v = a.v >> (b.v & most); break;
    default: return false;
    }
    return write_to(r, constant(v));
}

static bool do_extend(struct run *r, bool is_signed)
{
    struct value v = read_from(r);
    if (is_small(&v, 31))
        return write_to(r, v);
    if (v.kind != CONSTANT)
        return write_to(r, unknown());
    return write_to(r, constant(is_signed ? sign_extend(v.v, r->op->from_width) : v.v));
}

static bool do_multiply(struct run *r)
{
    bool scale = r->op->kind == ROP_SCALE;
    struct value a = scale ? constant(r->op->value) : read_to(r), b = read_from(r);
    return write_to(r, b.kind == CONSTANT ? times(a, b.v) : a.kind == CONSTANT ? times(b, a.v) : unknown());
}

/* ROP_ADDRESS: the address of an operand, or an addition. */
static bool do_address(struct run *r)
{
    const struct rop_memory *m = &r->op->mem;
    struct value v = address_of(r);
    if (m->base >= 0 && r->reg[m->base].kind == OLD && m->index < 0 && r->op->width == r->reg[m->base].bytes)
        v = add_values(r->reg[m->base], constant(m->disp), false);
    return write_to(r, v);
}

static bool do_push(struct run *r)
{
    struct value v = read_from(r), *sp = &r->reg[rop_registers.stack];
    if (sp->kind != FRAME)
        return false;
    sp->v -= 8;
    return store_frame(r, (s64)sp->v, 8, v);
}

static struct value pop(struct run *r)
{
    struct value *sp = &r->reg[rop_registers.stack], v = sp->kind == FRAME ? load_frame(r, (s64)sp->v, 8) : unknown();
    sp->v += 8;
    return v;
}

static bool do_leave(struct run *r)
{
    struct value *frame = &r->reg[r->op->to_reg];
    if (frame->kind != FRAME)
        return false;
    r->reg[rop_registers.stack] = *frame;
    *frame = pop(r);
    return true;
}

/* --- calls ----------------------------------------------------------------------------------------------------- */

/* Where a call of `to` ends up, through the jumps of a procedure linkage table. */
static u64 final_target(u64 to)
{
    struct rop op;
    u64 next;
    arch_lift(to, &op);
    if (op.kind == ROP_NONE) /* an endbr64 */
        arch_lift(to + op.bytes, &op);
    bool known =
        op.kind == ROP_JUMP && op.from == ROP_MEMORY && rop_is_absolute(&op) && os_constant_at(op.mem.disp, 8, &next);
    return known ? next : to;
}

/* What PIN_GetThreadData(key, own number) returns. The key is a constant, or a variable of the tool's that no routine
 * sets. */
static struct value thread_data(const struct value *key, const struct value *thread)
{
    static const struct home own = {.by_thread = 1};
    bool calling =
        (thread->kind == HOME && home_same(&thread->at, &own)) || (thread->kind == CONSTANT && (u32)thread->v == ~0u);
    if (calling && key->kind == CONSTANT)
        return of_home(&(struct home){.base = HOME_DATA, .at = (u32)key->v});
    if (calling && key->kind == OLD && key->bytes == 4 && !key->v && home_fixed(&key->at))
        return of_home(&(struct home){.base = HOME_DATA_KEY, .at = key->at.v});
    return unknown();
}

static bool do_call(struct run *r)
{
    const struct rop_registers *abi = &rop_registers;
    struct value to = r->op->target ? constant(r->op->target) : read_from(r);
    if (to.kind != CONSTANT || final_target(to.v) != (u64)opt_events.thread_data)
        return false;
    struct value data = thread_data(&r->reg[abi->argument[0]], &r->reg[abi->argument[1]]);
    for (u32 i = 0; i < ROP_REGISTERS; i++)
        if (abi->call_loses >> i & 1)
            r->reg[i] = unknown();
    r->reg[abi->result] = data;
    return data.kind != UNKNOWN;
}

/* One operation. */
static bool step(struct run *r)
{
    switch ((enum rop_kind)r->op->kind) {
    case ROP_NONE:
    case ROP_JUMP: return true;
    case ROP_MOVE: return write_to(r, read_from(r));
    case ROP_ADDRESS: return do_address(r);
    case ROP_ADD: return do_add(r, false);
    case ROP_SUB: return do_add(r, true);
    case ROP_XOR:
    case ROP_AND:
    case ROP_OR:
    case ROP_SHL:
    case ROP_SHR: return do_constant_op(r);
    case ROP_MULTIPLY:
    case ROP_SCALE: return do_multiply(r);
    case ROP_CALL: return do_call(r);
    case ROP_ZERO_EXTEND: return do_extend(r, false);
    case ROP_SIGN_EXTEND: return do_extend(r, true);
    case ROP_PUSH: return do_push(r);
    case ROP_POP: return write_to(r, pop(r));
    case ROP_LEAVE: return do_leave(r);
    default: return false;
    }
}

/* The routine's result goes to a tool register: is it that register plus a constant? */
static bool take_result(struct run *r, int reg)
{
    struct home v;
    if (reg < 0)
        return true;
    if (r->out->bytes || !as_home(&r->reg[rop_registers.result], &v) || v.base != HOME_TOOL_REG || v.at != (u64)reg ||
        v.by_thread)
        return false;
    *r->out = (struct summary){.at = {.base = HOME_TOOL_VALUE, .at = (u64)reg}, .delta = (s64)v.v, .bytes = 8};
    return true;
}

bool summary_of(const void *fn, const struct home *arg, u32 nargs, int result, struct summary *out)
{
    const struct form *f = form_of(fn);
    struct run r = {.out = out};
    struct value *sp = &r.reg[rop_registers.stack];
    *out = (struct summary){0};
    *sp = (struct value){.kind = FRAME};
    for (u32 i = 0; i < nargs && i < ROP_ARGUMENTS; i++)
        r.reg[rop_registers.argument[i]] = of_home(&arg[i]);
    s16 i = 0;
    for (u32 n = 0; n < MAX_STEPS && i != ROP_END; n++, i = r.op->next) {
        r.op = &f->op[i];
        if (r.op->kind == ROP_RETURN)
            return sp->kind == FRAME && sp->v == 0 && take_result(&r, result);
        if (!step(&r))
            return false;
    }
    return false;
}
