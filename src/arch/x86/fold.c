/* SPDX-License-Identifier: Apache-2.0
 * Constant arguments of an inlined routine: where they are copied, added or compared they become a part of the instructions, and what nobody needs then is left out. Done once for each routine and
 * kinds of arguments; the values are put in when the code is written (body_emit). Under jit_lock. */
#include "arch/x86/body.h"

#include "base/options.h"

#include <stdlib.h>

enum { UNKNOWN = -1 };

static const enum gpr arg_reg[6] = {RDI, RSI, RDX, RCX, R8, R9};

struct fold {
    struct body *body;
    u32 kinds;
    bool result;
    bool near;                   /* the routine's addresses are near each other */
    bool seen[BODY_MAX];
    s8 env[BODY_MAX][GPR_COUNT]; /* in front of each instruction: the argument that is in a register */
    u16 live[BODY_MAX];          /* in front of each instruction */
};

static u32 kind_of(const struct fold *f, s8 arg) { return arg < 0 ? (u32)ARG_ANY : arg >= BODY_ADDRESS ? (u32)ARG_WIDE : f->kinds >> ARG_SHIFT(arg) & 3; }
static bool is_small(const struct fold *f, s8 arg) { return kind_of(f, arg) == ARG_TINY || kind_of(f, arg) == ARG_SMALL; }

/* --- the parts of an instruction --------------------------------------------------------------------------------------- */

struct parts {
    u8 rex, opcode, modrm, reg, rm;
    bool two;    /* opcode of two bytes */
    bool memory;
    int base, index;
    u8 log;
};

/* False: it has no modrm, or prefixes. */
static bool take_apart(const struct body_insn *x, struct parts *p)
{
    const struct insn *in = &x->in;
    if (in->cls != INSN_PLAIN || !in->len || x->const_arg >= 0 || in->modrm_off == 0xff || in->prefixes)
        return false;
    u8 first = in->rex_off == 0xff ? 0 : 1;
    *p = (struct parts){.rex = first ? in->bytes[0] : 0x40, .opcode = in->opcode, .modrm = in->bytes[in->modrm_off], .two = in->bytes[first] == 0x0f, .base = -1, .index = -1};
    p->reg = (u8)((p->modrm >> 3 & 7) | (p->rex & 4) << 1);
    p->rm = (u8)((p->modrm & 7) | (p->rex & 1) << 3);
    p->memory = p->modrm >> 6 != 3;
    if (!p->memory || in->rip_relative)
        return true;
    p->base = p->rm;
    if ((p->modrm & 7) == 4) {
        u8 sib = in->bytes[in->modrm_off + 1], index = (u8)((sib >> 3 & 7) | (p->rex & 2) << 2);
        p->log = sib >> 6;
        p->index = index == RSP ? -1 : index;
        p->base = (sib & 7) == 5 && p->modrm >> 6 == 0 ? -1 : (sib & 7) | (p->rex & 1) << 3;
    }
    return true;
}

/* In place of x. */
static void put(struct body_insn *x, const struct emit *e, u8 *bytes)
{
    struct body_insn y = *x;
    memset(e->p, 0, 15);
    if (!quick_fields(&y.in, bytes, &y.f) || y.in.len != e->p - bytes)
        BUG("an instruction of an analysis routine at %p cannot be made anew", (const void *)x->at);
    y.e = y.in.effect;
    *x = y;
}

/* A general register to another, all of it or, zero extended, one half. */
static bool is_copy(const struct fold *f, const struct body_insn *x, const s8 *env, enum gpr *to, s8 *arg)
{
    struct parts p;
    if (!take_apart(x, &p) || p.two || p.memory || (p.opcode != 0x89 && p.opcode != 0x8b))
        return false;
    *to = (enum gpr)(p.opcode == 0x89 ? p.rm : p.reg);
    *arg = env[p.opcode == 0x89 ? p.reg : p.rm];
    if (!(p.rex & 8) && !is_small(f, *arg))
        *arg = UNKNOWN;
    return true;
}

/* An address that is loaded. */
static bool is_address(struct fold *f, const struct body_insn *x, enum gpr *to, s8 *arg)
{
    struct body *b = f->body;
    struct parts p;
    u32 i = 0;
    if (!take_apart(x, &p) || !x->in.rip_relative || !body_is_lea(&x->in) || !(p.rex & 8) || !f->near)
        return false;
    while (i < b->naddresses && b->address[i] != x->operand)
        i++;
    if (i == BODY_ADDRESSES)
        return false;
    b->address[i] = x->operand;
    b->naddresses += i == b->naddresses;
    *to = (enum gpr)p.reg;
    *arg = (s8)(BODY_ADDRESS + i);
    return true;
}

/* --- what is where ------------------------------------------------------------------------------------------------------- */

static bool meet(struct fold *f, s8 to, const s8 *env)
{
    bool changed = false;
    if (to == BODY_END)
        return false;
    if (!f->seen[to]) {
        f->seen[to] = true;
        memcpy(f->env[to], env, GPR_COUNT);
        return true;
    }
    for (u32 r = 0; r < GPR_COUNT; r++)
        if (f->env[to][r] != env[r] && f->env[to][r] != UNKNOWN) {
            f->env[to][r] = UNKNOWN;
            changed = true;
        }
    return changed;
}

static bool flow(struct fold *f, u32 i)
{
    const struct body_insn *x = &f->body->insn[i];
    s8 env[GPR_COUNT], arg;
    enum gpr to;
    memcpy(env, f->env[i], sizeof env);
    bool copy = is_copy(f, x, f->env[i], &to, &arg) || is_address(f, x, &to, &arg);
    for (u32 r = 0; r < GPR_COUNT; r++)
        if (x->e.writes >> r & 1)
            env[r] = UNKNOWN;
    if (copy)
        env[to] = arg;
    bool changed = meet(f, x->next, env);
    return meet(f, x->to, env) || changed;
}

static void propagate(struct fold *f)
{
    bool changed = true;
    memset(f->env, UNKNOWN, sizeof f->env);
    for (s8 i = 0; i < 6; i++)
        if (kind_of(f, i) != ARG_ANY)
            f->env[0][arg_reg[i]] = i;
    f->seen[0] = true;
    while (changed) {
        changed = false;
        for (u32 i = 0; i < f->body->code; i++)
            if (f->seen[i])
                changed |= flow(f, i);
    }
}

/* --- instructions made anew ----------------------------------------------------------------------------------------------- */

static s32 disp_of(const struct insn *in)
{
    s32 disp = 0;
    if (in->disp_bytes == 1)
        disp = (s8)in->bytes[in->disp_off];
    else if (in->disp_bytes)
        memcpy(&disp, in->bytes + in->disp_off, 4);
    return disp;
}

/* x with the address keep << log + displacement; keep -1: the displacement alone. */
static void put_address(struct body_insn *x, const struct parts *p, int keep, u8 log)
{
    u8 bytes[32], first = x->in.rex_off == 0xff ? 0 : 1, rex = keep < 0 ? 0 : (u8)(keep >> 3), low = keep < 0 ? 4 : keep & 7;
    bool sib = keep < 0 || log; /* without a base */
    struct emit e = {bytes};
    emit_u8(&e, (u8)((p->rex & 0x4c) | (sib ? rex << 1 : rex)));
    emit_bytes(&e, x->in.bytes + first, (size_t)(x->in.modrm_off - first));
    emit_u8(&e, (u8)((sib ? 0x04 : 0x80 | low) | (p->modrm & 0x38)));
    if (sib || low == 4)
        emit_u8(&e, (u8)(sib ? log << 6 | low << 3 | 5 : 0x24));
    u8 disp_off = (u8)(e.p - bytes), tail = (u8)(x->in.len - (x->in.disp_bytes ? x->in.disp_off + x->in.disp_bytes : x->in.modrm_off + 1 + ((p->modrm & 7) == 4)));
    emit_u32(&e, (u32)disp_of(&x->in));
    emit_bytes(&e, x->in.bytes + x->in.len - tail, tail);
    put(x, &e, bytes);
    ASSERT(x->in.disp_off == disp_off);
}

/* A register of the operand's address that is a constant goes into the displacement. */
static void fold_address(struct fold *f, struct body_insn *x, const s8 *env)
{
    struct parts p;
    if (!take_apart(x, &p) || !p.memory || p.base < 0 || x->in.rip_relative)
        return;
    bool base = is_small(f, env[p.base]) && p.index >= 0, index = p.index >= 0 && (p.log ? kind_of(f, env[p.index]) == ARG_TINY : is_small(f, env[p.index]));
    s32 disp = disp_of(&x->in);
    if (disp >= 1 << 29 || disp < -(1 << 29)) /* the sum is to fit */
        return;
    if (env[p.base] >= BODY_ADDRESS) {
        x->base = (s8)(env[p.base] - BODY_ADDRESS);
        put_address(x, &p, p.index, p.log);
    } else if (base != index) {
        x->disp_arg = env[base ? p.base : p.index];
        x->disp_shift = base ? 0 : p.log;
        put_address(x, &p, base ? p.index : p.base, base ? p.log : 0);
    }
}

/* op %reg,operand or op %rm,%reg becomes op $constant,operand. */
static void fold_operand(struct fold *f, struct body_insn *x, const s8 *env)
{
    struct parts p;
    if (!take_apart(x, &p) || p.two)
        return;
    bool alu = p.opcode < 0x40 && (p.opcode & 7) == 1, back = p.opcode < 0x40 && (p.opcode & 7) == 3 && !p.memory, store = p.opcode == 0x89 && p.memory;
    if (!alu && !back && !store)
        return;
    s8 arg = env[back ? p.rm : p.reg];
    if (!is_small(f, arg))
        return;
    bool tiny = !store && kind_of(f, arg) == ARG_TINY;
    u8 bytes[32], digit = store ? 0 : p.opcode >> 3, other = back ? p.reg : p.rm;
    struct emit e = {bytes};
    u8 rex = (u8)((p.rex & (back ? 0x48 : 0x4b)) | (back ? other >> 3 : 0));
    if (rex != 0x40)
        emit_u8(&e, rex);
    emit_u8(&e, store ? 0xc7 : tiny ? 0x83 : 0x81);
    emit_u8(&e, (u8)((back ? 0xc0 | (other & 7) : p.modrm & 0xc7) | digit << 3));
    emit_bytes(&e, x->in.bytes + x->in.modrm_off + 1, (size_t)(x->in.len - x->in.modrm_off - 1));
    e.p += tiny ? 1 : 4;
    memset(e.p - (tiny ? 1 : 4), 0, tiny ? 1 : 4);
    x->imm_arg = arg;
    put(x, &e, bytes);
}

static void fold_insn(struct fold *f, struct body_insn *x, const s8 *env)
{
    enum gpr to;
    s8 arg;
    if (is_copy(f, x, env, &to, &arg) || is_address(f, x, &to, &arg)) {
        if (arg < 0)
            return;
        x->const_arg = arg;
        x->const_to = (u8)to;
        x->e = (struct effect){.writes = (u16)(1u << to), .kills = (u16)(1u << to)};
        x->f = (struct quick_fields){0};
        return;
    }
    fold_address(f, x, env);
    fold_operand(f, x, env);
}

/* --- what is left out ------------------------------------------------------------------------------------------------------ */

static u16 live_at_way(const struct fold *f, s8 to)
{
    if (to == BODY_END)
        return f->result ? 1u << RAX : 0;
    return to >= f->body->code ? f->body->insn[to].live : f->live[to];
}

/* Does it nothing but set a register? */
static bool is_pure(const struct body_insn *x)
{
    struct parts p;
    if (x->const_arg >= 0)
        return true;
    if (!take_apart(x, &p))
        return !x->locked && x->in.modrm_off == 0xff && x->in.len && !x->in.prefixes && (x->in.bytes[x->in.op_off] & 0xf8) == 0xb8 && x->in.op_off <= 1; /* a constant */
    if (p.two)
        return !p.memory && (p.opcode == 0xb6 || p.opcode == 0xb7 || p.opcode == 0xbe || p.opcode == 0xbf);
    return body_is_lea(&x->in) || (!p.memory && (p.opcode == 0x89 || p.opcode == 0x8b || p.opcode == 0x63));
}

static bool drop_dead(struct fold *f)
{
    bool changed = true, dropped = false;
    memset(f->live, 0, sizeof f->live);
    while (changed) {
        changed = false;
        for (u32 i = f->body->code; i-- > 0;) {
            const struct body_insn *x = &f->body->insn[i];
            u16 l = (u16)(((live_at_way(f, x->next) | live_at_way(f, x->to)) & ~x->e.kills) | x->e.reads);
            changed |= l != f->live[i];
            f->live[i] = l;
        }
    }
    for (u32 i = 0; i < f->body->code; i++) {
        struct body_insn *x = &f->body->insn[i];
        u16 out = live_at_way(f, x->next) | live_at_way(f, x->to);
        if (!x->e.writes || x->e.writes & out || !is_pure(x))
            continue;
        x->in = (struct insn){.cls = INSN_PLAIN, .modrm_off = 0xff, .rex_off = 0xff};
        x->imm_arg = x->disp_arg = x->const_arg = x->base = -1;
        x->e = (struct effect){0};
        x->f = (struct quick_fields){0};
        dropped = true;
    }
    return dropped;
}

/* Does another instruction than the one in front of i lead to it? */
static bool is_joined(const struct fold *f, s8 i)
{
    for (s8 k = 0; k < (s8)f->body->code; k++) {
        const struct body_insn *x = &f->body->insn[k];
        if ((x->next == i && k != i - 1) || (x->in.cls == INSN_JCC && x->to == i))
            return true;
    }
    return false;
}

/* The branch behind instruction i over which that can go, because only the way straight on needs it; -1: none. */
static s8 sinks_to(const struct fold *f, s8 i)
{
    const struct body_insn *x = &f->body->insn[i];
    u16 out = x->e.writes;
    if (!is_pure(x) || !out || x->next != i + 1)
        return -1;
    for (s8 k = (s8)(i + 1); k + 1 < (s8)f->body->code && !is_joined(f, k); k++) {
        const struct body_insn *y = &f->body->insn[k];
        if ((y->e.reads | y->e.writes) & out || y->e.writes & x->e.reads || y->next != k + 1)
            return -1;
        if (y->in.cls == INSN_JCC)
            return live_at_way(f, y->to) & out || is_joined(f, (s8)(k + 1)) ? -1 : k;
    }
    return -1;
}

static void sink(struct fold *f)
{
    struct body_insn *insn = f->body->insn;
    for (s8 i = (s8)(f->body->code - 1); i >= 0; i--) {
        s8 k = sinks_to(f, i);
        if (k < 0)
            continue;
        struct body_insn x = insn[i];
        memmove(&insn[i], &insn[i + 1], (size_t)(k - i) * sizeof *insn);
        x.next = x.to = (s8)(k + 1);
        insn[k] = x;
        for (s8 j = 0; j < (s8)f->body->code; j++) {
            insn[j].next = (s8)(insn[j].next - (insn[j].next > i && insn[j].next <= k));
            insn[j].to = (s8)(insn[j].to - (insn[j].to > i && insn[j].to <= k));
        }
        insn[k - 1].next = k;
        drop_dead(f); /* what is needed where has moved along */
    }
}

static void note_registers(struct fold *f)
{
    struct body *b = f->body;
    u32 operands = 0, others = 0;
    for (u32 i = 0; i < b->code; i++) {
        const struct body_insn *x = &b->insn[i];
        bool operand = x->in.rip_relative && !body_is_lea(&x->in);
        b->regs |= x->e.reads | x->e.writes;
        b->fixed |= x->f.fixed;
        operands += operand;
        others += x->base >= 0 || x->const_arg >= BODY_ADDRESS;
        b->based |= x->base >= 0;
        if (operand && !b->origin)
            b->origin = x->operand;
    }
    if (!b->origin && b->naddresses)
        b->origin = b->address[0];
    b->based |= operands + others > 1 && f->near;
    b->far = b->based || operands;
    for (u32 i = b->code; i < b->n; i++)
        b->regs |= b->insn[i].live;
    b->entry = b->code ? f->live[0] : 0;
}

/* Do a and b, one a copy of the other, have different values that are both needed? */
static bool interfere(const struct fold *f, enum gpr a, enum gpr b, u32 copy)
{
    u16 both = (u16)(1u << a | 1u << b);
    if ((f->live[0] & both) == both)
        return true;
    for (u32 i = 0; i < f->body->code; i++) {
        const struct body_insn *x = &f->body->insn[i];
        u16 out = live_at_way(f, x->next) | live_at_way(f, x->to);
        if (i != copy && ((x->e.writes >> a & 1 && out >> b & 1) || (x->e.writes >> b & 1 && out >> a & 1)))
            return true;
    }
    return false;
}

/* A copy of a register that is not needed beside it gets the same one, and is no instruction then. One such pair is enough: the argument that a compiler copies first. */
static void join_copy(struct fold *f)
{
    struct body *b = f->body;
    struct parts p;
    for (u32 i = 0; i < b->code; i++) {
        struct body_insn *x = &b->insn[i];
        if (!take_apart(x, &p) || p.two || p.memory || !(p.rex & 8) || (p.opcode != 0x89 && p.opcode != 0x8b))
            continue;
        enum gpr from = (enum gpr)(p.opcode == 0x89 ? p.reg : p.rm), to = (enum gpr)(p.opcode == 0x89 ? p.rm : p.reg);
        if (from == to || (b->fixed >> from | b->fixed >> to) & 1 || interfere(f, from, to, i))
            continue;
        b->same[from] = (s8)to;
        b->regs &= (u16)~(1u << from);
        x->in = (struct insn){.cls = INSN_PLAIN, .modrm_off = 0xff, .rex_off = 0xff};
        return;
    }
}

/* What of the rest's registers is constant is not kept for it. */
static void fold_rest(struct fold *f, u32 i)
{
    struct body_insn *x = &f->body->insn[i];
    if (!f->seen[i])
        x->live = 0;
    memcpy(x->arg_of, f->env[i], GPR_COUNT);
    for (u32 r = 0; r < GPR_COUNT; r++)
        if (x->live >> r & 1 && x->arg_of[r] >= 0)
            x->consts |= (u16)(1u << r);
    x->live &= (u16)~x->consts;
}

static bool are_near(const struct body *b)
{
    u64 first = 0;
    for (u32 i = 0; i < b->code; i++) {
        const struct body_insn *x = &b->insn[i];
        if (!x->in.rip_relative)
            continue;
        first = first ? first : x->operand;
        if (x->operand - first + (1ul << 29) > 1ul << 30)
            return false;
    }
    return true;
}

static struct body *make(const struct body *body, u32 kinds, bool result)
{
    static struct fold f;
    struct body *b = malloc(sizeof *b);
    struct body_insn *insn = malloc((body->n + 1u) * sizeof *insn);
    if (!b || !insn)
        die(1, "out of memory for analysis routines");
    *b = *body;
    b->insn = insn;
    b->regs = b->fixed = 0;
    b->far = false;
    memset(b->same, -1, sizeof b->same);
    memcpy(insn, body->insn, body->n * sizeof *insn);
    f = (struct fold){.body = b, .kinds = kinds, .result = result, .near = !options.no_fold && are_near(b)};
    if (b->code)
        propagate(&f);
    for (u32 i = 0; i < b->code; i++)
        fold_insn(&f, &insn[i], f.env[i]);
    for (u32 i = b->code; i < b->n; i++)
        fold_rest(&f, i);
    while (drop_dead(&f))
        ;
    if (!options.no_fold)
        sink(&f);
    note_registers(&f);
    if (!options.no_fold && b->code)
        join_copy(&f);
    return b;
}

const struct body *body_fold(const struct body *body, u32 kinds, bool result)
{
    u32 key = (options.no_fold ? 0 : kinds) << 1 | result;
    struct body **list = &((struct body *)body)->folded;
    for (struct body *b = *list; b; b = b->folded)
        if (b->key == key)
            return b;
    struct body *b = make(body, key >> 1, result);
    b->key = key;
    b->folded = *list;
    *list = b;
    return b;
}
