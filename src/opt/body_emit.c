/* SPDX-License-Identifier: Apache-2.0
 * Writes a body (body.h): its registers renamed, the values of constant arguments put in, jumps as short as they can
 * be. Under jit_lock. */
#include "opt/body.h"

#include <string.h>

struct pass {
    u8 *p;
    const struct body *body;
    const struct body_use *use;
    struct body_way *way;
    u32 nways, njumps;
    bool wide[BODY_MAX * 2]; /* jumps that need their long form; kept from one attempt to the next */
    u8 *end[BODY_MAX * 2];
    s16 to[BODY_MAX * 2];
};

static void emit_constant(struct pass *p, u8 to, u64 v)
{
    p->p = arch_emit_rop(p->p, &(struct rop){.kind = ROP_ADDRESS,
                                             .width = 8,
                                             .to = ROP_REGISTER,
                                             .to_reg = to,
                                             .from = ROP_MEMORY,
                                             .mem = {-1, -1, 0, v}});
}

static void rename_registers(struct rop *op, const u8 *name)
{
    if (op->to == ROP_REGISTER)
        op->to_reg = name[op->to_reg];
    if (op->from == ROP_REGISTER)
        op->from_reg = name[op->from_reg];
    if (op->mem.base >= 0)
        op->mem.base = (s8)name[op->mem.base];
    if (op->mem.index >= 0)
        op->mem.index = (s8)name[op->mem.index];
}

/* Sets the memory operand. Where it is relative to an address, the register `far` has that address, or it is loaded
 * here. */
static void find_place(struct pass *p, struct rop *op, bool relative)
{
    struct rop_memory *m = &op->mem;
    bool loads = op->kind == ROP_ADDRESS && rop_is_absolute(op);
    if (!relative) {
        if (m->base < 0 && m->index >= 0 && !m->shift)
            *m = (struct rop_memory){m->index, -1, 0, m->disp};
    } else if (p->body->based && (!loads || op->width == 8)) {
        m->base = (s8)p->use->far;
        m->disp -= p->body->origin;
    } else if (!loads && !arch_rop_reaches(p->p, m->disp)) {
        emit_constant(p, p->use->far, m->disp);
        *m = (struct rop_memory){(s8)p->use->far, -1, 0, 0};
    }
}

static void emit_op(struct pass *p, const struct body_op *x)
{
    struct rop op = x->op;
    rename_registers(&op, p->use->name);
    if (x->value_arg >= 0)
        op.value = p->use->value[x->value_arg];
    if (x->disp_arg >= 0)
        op.mem.disp += p->use->value[x->disp_arg] << x->disp_shift;
    if (x->value_arg >= 0 && op.kind == ROP_MOVE && op.to == ROP_REGISTER) {
        emit_constant(p, op.to_reg, op.value);
        return;
    }
    if (rop_has_memory(&op))
        find_place(p, &op, x->relative);
    p->p = arch_emit_rop(p->p, &op);
}

/* A jump to operation `to`; condition -1: always. */
static void emit_jump(struct pass *p, int condition, s16 to)
{
    bool rest = to != ROP_END && to >= p->body->code, wide = rest || p->wide[p->njumps];
    p->p = arch_emit_rop_jump(p->p, condition, wide);
    if (rest) {
        p->way[p->nways++] = (struct body_way){&p->body->op[to], p->p};
        return;
    }
    p->end[p->njumps] = p->p;
    p->to[p->njumps++] = to;
}

/* Sets the displacements of all jumps. True: all of them reach. */
static bool point_jumps(struct pass *p, u8 **at)
{
    bool fit = true;
    for (u32 i = 0; i < p->njumps; i++) {
        bool reaches = arch_point_rop_jump(p->end[i], p->wide[i], p->to[i] == ROP_END ? p->p : at[p->to[i]]);
        p->wide[i] |= !reaches;
        fit &= reaches;
    }
    return fit;
}

static bool emit_pass(struct pass *p)
{
    u8 *at[BODY_MAX + 1];
    const struct body *body = p->body;
    p->nways = p->njumps = 0;
    if (body->based && !p->use->there)
        emit_constant(p, p->use->far, body->origin);
    for (u32 i = 0; i < body->code; i++) {
        const struct body_op *x = &body->op[i];
        s16 following = (s16)(i + 1 < body->code ? (s16)(i + 1) : ROP_END);
        bool branch = x->op.kind == ROP_BRANCH, turned = branch && x->op.taken == following;
        at[i] = p->p;
        if (turned)
            emit_jump(p, x->op.condition ^ 1, x->op.next);
        else if (branch)
            emit_jump(p, x->op.condition, x->op.taken);
        else if (x->op.kind != ROP_NONE)
            emit_op(p, x);
        if (x->op.next != following && !turned)
            emit_jump(p, -1, x->op.next);
    }
    return point_jumps(p, at);
}

u8 *body_emit(u8 *start, const struct body *body, const struct body_use *use, struct body_way *way)
{
    struct pass p = {.p = start, .body = body, .use = use, .way = way};
    while (!emit_pass(&p))
        p.p = start;
    return p.p;
}
