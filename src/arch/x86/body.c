/* SPDX-License-Identifier: Apache-2.0
 * See body.h. A routine is followed along its branches; only what the tables of quick.c know is taken. */
#include "arch/x86/body.h"

#include "arch/x86/routine.h"
#include "base/options.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 256
#define LOOK_AHEAD 96 /* instructions of the rest */
#define ARGUMENTS ((u16)(1u << RDI | 1u << RSI | 1u << RDX | 1u << RCX | 1u << R8 | 1u << R9))

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
    bool parts;  /* the routine may be cut */
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
    *x = (struct body_insn){.at = p, .locked = *p == 0xf0, .imm_arg = -1, .disp_arg = -1, .const_arg = -1, .base = -1};
    if (!memcmp(p, endbr, sizeof endbr)) {
        x->in = (struct insn){.cls = INSN_PLAIN, .modrm_off = 0xff, .rex_off = 0xff};
        x->bytes = sizeof endbr;
    } else if (!quick_fields(&x->in, p + x->locked, &x->f)) {
        return "it is no plain code of the integer unit";
    }
    bool returns = x->in.cls == INSN_RET && x->in.len == 1;
    if (!returns && ((x->in.effect.reads | x->in.effect.writes) >> RSP & 1))
        return "it uses the stack";
    x->e = x->in.effect;
    x->bytes = (u8)(x->bytes + x->in.len + x->locked);
    *next = returns || x->in.cls == INSN_JMP ? NULL : p + x->bytes;
    if (x->in.rip_relative) {
        s32 disp;
        memcpy(&disp, x->in.bytes + x->in.disp_off, 4);
        x->operand = (u64)(p + x->bytes) + (u64)(s64)disp;
    }
    if (x->in.cls == INSN_JMP || x->in.cls == INSN_JCC)
        s->todo[s->ntodo++] = (const u8 *)x->in.target;
    return NULL;
}

static const char *read_or_cut(struct scan *s, const u8 *p, const u8 **next)
{
    const char *why = read_insn(s, p, next);
    if (why && s->parts && s->n) {
        s->insn[s->n] = (struct body_insn){.at = p, .rest = true, .in = {.cls = INSN_PLAIN}};
        *next = NULL;
        why = NULL;
    }
    s->n += !why;
    return why;
}

/* --- the order in which it is written ----------------------------------------------------------------------------------- */

static int index_of(const struct scan *s, const u8 *at)
{
    for (u32 i = 0; i < s->n; i++)
        if (s->insn[i].at == at)
            return (int)i;
    return BODY_END;
}

/* Where it goes on from that address, past jumps that do nothing else. */
static s8 leads_to(const struct scan *s, const u8 *at)
{
    int i = index_of(s, at);
    for (u32 hops = 0; i != BODY_END && !s->insn[i].rest && s->insn[i].in.cls == INSN_JMP && hops < s->n; hops++)
        i = index_of(s, (const u8 *)s->insn[i].in.target);
    return (s8)(i != BODY_END && s->insn[i].in.cls == INSN_RET ? BODY_END : i);
}

/* What leads to the rest only is a part of it. */
static void find_ways(struct scan *s)
{
    bool more = true;
    for (u32 i = 0; i < s->n; i++) {
        struct body_insn *x = &s->insn[i];
        x->next = leads_to(s, x->at + x->bytes);
        x->to = x->in.cls == INSN_JCC ? leads_to(s, (const u8 *)x->in.target) : x->next;
    }
    while (more) {
        more = false;
        for (u32 i = 0; i < s->n; i++) {
            struct body_insn *x = &s->insn[i];
            if (!x->rest && x->in.cls <= INSN_JCC && x->next != BODY_END && x->to != BODY_END && s->insn[x->next].rest && s->insn[x->to].rest)
                x->rest = more = true;
        }
    }
}

/* Straight on where that is possible, the rests behind all. */
static const char *order(struct scan *s)
{
    static struct body_insn out[BODY_MAX];
    s8 todo[BODY_MAX + 1], now[BODY_MAX];
    u32 n = 0, ntodo = 0;
    memset(now, -1, sizeof now);
    todo[ntodo++] = leads_to(s, s->insn[0].at);
    while (ntodo) {
        s8 i = todo[--ntodo];
        while (i != BODY_END && !s->insn[i].rest && now[i] < 0) {
            const struct body_insn *x = &s->insn[i];
            bool other = x->to != BODY_END && !s->insn[x->to].rest && now[x->to] < 0, straight = x->next != BODY_END && !s->insn[x->next].rest && now[x->next] < 0;
            now[i] = (s8)n;
            out[n++] = *x;
            if (x->in.cls == INSN_JMP)
                return "it never ends";
            if (straight && other)
                todo[ntodo++] = x->to;
            i = straight ? x->next : x->to;
        }
    }
    s->body->code = (u16)n;
    for (u32 i = 0; i < s->n; i++)
        if (s->insn[i].rest) {
            now[i] = (s8)n;
            out[n++] = s->insn[i];
        }
    for (u32 i = 0; i < s->body->code; i++) {
        out[i].to = out[i].to == BODY_END ? BODY_END : now[out[i].to];
        out[i].next = out[i].next == BODY_END ? BODY_END : now[out[i].next];
    }
    memcpy(s->insn, out, n * sizeof out[0]);
    s->n = n;
    return NULL;
}

/* Registers that the rest at p reads before it writes them. */
static u16 rest_reads(const u8 *p, int *budget)
{
    struct insn in;
    u16 live = 0xffff;
    if (--*budget <= 0 || !decode_insn_effect(&in, (gpc_t)p, p, 15) || !in.effect.known)
        return live;
    switch ((enum insn_class)in.cls) {
    case INSN_PLAIN: live = rest_reads(p + in.len, budget); break;
    case INSN_JMP: live = rest_reads((const u8 *)in.target, budget); break;
    case INSN_JCC: live = rest_reads((const u8 *)in.target, budget) | rest_reads(p + in.len, budget); break;
    case INSN_CALL: return rest_reads(p + in.len, budget) | ARGUMENTS | 1u << RAX | 1u << R10; /* compilers know what it leaves alone */
    case INSN_RET: live = 1u << RAX | 1u << RDX; break;
    default: return live;
    }
    return (live & (u16)~in.effect.kills) | in.effect.reads;
}

/* The routine is to be left rarely: there is a way to its end without the rest. */
static const char *cut(struct scan *s)
{
    struct body *body = s->body;
    bool returns = !s->n, used[BODY_MAX] = {0};
    u16 writes = 0;
    for (u32 i = 0; i < body->code; i++) {
        const struct body_insn *x = &s->insn[i];
        writes |= x->e.writes;
        returns |= x->to == BODY_END || x->next == BODY_END;
        for (u32 k = body->code; k < s->n; k++)
            if (x->to == (s8)k || x->next == (s8)k) {
                used[k] = true;
                body->ways++;
            }
    }
    for (u32 i = body->code; i < s->n; i++) {
        struct body_insn *x = &s->insn[i];
        int budget = LOOK_AHEAD;
        if (!used[i])
            continue;
        x->live = rest_reads(x->at, &budget) & (writes | ARGUMENTS);
    }
    if (!returns)
        return "it always calls or uses the stack";
    return body->ways > BODY_WAYS ? "it has too many parts that call or use the stack" : NULL;
}

static const char *read_body(struct scan *s, const u8 *fn)
{
    s->todo[s->ntodo++] = fn;
    while (s->ntodo) {
        const u8 *p = s->todo[--s->ntodo];
        while (p && !has(s, p)) {
            if (s->n == BODY_MAX)
                return "it is too large to inline";
            const char *why = read_or_cut(s, p, &p);
            if (why)
                return why;
        }
    }
    find_ways(s);
    const char *why = order(s);
    return why ? why : cut(s);
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
    s.parts = !options.no_partial && routine_scan(fn)->light;
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
    if (p.base < 0 && p.index >= 0 && !p.log) {
        p.base = p.index;
        p.index = -1;
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

bool body_is_lea(const struct insn *in) { return in->opcode == 0x8d && in->bytes[in->op_off] == 0x8d && in->op_off == (in->rex_off == 0xff ? in->prefixes : in->rex_off + 1); }

/* The memory operand; where it is relative to an address, the register far has it, or gets it here. */
static struct place find_place(struct emit *e, const struct body *body, const struct body_insn *x, const u8 *name, enum gpr far, u8 rex)
{
    struct place p = {.base = -1, .index = -1};
    if (!x->in.rip_relative) {
        p = place_of(x, name, rex);
        if (x->base < 0)
            return p;
        if (p.base >= 0)
            p.index = p.base; /* it stood alone */
        p.base = far;
        p.disp = (s32)((u32)p.disp + (u32)(body->address[x->base] - body->origin));
    } else if (body->based) {
        p.base = far;
        p.disp = (s32)(x->operand - body->origin);
    } else if (in_reach(e->p, x->operand)) {
        p.near = true;
    } else {
        emit_const(e, far, x->operand);
        p.base = far;
    }
    return p;
}

static void emit_insn(struct emit *e, const struct body *body, const struct body_insn *x, const u8 *name, enum gpr far)
{
    const struct insn *in = &x->in;
    u8 rex = in->rex_off == 0xff ? 0 : in->bytes[in->rex_off], first = in->rex_off == 0xff ? in->prefixes : (u8)(in->rex_off + 1);
    bool modrm = in->modrm_off != 0xff;
    u8 m = modrm ? in->bytes[in->modrm_off] : 0, mod = m >> 6;
    u8 reg = (u8)((m >> 3 & 7) | (rex & 4) << 1), rm = (u8)((m & 7) | (rex & 1) << 3), low = (u8)((in->opcode & 7) | (rex & 1) << 3);
    struct place p = {.base = -1, .index = -1};
    if (x->f.reg)
        reg = name[reg];
    if (in->rip_relative && body_is_lea(in)) {
        emit_const(e, (enum gpr)reg, rex & 8 ? x->operand : (u32)x->operand);
        return;
    }
    if (modrm && mod != 3)
        p = find_place(e, body, x, name, far, rex);
    else if (x->f.rm)
        rm = name[rm];
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

static void emit_with(struct emit *e, const struct body *body, const struct body_insn *x, const u8 *name, enum gpr far, const u64 *value)
{
    if (LIKELY(x->imm_arg < 0 && x->disp_arg < 0)) {
        emit_insn(e, body, x, name, far);
        return;
    }
    struct body_insn y = *x;
    if (x->imm_arg >= 0) {
        bool tiny = y.in.opcode == 0x83;
        memcpy(y.in.bytes + y.in.len - (tiny ? 1 : 4), &value[x->imm_arg], tiny ? 1 : 4);
    }
    if (x->disp_arg >= 0) {
        s32 disp;
        memcpy(&disp, y.in.bytes + y.in.disp_off, 4);
        disp = (s32)((u32)disp + (u32)(value[x->disp_arg] << x->disp_shift));
        memcpy(y.in.bytes + y.in.disp_off, &disp, 4);
    }
    emit_insn(e, body, &y, name, far);
}

static void emit_constant(struct emit *e, const struct body *body, const struct body_insn *x, const u8 *name, enum gpr far, const u64 *value)
{
    enum gpr to = (enum gpr)name[x->const_to];
    if (x->const_arg < BODY_ADDRESS)
        emit_const(e, to, value[x->const_arg]);
    else if (body->based)
        emit_lea(e, to, far, -1, 1, (s32)(body->address[x->const_arg - BODY_ADDRESS] - body->origin));
    else
        emit_const(e, to, body->address[x->const_arg - BODY_ADDRESS]);
}

struct pass {
    struct emit *e;
    const struct body *body;
    struct body_way *way;
    bool there;
    u32 nways, njumps;
    bool wide[BODY_MAX * 2]; /* jumps with displacements of 32 bits, kept from pass to pass */
    u8 *end[BODY_MAX * 2];
    s8 to[BODY_MAX * 2];
};

/* cond: -1: always */
static void emit_jump(struct pass *p, int cond, s8 to)
{
    struct emit *e = p->e;
    bool rest = to != BODY_END && to >= p->body->code, wide = rest || p->wide[p->njumps];
    if (wide && cond >= 0)
        emit_u8(e, 0x0f);
    emit_u8(e, (u8)(cond >= 0 ? (wide ? 0x80 : 0x70) | cond : wide ? 0xe9 : 0xeb));
    e->p += wide ? 4 : 1;
    if (rest) {
        p->way[p->nways++] = (struct body_way){&p->body->insn[to], e->p - 4};
        return;
    }
    p->end[p->njumps] = e->p;
    p->to[p->njumps++] = to;
}

/* True: all jumps reach. */
static bool emit_pass(struct pass *p, const u8 *name, enum gpr far, const u64 *value)
{
    u8 *at[BODY_MAX + 1];
    const struct body *body = p->body;
    bool fit = true;
    p->nways = p->njumps = 0;
    if (body->based && !p->there)
        emit_const(p->e, far, body->origin);
    for (u32 i = 0; i < body->code; i++) {
        const struct body_insn *x = &body->insn[i];
        s8 behind = (s8)(i + 1 < body->code ? i + 1 : BODY_END);
        at[i] = p->e->p;
        if (x->in.cls == INSN_JCC && x->to == behind)
            emit_jump(p, x->in.cond ^ 1, x->next);
        else if (x->in.cls == INSN_JCC)
            emit_jump(p, x->in.cond, x->to);
        else if (x->const_arg >= 0)
            emit_constant(p->e, body, x, name, far, value);
        else if (x->in.len)
            emit_with(p->e, body, x, name, far, value);
        if (x->next != behind && !(x->in.cls == INSN_JCC && x->to == behind))
            emit_jump(p, -1, x->next);
    }
    for (u32 i = 0; i < p->njumps; i++) {
        s32 rel = (s32)((p->to[i] == BODY_END ? p->e->p : at[p->to[i]]) - p->end[i]);
        bool reaches = p->wide[i] || rel == (s8)rel;
        memcpy(p->end[i] - (p->wide[i] ? 4 : 1), &rel, p->wide[i] ? 4 : 1);
        p->wide[i] |= !reaches;
        fit &= reaches;
    }
    return fit;
}

void body_emit(struct emit *e, const struct body *body, const u8 *name, enum gpr far, bool there, const u64 *value, struct body_way *way)
{
    struct pass p = {.e = e, .body = body, .way = way, .there = there};
    u8 *start = e->p;
    while (!emit_pass(&p, name, far, value))
        e->p = start;
}
