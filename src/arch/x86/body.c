/* SPDX-License-Identifier: Apache-2.0
 * See body.h. A routine is followed along its branches; only what the tables of quick.c know is taken. */
#include "arch/x86/body.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 256

static struct known {
    const void *fn;
    struct body body;
    struct known *next;
} *bucket[BUCKETS];

/* --- reading ---------------------------------------------------------------------------------------------------------- */

struct scan {
    struct body_insn insn[BODY_MAX];
    const u8 *todo[BODY_MAX * 2 + 1];
    u32 n, ntodo;
    struct body *body;
};

static bool has(const struct scan *s, const u8 *p)
{
    for (u32 i = 0; i < s->n; i++)
        if (s->insn[i].at == p)
            return true;
    return false;
}

/* One instruction; *next: where it goes on, NULL: nowhere. */
static const char *read_insn(struct scan *s, const u8 *p, const u8 **next)
{
    static const u8 endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    struct body_insn *x = &s->insn[s->n];
    struct live_effect e = {0};
    *x = (struct body_insn){.at = p, .locked = *p == 0xf0, .to = -1};
    if (!memcmp(p, endbr, sizeof endbr)) {
        x->in = (struct insn){.cls = INSN_PLAIN, .modrm_off = 0xff, .rex_off = 0xff};
        x->bytes = sizeof endbr;
    } else if (!quick_fields(&x->in, p + x->locked, &x->f, &e)) {
        return "it is no plain code of the integer unit";
    }
    bool returns = x->in.cls == INSN_RET && x->in.len == 1;
    if (!returns && ((e.reads | e.writes) >> RSP & 1))
        return "it uses the stack";
    if (!returns) {
        s->body->regs |= e.reads | e.writes;
        s->body->reads |= e.reads;
        s->body->fixed |= x->f.fixed;
    }
    s->n++;
    x->bytes = (u8)(x->bytes + x->in.len + x->locked);
    *next = returns || x->in.cls == INSN_JMP ? NULL : p + x->bytes;
    if (x->in.rip_relative) {
        s32 disp;
        memcpy(&disp, x->in.bytes + x->in.disp_off, 4);
        x->operand = (u64)(p + x->bytes) + (u64)(s64)disp;
        s->body->far = true;
    }
    if (x->in.cls == INSN_JMP || x->in.cls == INSN_JCC)
        s->todo[s->ntodo++] = (const u8 *)x->in.target;
    return NULL;
}

static int by_address(const void *a, const void *b)
{
    const struct body_insn *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* In the order of addresses, each one that goes on must be followed by where it goes on. */
static const char *order(struct scan *s)
{
    qsort(s->insn, s->n, sizeof s->insn[0], by_address);
    for (u32 i = 0; i < s->n; i++) {
        struct body_insn *x = &s->insn[i];
        bool ends = x->in.cls == INSN_RET || x->in.cls == INSN_JMP;
        if (!ends && (i + 1 == s->n || s->insn[i + 1].at != x->at + x->bytes))
            return "its instructions overlap";
        for (u32 k = 0; (x->in.cls == INSN_JMP || x->in.cls == INSN_JCC) && k < s->n; k++)
            if (s->insn[k].at == (const u8 *)x->in.target)
                x->to = (s8)k;
    }
    return NULL;
}

static const char *read_body(struct scan *s, const u8 *fn)
{
    s->todo[s->ntodo++] = fn;
    while (s->ntodo) {
        const u8 *p = s->todo[--s->ntodo];
        while (p && !has(s, p)) {
            if (s->n == BODY_MAX)
                return "it is too large to inline";
            const char *why = read_insn(s, p, &p);
            if (why)
                return why;
        }
    }
    const char *why = order(s);
    if (!why && s->insn[0].at != fn)
        return "it does not begin at its start";
    return why;
}

const struct body *body_of(void *fn)
{
    struct known **b = &bucket[(u64)fn >> 4 & (BUCKETS - 1)];
    for (struct known *k = *b; k; k = k->next)
        if (k->fn == fn)
            return &k->body;
    static struct scan s;
    struct known *k = calloc(1, sizeof *k);
    if (!k)
        die(1, "out of memory for analysis routines");
    s.n = s.ntodo = 0;
    s.body = &k->body;
    k->fn = fn;
    k->body.why = read_body(&s, fn);
    k->next = *b;
    *b = k;
    if (!k->body.why) {
        k->body.n = (u16)s.n;
        k->body.insn = malloc(s.n * sizeof s.insn[0]);
        if (!k->body.insn)
            die(1, "out of memory for analysis routines");
        memcpy(k->body.insn, s.insn, s.n * sizeof s.insn[0]);
    }
    return &k->body;
}

/* --- writing ---------------------------------------------------------------------------------------------------------- */

/* A memory operand with its registers renamed. */
struct place {
    int base, index; /* -1: none */
    u8 log;
    s32 disp;
    bool near;       /* RIP-relative */
};

static struct place place_of(const struct body_insn *x, const u8 *name, u8 rex)
{
    const struct insn *in = &x->in;
    u8 m = in->bytes[in->modrm_off], mod = m >> 6, rm = m & 7;
    struct place p = {.base = -1, .index = -1};
    if (in->disp_bytes == 1)
        p.disp = (s8)in->bytes[in->disp_off];
    else if (in->disp_bytes)
        memcpy(&p.disp, in->bytes + in->disp_off, 4);
    if (rm == 4) {
        u8 sib = in->bytes[in->modrm_off + 1], index = (u8)((sib >> 3 & 7) | (rex & 2) << 2);
        p.log = sib >> 6;
        if (index != RSP)
            p.index = name[index];
        if (!((sib & 7) == 5 && mod == 0))
            p.base = name[(sib & 7) | (rex & 1) << 3];
    } else {
        p.base = name[rm | (rex & 1) << 3];
    }
    return p;
}

/* modrm, sib and displacement; tail: bytes of the instruction behind them. */
static void emit_place(struct emit *e, u8 reg, const struct place *p, u64 operand, u8 tail)
{
    u8 r = (u8)((reg & 7) << 3);
    if (p->near) {
        emit_u8(e, 0x05 | r);
        emit_u32(e, (u32)(operand - (u64)(e->p + 4 + tail)));
        return;
    }
    if (p->index < 0 && p->base >= 0) {
        emit_at(e, reg, (enum gpr)p->base, p->disp);
        return;
    }
    bool none = p->base >= 0 && !p->disp && (p->base & 7) != RBP, small = p->base >= 0 && p->disp == (s8)p->disp;
    emit_u8(e, (u8)((p->base < 0 || none ? 0 : small ? 0x40 : 0x80) | r | RSP));
    emit_u8(e, (u8)(p->log << 6 | (p->index < 0 ? RSP : p->index & 7) << 3 | (p->base < 0 ? RBP : p->base & 7)));
    if (small && !none)
        emit_u8(e, (u8)p->disp);
    else if (!none)
        emit_u32(e, (u32)p->disp);
}

static bool is_lea(const struct insn *in) { return in->opcode == 0x8d && in->bytes[in->op_off] == 0x8d && in->op_off == (in->rex_off == 0xff ? in->prefixes : in->rex_off + 1); }

static void emit_insn(struct emit *e, const struct body_insn *x, const u8 *name, enum gpr far)
{
    const struct insn *in = &x->in;
    u8 rex = in->rex_off == 0xff ? 0 : in->bytes[in->rex_off], first = in->rex_off == 0xff ? in->prefixes : (u8)(in->rex_off + 1);
    bool modrm = in->modrm_off != 0xff;
    u8 m = modrm ? in->bytes[in->modrm_off] : 0, mod = m >> 6;
    u8 reg = (u8)((m >> 3 & 7) | (rex & 4) << 1), rm = (u8)((m & 7) | (rex & 1) << 3), low = (u8)((in->opcode & 7) | (rex & 1) << 3);
    struct place p = {.base = -1, .index = -1};
    if (x->f.reg)
        reg = name[reg];
    if (in->rip_relative && is_lea(in)) {
        emit_const(e, (enum gpr)reg, rex & 8 ? x->operand : (u32)x->operand);
        return;
    }
    if (modrm && mod != 3) {
        if (!in->rip_relative)
            p = place_of(x, name, rex);
        else if (in_reach(e->p, x->operand))
            p.near = true;
        else
            emit_const(e, far, x->operand), p.base = far;
    } else if (x->f.rm) {
        rm = name[rm];
    }
    if (x->f.low)
        low = name[low];
    if (x->locked)
        emit_u8(e, 0xf0);
    emit_bytes(e, in->bytes, in->prefixes);
    u8 b = !modrm ? low >> 3 : mod == 3 ? rm >> 3 : p.base < 0 ? 0 : (u8)(p.base >> 3);
    u8 now = (u8)(0x40 | (rex & 8) | (modrm ? (reg >> 3) << 2 : 0) | (p.index < 0 ? 0 : (p.index >> 3) << 1) | b);
    bool bytes = (x->f.reg && x->f.byte_reg) || (x->f.rm && x->f.byte_rm) || (x->f.low && x->f.byte_reg);
    if (now != 0x40 || bytes)
        emit_u8(e, now);
    emit_bytes(e, in->bytes + first, (size_t)(in->op_off - first));
    emit_u8(e, x->f.low ? (u8)((in->bytes[in->op_off] & ~7u) | (low & 7)) : in->bytes[in->op_off]);
    u8 after = !modrm ? (u8)(in->op_off + 1) : in->disp_bytes ? (u8)(in->disp_off + in->disp_bytes) : (u8)(in->modrm_off + 1 + (mod != 3 && (m & 7) == 4));
    u8 tail = (u8)(in->len - after);
    if (modrm && mod == 3)
        emit_u8(e, (u8)(0xc0 | (reg & 7) << 3 | (rm & 7)));
    else if (modrm)
        emit_place(e, reg, &p, x->operand, tail);
    emit_bytes(e, in->bytes + after, tail);
}

void body_emit(struct emit *e, const struct body *body, const u8 *name, enum gpr far)
{
    u8 *at[BODY_MAX + 1], *patch[BODY_MAX];
    u8 to[BODY_MAX];
    u32 jumps = 0;
    for (u32 i = 0; i < body->n; i++) {
        const struct body_insn *x = &body->insn[i];
        at[i] = e->p;
        if (x->in.cls == INSN_PLAIN) {
            if (x->in.len)
                emit_insn(e, x, name, far);
            continue;
        }
        if (x->in.cls == INSN_RET && i + 1 == body->n)
            continue;
        if (x->in.cls == INSN_JCC) {
            emit_u8(e, 0x0f);
            emit_u8(e, (u8)(0x80 | x->in.cond));
        } else {
            emit_u8(e, 0xe9);
        }
        patch[jumps] = e->p;
        to[jumps++] = x->in.cls == INSN_RET ? (u8)body->n : (u8)x->to;
        emit_u32(e, 0);
    }
    at[body->n] = e->p;
    for (u32 i = 0; i < jumps; i++) {
        s32 rel = (s32)(at[to[i]] - (patch[i] + 4));
        memcpy(patch[i], &rel, 4);
    }
}
