/* SPDX-License-Identifier: Apache-2.0
 * See summary.h. Values are constants, sums with what each thread has another one of, addresses in the routine's own frame, or the counter's old value plus a constant. Whatever else turns up
 * ends the attempt.
 * Unoptimised routines keep their arguments in the frame: it is modelled as a few slots. */
#include "opt/summary.h"

#include "opt/events.h"
#include "arch/x86/cpu.h"
#include "arch/x86/decoder.h"
#include "os/os.h"

#include <stdlib.h>
#include <string.h>

#define MAX_STEPS 32
#define FRAME_SLOTS 16

#define MAX_THREAD (1l << 20) /* numbers of threads are less */

enum kind { UNKNOWN, CONSTANT, HOME, FRAME, OLD }; /* HOME: the sum at; OLD: the memory at `at`, plus v */

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
    struct value reg[GPR_COUNT];
    struct slot slot[FRAME_SLOTS];
    u32 nslots;
    const u8 *pc;
    const ZydisDecodedInstruction *z;
    const ZydisDecodedOperand *op;
    struct summary *out;
    bool written; /* the counter; nothing may be read from memory after that */
};

static struct value constant(u64 v) { return (struct value){.kind = CONSTANT, .v = v}; }
static struct value unknown(void) { return (struct value){0}; }
static struct value of_home(const struct home *p) { return home_fixed(p) ? constant(p->v) : (struct value){.kind = HOME, .at = *p}; }

/* The place that the value is; false: it is none. A pointer that was loaded is one. */
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
    return v->kind == HOME && v->at.base == HOME_FIXED && v->at.v < 1ul << (bits - 1) && v->at.by_thread >= 0 && v->at.by_thread < 1l << 30
        && (v->at.v + (u64)v->at.by_thread * MAX_THREAD) >> bits == 0;
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

/* A sum of places has one base. */
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

static int gpr_of(ZydisRegister r)
{
    ZydisRegister full = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
    return full >= ZYDIS_REGISTER_RAX && full <= ZYDIS_REGISTER_R15 ? (int)(full - ZYDIS_REGISTER_RAX) : -1;
}

static u64 cut(u64 v, unsigned bytes) { return bytes >= 8 ? v : v & ((1ul << bytes * 8) - 1); }

static u64 sign_extend(u64 v, unsigned bytes)
{
    unsigned up = 64 - bytes * 8;
    return bytes >= 8 ? v : (u64)((s64)(v << up) >> up);
}

static bool set_reg(struct run *r, ZydisRegister reg, struct value v)
{
    int n = gpr_of(reg);
    unsigned bytes = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg) / 8;
    if (n < 0 || bytes < 4)
        return false;
    if (bytes == 4 && v.kind == CONSTANT)
        v.v = (u32)v.v;
    if ((bytes == 4 && (v.kind == FRAME || (v.kind == HOME && !is_small(&v, 32)))) || (v.kind == OLD && v.bytes > bytes))
        return false;
    r->reg[n] = v;
    return true;
}

/* A register as an operand of `bytes`. */
static struct value get_reg(const struct run *r, ZydisRegister reg)
{
    int n = gpr_of(reg);
    unsigned bytes = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg) / 8;
    if (n < 0 || reg == ZYDIS_REGISTER_AH || reg == ZYDIS_REGISTER_BH || reg == ZYDIS_REGISTER_CH || reg == ZYDIS_REGISTER_DH)
        return unknown();
    struct value v = r->reg[n];
    if (v.kind == CONSTANT)
        v.v = cut(v.v, bytes);
    else if (bytes < 4 || (bytes < 8 && (v.kind == FRAME || (v.kind == HOME && !is_small(&v, 32)))) || (v.kind == OLD && bytes != v.bytes))
        return unknown();
    return v;
}

static struct value address_of(const struct run *r, const ZydisDecodedOperand *o)
{
    struct value sum = constant((u64)o->mem.disp.value);
    if (o->mem.segment == ZYDIS_REGISTER_FS || o->mem.segment == ZYDIS_REGISTER_GS || r->z->address_width != 64)
        return unknown();
    if (o->mem.base == ZYDIS_REGISTER_RIP)
        return constant(sum.v + (u64)r->pc + r->z->length);
    if (o->mem.base != ZYDIS_REGISTER_NONE) {
        struct value b = r->reg[gpr_of(o->mem.base)];
        if (b.kind == FRAME)
            sum = (struct value){.kind = FRAME, .v = sum.v + b.v};
        else
            sum = plus(&b, &sum);
    }
    if (o->mem.index != ZYDIS_REGISTER_NONE) {
        int n = gpr_of(o->mem.index);
        struct value more = n < 0 ? unknown() : times(r->reg[n], o->mem.scale);
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
    return as_home(&at, &p) && v.kind == OLD && home_same(&v.at, &p) && v.bytes == bytes && set_counter(r, &p, bytes, v.v, false);
}

/* --- instructions --------------------------------------------------------------------------------------------- */

static struct value read_operand(struct run *r, const ZydisDecodedOperand *o)
{
    switch (o->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER: return get_reg(r, o->reg.value);
    case ZYDIS_OPERAND_TYPE_IMMEDIATE: return constant(o->imm.is_signed ? (u64)o->imm.value.s : o->imm.value.u);
    case ZYDIS_OPERAND_TYPE_MEMORY: return load(r, address_of(r, o), o->size / 8);
    default: return unknown();
    }
}

static bool write_operand(struct run *r, const ZydisDecodedOperand *o, struct value v)
{
    if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
        return set_reg(r, o->reg.value, v);
    return o->type == ZYDIS_OPERAND_TYPE_MEMORY && store(r, address_of(r, o), o->size / 8, v);
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

static bool do_add(struct run *r, struct value b, bool minus)
{
    const ZydisDecodedOperand *to = &r->op[0];
    bool locked = r->z->attributes & ZYDIS_ATTRIB_HAS_LOCK;
    if (to->type == ZYDIS_OPERAND_TYPE_MEMORY) {
        struct value at = address_of(r, to);
        struct home p;
        if (as_home(&at, &p))
            return b.kind == CONSTANT && set_counter(r, &p, to->size / 8, minus ? -b.v : b.v, locked);
    }
    return !locked && write_operand(r, to, add_values(read_operand(r, to), b, minus));
}

static bool do_constant_op(struct run *r)
{
    struct value a = read_operand(r, &r->op[0]), b = read_operand(r, &r->op[1]);
    bool same = r->op[0].type == ZYDIS_OPERAND_TYPE_REGISTER && r->op[1].type == ZYDIS_OPERAND_TYPE_REGISTER && r->op[0].reg.value == r->op[1].reg.value;
    u64 v;
    if (same && r->z->mnemonic == ZYDIS_MNEMONIC_XOR)
        return write_operand(r, &r->op[0], constant(0));
    if (a.kind == HOME && b.kind == CONSTANT && r->z->mnemonic == ZYDIS_MNEMONIC_SHL && b.v < 30)
        return write_operand(r, &r->op[0], times(a, 1ul << b.v));
    if (a.kind != CONSTANT || b.kind != CONSTANT)
        return r->op[0].type == ZYDIS_OPERAND_TYPE_REGISTER && set_reg(r, r->op[0].reg.value, unknown());
    switch (r->z->mnemonic) {
    case ZYDIS_MNEMONIC_AND: v = a.v & b.v; break;
    case ZYDIS_MNEMONIC_OR: v = a.v | b.v; break;
    case ZYDIS_MNEMONIC_XOR: v = a.v ^ b.v; break;
    case ZYDIS_MNEMONIC_SHL: v = a.v << (b.v & (r->z->operand_width == 64 ? 63 : 31)); break;
    case ZYDIS_MNEMONIC_SHR: v = a.v >> (b.v & (r->z->operand_width == 64 ? 63 : 31)); break;
    default: return false;
    }
    return write_operand(r, &r->op[0], constant(v));
}

static bool do_extend(struct run *r, bool is_signed)
{
    struct value v = read_operand(r, &r->op[1]);
    if (is_small(&v, 31))
        return set_reg(r, r->op[0].reg.value, v);
    if (v.kind != CONSTANT)
        return set_reg(r, r->op[0].reg.value, unknown());
    return set_reg(r, r->op[0].reg.value, constant(is_signed ? sign_extend(v.v, r->op[1].size / 8) : v.v));
}

/* Two operands, or three. */
static bool do_multiply(struct run *r)
{
    bool three = r->z->operand_count_visible == 3;
    if (r->z->operand_count_visible < 2)
        return false;
    struct value a = read_operand(r, &r->op[three]), b = read_operand(r, &r->op[1 + three]);
    return set_reg(r, r->op[0].reg.value, b.kind == CONSTANT ? times(a, b.v) : a.kind == CONSTANT ? times(b, a.v) : unknown());
}

/* Of an address, or used as an addition. */
static bool do_lea(struct run *r)
{
    const ZydisDecodedOperand *o = &r->op[1];
    int base = o->mem.base == ZYDIS_REGISTER_NONE || o->mem.base == ZYDIS_REGISTER_RIP ? -1 : gpr_of(o->mem.base);
    struct value v = address_of(r, o);
    if (base >= 0 && r->reg[base].kind == OLD && o->mem.index == ZYDIS_REGISTER_NONE && r->op[0].size / 8 == r->reg[base].bytes)
        v = add_values(r->reg[base], constant((u64)o->mem.disp.value), false);
    return set_reg(r, r->op[0].reg.value, v);
}

static bool do_push(struct run *r)
{
    struct value v = r->op[0].size == 64 ? read_operand(r, &r->op[0]) : unknown();
    r->reg[RSP].v -= 8;
    return store_frame(r, (s64)r->reg[RSP].v, 8, v);
}

static bool do_pop(struct run *r)
{
    struct value v = load_frame(r, (s64)r->reg[RSP].v, 8);
    r->reg[RSP].v += 8;
    return r->op[0].size == 64 && write_operand(r, &r->op[0], v);
}

static bool do_leave(struct run *r)
{
    if (r->reg[RBP].kind != FRAME)
        return false;
    r->reg[RSP] = r->reg[RBP];
    r->reg[RBP] = load_frame(r, (s64)r->reg[RSP].v, 8);
    r->reg[RSP].v += 8;
    return true;
}

/* --- calls ----------------------------------------------------------------------------------------------------- */

/* Through the jumps of a procedure linkage table. */
static u64 final_target(u64 to)
{
    ZydisDecodedInstruction z;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    for (u32 i = 0; i < 2; i++, to += z.length) {
        u64 at, next;
        if (!decoder_host((const void *)to, &z, op) || (z.mnemonic != ZYDIS_MNEMONIC_ENDBR64 && z.mnemonic != ZYDIS_MNEMONIC_JMP))
            return to;
        if (z.mnemonic == ZYDIS_MNEMONIC_ENDBR64)
            continue;
        bool known = op[0].type == ZYDIS_OPERAND_TYPE_MEMORY && op[0].mem.base == ZYDIS_REGISTER_RIP && ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&z, &op[0], to, &at)) && os_constant_at(at, 8, &next);
        return known ? next : to;
    }
    return to;
}

/* PIN_GetThreadData(key, own number): the key is a constant, or a variable of the tool's that no routine sets. */
static struct value thread_data(const struct value *key, const struct value *thread)
{
    static const struct home own = {.by_thread = 1};
    bool calling = (thread->kind == HOME && home_same(&thread->at, &own)) || (thread->kind == CONSTANT && (u32)thread->v == ~0u);
    if (calling && key->kind == CONSTANT)
        return of_home(&(struct home){.base = HOME_DATA, .at = (u32)key->v});
    if (calling && key->kind == OLD && key->bytes == 4 && !key->v && home_fixed(&key->at))
        return of_home(&(struct home){.base = HOME_DATA_KEY, .at = key->at.v});
    return unknown();
}

static bool do_call(struct run *r)
{
    static const enum gpr lost[] = {RCX, RDX, RSI, RDI, R8, R9, R10, R11};
    struct value to = r->op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? constant((u64)r->pc + r->z->length + (u64)r->op[0].imm.value.s) : read_operand(r, &r->op[0]);
    if (to.kind != CONSTANT || final_target(to.v) != (u64)opt_events.thread_data)
        return false;
    r->reg[RAX] = thread_data(&r->reg[RDI], &r->reg[RSI]);
    for (size_t i = 0; i < ARRAY_LEN(lost); i++)
        r->reg[lost[i]] = unknown();
    return r->reg[RAX].kind != UNKNOWN;
}

/* One instruction. *done: the routine returns. */
static bool step(struct run *r, bool *done)
{
    const ZydisDecodedOperand *op = r->op;
    switch (r->z->mnemonic) {
    case ZYDIS_MNEMONIC_ENDBR64: case ZYDIS_MNEMONIC_NOP: return true;
    case ZYDIS_MNEMONIC_RET:
        *done = true;
        return r->reg[RSP].kind == FRAME && r->reg[RSP].v == 0;
    case ZYDIS_MNEMONIC_MOV: return write_operand(r, &op[0], read_operand(r, &op[1]));
    case ZYDIS_MNEMONIC_LEA: return do_lea(r);
    case ZYDIS_MNEMONIC_ADD: return do_add(r, read_operand(r, &op[1]), false);
    case ZYDIS_MNEMONIC_SUB: return do_add(r, read_operand(r, &op[1]), true);
    case ZYDIS_MNEMONIC_INC: return do_add(r, constant(1), false);
    case ZYDIS_MNEMONIC_DEC: return do_add(r, constant(1), true);
    case ZYDIS_MNEMONIC_XOR: case ZYDIS_MNEMONIC_AND: case ZYDIS_MNEMONIC_OR: case ZYDIS_MNEMONIC_SHL: case ZYDIS_MNEMONIC_SHR: return do_constant_op(r);
    case ZYDIS_MNEMONIC_IMUL: return do_multiply(r);
    case ZYDIS_MNEMONIC_CALL: return do_call(r);
    case ZYDIS_MNEMONIC_MOVZX: return do_extend(r, false);
    case ZYDIS_MNEMONIC_MOVSX: case ZYDIS_MNEMONIC_MOVSXD: return do_extend(r, true);
    case ZYDIS_MNEMONIC_PUSH: return do_push(r);
    case ZYDIS_MNEMONIC_POP: return do_pop(r);
    case ZYDIS_MNEMONIC_LEAVE: return do_leave(r);
    default: return false;
    }
}

/* --- routines as they were decoded ----------------------------------------------------------------------------- */

#define BUCKETS 256

/* Straight on from its start, until it returns or something is not known. */
static struct decoded {
    const void *fn;
    u32 n;
    struct decoded *next;
    struct {
        ZydisDecodedInstruction z;
        ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    } insn[];
} *bucket[BUCKETS];

static const struct decoded *decode(const void *fn)
{
    struct decoded **b = &bucket[(u64)fn >> 4 & (BUCKETS - 1)];
    for (const struct decoded *d = *b; d; d = d->next)
        if (d->fn == fn)
            return d;
    struct decoded *d = malloc(sizeof *d + MAX_STEPS * sizeof d->insn[0]);
    if (!d)
        die(1, "out of memory for analysis routines");
    const u8 *pc = fn;
    for (d->n = 0; d->n < MAX_STEPS; d->n++) {
        if (!decoder_host(pc, &d->insn[d->n].z, d->insn[d->n].op))
            break;
        pc += d->insn[d->n].z.length;
        if (d->insn[d->n].z.mnemonic == ZYDIS_MNEMONIC_RET) {
            d->n++;
            break;
        }
    }
    struct decoded *fit = realloc(d, sizeof *d + d->n * sizeof d->insn[0]);
    d = fit ? fit : d;
    d->fn = fn;
    d->next = *b;
    return *b = d;
}

/* What it returns goes to the tool register: that register and a constant? */
static bool take_result(struct run *r, int reg)
{
    struct home v;
    if (reg < 0)
        return true;
    if (r->out->bytes || !as_home(&r->reg[RAX], &v) || v.base != HOME_TOOL_REG || v.at != (u64)reg || v.by_thread)
        return false;
    *r->out = (struct summary){.at = {.base = HOME_TOOL_VALUE, .at = (u64)reg}, .delta = (s64)v.v, .bytes = 8};
    return true;
}

bool summary_of(const void *fn, const struct home *arg, u32 nargs, int result, struct summary *out)
{
    static const u8 arg_reg[6] = {RDI, RSI, RDX, RCX, R8, R9};
    const struct decoded *d = decode(fn);
    struct run r = {.pc = fn, .out = out};
    *out = (struct summary){0};
    r.reg[RSP] = (struct value){.kind = FRAME};
    for (u32 i = 0; i < nargs && i < 6; i++)
        r.reg[arg_reg[i]] = of_home(&arg[i]);
    for (u32 n = 0; n < d->n; n++) {
        bool done = false;
        r.z = &d->insn[n].z;
        r.op = d->insn[n].op;
        if (!step(&r, &done))
            return false;
        if (done)
            return take_result(&r, result);
        r.pc += r.z->length;
    }
    return false;
}
