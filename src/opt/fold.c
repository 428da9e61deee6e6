/* SPDX-License-Identifier: Apache-2.0
 * Constant arguments of an inlined routine: where they are copied, added or compared they become a part of the
 * operations, and operations that nobody needs any more are left out. This is done once for each routine and kinds of
 * arguments; the values are put in when the code is written (body_emit). Under jit_lock. */
#include "opt/body.h"

#include "base/options.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = -1 };

struct fold {
    struct body *body;
    u32 kinds;
    bool result;
    bool near; /* the routine's addresses are near each other */
    bool seen[BODY_MAX];
    s8 env[BODY_MAX][ROP_REGISTERS]; /* before each operation: the constant argument that each register has */
    reg_set live[BODY_MAX];          /* before each operation: the registers that are needed */
};

static u32 kind_of(const struct fold *f, s8 arg)
{
    return arg < 0 ? (u32)ARG_ANY : arg >= BODY_ADDRESS ? (u32)ARG_WIDE : f->kinds >> ARG_SHIFT(arg) & 3;
}
static bool is_small(const struct fold *f, s8 arg)
{
    return kind_of(f, arg) == ARG_TINY || kind_of(f, arg) == ARG_SMALL;
}

/* --- operations that copy ------------------------------------------------------------------------- */

static bool copies_register(const struct rop *op)
{
    return op->kind == ROP_MOVE && op->to == ROP_REGISTER && op->from == ROP_REGISTER && op->width >= 4;
}

/* Does the operation copy a register to another, as a whole or its lower half zero-extended? *arg: the constant
 * argument that it copies. */
static bool is_copy(const struct fold *f, const struct body_op *x, const s8 *env, s8 *arg)
{
    if (!copies_register(&x->op))
        return false;
    *arg = env[x->op.from_reg];
    if (x->op.width < 8 && !is_small(f, *arg))
        *arg = UNKNOWN;
    return true;
}

/* Does the operation load an address? *arg: its number. */
static bool is_address(struct fold *f, const struct body_op *x, s8 *arg)
{
    struct body *b = f->body;
    u32 i = 0;
    if (x->op.kind != ROP_ADDRESS || !x->relative || x->op.width != 8 || !f->near)
        return false;
    while (i < b->naddresses && b->address[i] != x->op.mem.disp)
        i++;
    if (i == BODY_ADDRESSES)
        return false;
    b->address[i] = x->op.mem.disp;
    b->naddresses += i == b->naddresses;
    *arg = (s8)(BODY_ADDRESS + i);
    return true;
}

/* --- what is where -------------------------------------------------------------------------------- */

static bool meet(struct fold *f, s16 to, const s8 *env)
{
    bool changed = false;
    if (to == ROP_END)
        return false;
    if (!f->seen[to]) {
        f->seen[to] = true;
        memcpy(f->env[to], env, ROP_REGISTERS);
        return true;
    }
    for (u32 r = 0; r < ROP_REGISTERS; r++)
        if (f->env[to][r] != env[r] && f->env[to][r] != UNKNOWN) {
            f->env[to][r] = UNKNOWN;
            changed = true;
        }
    return changed;
}

static bool flow(struct fold *f, u32 i)
{
    const struct body_op *x = &f->body->op[i];
    s8 env[ROP_REGISTERS], arg;
    memcpy(env, f->env[i], sizeof env);
    bool copy = is_copy(f, x, f->env[i], &arg) || is_address(f, x, &arg);
    for (u32 r = 0; r < ROP_REGISTERS; r++)
        if (x->op.writes >> r & 1)
            env[r] = UNKNOWN;
    if (copy)
        env[x->op.to_reg] = arg;
    bool changed = meet(f, x->op.next, env);
    return meet(f, x->op.taken, env) || changed;
}

static void propagate(struct fold *f)
{
    bool changed = true;
    memset(f->env, UNKNOWN, sizeof f->env);
    for (s8 i = 0; i < ROP_ARGUMENTS; i++)
        if (kind_of(f, i) != ARG_ANY)
            f->env[0][rop_registers.argument[i]] = i;
    f->seen[0] = true;
    while (changed) {
        changed = false;
        for (u32 i = 0; i < f->body->code; i++)
            if (f->seen[i])
                changed |= flow(f, i);
    }
}

/* --- operations made anew ------------------------------------------------------------------------- */

/* A register of the operand's address that is a constant goes into the displacement. */
static void fold_address(struct fold *f, struct body_op *x, const s8 *env)
{
    struct rop_memory *m = &x->op.mem;
    s64 disp = (s64)m->disp;
    /* The sum must fit into a displacement. */
    if (!rop_has_memory(&x->op) || m->base < 0 || disp >= 1 << 29 || disp < -(1 << 29))
        return;
    bool base = is_small(f, env[m->base]) && m->index >= 0;
    bool index = m->index >= 0 && (m->shift ? kind_of(f, env[m->index]) == ARG_TINY : is_small(f, env[m->index]));
    if (env[m->base] >= BODY_ADDRESS) {
        m->disp += f->body->address[env[m->base] - BODY_ADDRESS];
        m->base = -1;
        x->relative = x->folded = true;
    } else if (base) {
        if (index)
            return;
        x->disp_arg = env[m->base];
        m->base = -1;
    } else if (index) {
        x->disp_arg = env[m->index];
        x->disp_shift = m->shift;
        m->index = -1;
        m->shift = 0;
    }
}

/* op %register,operand becomes op $constant,operand. */
static void fold_operand(struct fold *f, struct body_op *x, const s8 *env)
{
    struct rop *op = &x->op;
    bool works = op->kind >= ROP_ADD && op->kind <= ROP_COMPARE, stores = op->kind == ROP_MOVE && op->to == ROP_MEMORY;
    if (op->from != ROP_REGISTER || op->width < 4 || (!works && !stores) || !is_small(f, env[op->from_reg]))
        return;
    x->value_arg = env[op->from_reg];
    op->from = ROP_CONSTANT;
}

/* Makes the operation set its register to a constant argument or an address. */
static void make_constant(struct fold *f, struct body_op *x, s8 arg)
{
    struct rop *op = &x->op;
    if (arg >= BODY_ADDRESS) {
        op->kind = ROP_ADDRESS;
        op->from = ROP_MEMORY;
        op->mem = (struct rop_memory){-1, -1, 0, f->body->address[arg - BODY_ADDRESS]};
        x->relative = true;
    } else {
        op->from = ROP_CONSTANT;
        x->value_arg = arg;
    }
    op->width = 8;
}

static void fold_op(struct fold *f, struct body_op *x, const s8 *env)
{
    s8 arg;
    if (is_copy(f, x, env, &arg)) {
        if (arg >= 0)
            make_constant(f, x, arg);
    } else {
        fold_address(f, x, env);
        fold_operand(f, x, env);
    }
    rop_find_effects(&x->op);
}

/* --- what is left out ----------------------------------------------------------------------------- */

static reg_set live_at_way(const struct fold *f, s16 to)
{
    if (to == ROP_END)
        return (reg_set)(f->result ? 1u << rop_registers.result : 0);
    return to >= f->body->code ? f->body->op[to].live : f->live[to];
}

static reg_set live_behind(const struct fold *f, const struct rop *op)
{
    return live_at_way(f, op->next) | live_at_way(f, op->taken);
}

/* Is setting a register all that it does? */
static bool is_pure(const struct rop *op)
{
    bool extends = op->kind == ROP_ZERO_EXTEND || op->kind == ROP_SIGN_EXTEND;
    if (op->to != ROP_REGISTER || op->width < 4)
        return false;
    return op->kind == ROP_ADDRESS || ((op->kind == ROP_MOVE || extends) && op->from != ROP_MEMORY);
}

static void make_nothing(struct body_op *x)
{
    x->op.kind = ROP_NONE;
    x->value_arg = x->disp_arg = -1;
    x->relative = false;
    x->op.fixed = 0;
    rop_find_effects(&x->op);
}

static bool drop_dead(struct fold *f)
{
    bool changed = true, dropped = false;
    memset(f->live, 0, sizeof f->live);
    while (changed) {
        changed = false;
        for (u32 i = f->body->code; i-- > 0;) {
            const struct rop *op = &f->body->op[i].op;
            reg_set l = (live_behind(f, op) & (reg_set)~op->kills) | op->reads;
            changed |= l != f->live[i];
            f->live[i] = l;
        }
    }
    for (u32 i = 0; i < f->body->code; i++) {
        struct body_op *x = &f->body->op[i];
        if (!x->op.writes || x->op.writes & live_behind(f, &x->op) || !is_pure(&x->op))
            continue;
        make_nothing(x);
        dropped = true;
    }
    return dropped;
}

/* Does another operation than the one before i lead to i? */
static bool is_joined(const struct fold *f, s16 i)
{
    for (s16 k = 0; k < (s16)f->body->code; k++) {
        const struct rop *op = &f->body->op[k].op;
        if ((op->next == i && k != i - 1) || (op->kind == ROP_BRANCH && op->taken == i))
            return true;
    }
    return false;
}

/* The branch after which operation i can be moved, because only the way straight on needs its result; -1: none. */
static s16 sinks_to(const struct fold *f, s16 i)
{
    const struct rop *x = &f->body->op[i].op;
    reg_set out = x->writes;
    if (!is_pure(x) || !out || x->next != i + 1)
        return -1;
    for (s16 k = (s16)(i + 1); k + 1 < (s16)f->body->code && !is_joined(f, k); k++) {
        const struct rop *y = &f->body->op[k].op;
        if ((y->reads | y->writes) & out || y->writes & x->reads || y->next != k + 1)
            return -1;
        if (y->kind == ROP_BRANCH)
            return live_at_way(f, y->taken) & out || is_joined(f, (s16)(k + 1)) ? -1 : k;
    }
    return -1;
}

/* The new place of operation `to`, when i has moved to k: those between are one place further to the front. */
static s16 moved_along(s16 to, s16 i, s16 k) { return (s16)(to - (to > i && to <= k)); }

static void sink(struct fold *f)
{
    struct body_op *op = f->body->op;
    for (s16 i = (s16)(f->body->code - 1); i >= 0; i--) {
        s16 k = sinks_to(f, i);
        if (k < 0)
            continue;
        struct body_op x = op[i];
        memmove(&op[i], &op[i + 1], (size_t)(k - i) * sizeof *op);
        x.op.next = x.op.taken = (s16)(k + 1);
        op[k] = x;
        for (s16 j = 0; j < (s16)f->body->code; j++) {
            op[j].op.next = moved_along(op[j].op.next, i, k);
            op[j].op.taken = moved_along(op[j].op.taken, i, k);
        }
        op[k - 1].op.next = k;
        drop_dead(f); /* `live` is made anew for the new order */
    }
}

static void note_registers(struct fold *f)
{
    struct body *b = f->body;
    u32 operands = 0, others = 0;
    for (u32 i = 0; i < b->code; i++) {
        const struct body_op *x = &b->op[i];
        bool loads = x->op.kind == ROP_ADDRESS && !x->folded, operand = x->relative && !loads && !x->folded;
        b->regs |= x->op.reads | x->op.writes;
        b->fixed |= x->op.fixed;
        operands += operand;
        others += x->folded || (x->relative && loads);
        b->based |= x->folded;
        if (operand && !b->origin)
            b->origin = x->op.mem.disp;
    }
    if (!b->origin && b->naddresses)
        b->origin = b->address[0];
    b->based |= operands + others > 1 && f->near;
    b->far = b->based || operands;
    for (u32 i = b->code; i < b->n; i++)
        b->regs |= b->op[i].live;
    b->entry = b->code ? f->live[0] : 0;
}

/* Do a and b, one a copy of the other, have different values that are both needed? */
static bool interfere(const struct fold *f, u8 a, u8 b, u32 copy)
{
    reg_set both = (reg_set)(1u << a | 1u << b);
    if ((f->live[0] & both) == both)
        return true;
    for (u32 i = 0; i < f->body->code; i++) {
        const struct rop *op = &f->body->op[i].op;
        reg_set out = live_behind(f, op);
        if (i != copy && ((op->writes >> a & 1 && out >> b & 1) || (op->writes >> b & 1 && out >> a & 1)))
            return true;
    }
    return false;
}

/* Where a register and its copy are not both needed, both get the same register, and the copy is no operation any more.
 * One such pair is enough: the argument that a compiler copies first. */
static void join_copy(struct fold *f)
{
    struct body *b = f->body;
    for (u32 i = 0; i < b->code; i++) {
        struct body_op *x = &b->op[i];
        u8 from = x->op.from_reg, to = x->op.to_reg;
        if (!copies_register(&x->op) || x->op.width < 8 || from == to || (b->fixed >> from | b->fixed >> to) & 1 ||
            interfere(f, from, to, i))
            continue;
        b->same[from] = (s8)to;
        b->regs &= (reg_set) ~(1u << from);
        make_nothing(x);
        return;
    }
}

/* Registers of a rest that are constant need not be kept for it. */
static void fold_rest(struct fold *f, u32 i)
{
    struct body_op *x = &f->body->op[i];
    if (!f->seen[i])
        x->live = 0;
    memcpy(x->arg_of, f->env[i], ROP_REGISTERS);
    for (u32 r = 0; r < ROP_REGISTERS; r++)
        if (x->live >> r & 1 && x->arg_of[r] >= 0)
            x->consts |= (reg_set)(1u << r);
    x->live &= (reg_set)~x->consts;
}

static bool are_near(const struct body *b)
{
    u64 first = 0;
    for (u32 i = 0; i < b->code; i++) {
        const struct body_op *x = &b->op[i];
        if (!x->relative)
            continue;
        first = first ? first : x->op.mem.disp;
        if (x->op.mem.disp - first + (1ul << 29) > 1ul << 30)
            return false;
    }
    return true;
}

static struct body *make(const struct body *body, u32 kinds, bool result)
{
    static struct fold f;
    struct body *b = malloc(sizeof *b);
    struct body_op *op = malloc((body->n + 1u) * sizeof *op);
    if (!b || !op)
        die(1, "out of memory for analysis routines");
    *b = *body;
    b->op = op;
    b->regs = b->fixed = 0;
    b->far = false;
    memset(b->same, -1, sizeof b->same);
    memcpy(op, body->op, body->n * sizeof *op);
    f = (struct fold){.body = b, .kinds = kinds, .result = result, .near = !options.no_fold && are_near(b)};
    if (b->code)
        propagate(&f);
    for (u32 i = 0; i < b->code; i++)
        fold_op(&f, &op[i], f.env[i]);
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
