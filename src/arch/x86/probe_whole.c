/* SPDX-License-Identifier: Apache-2.0
 * A function moved as a whole, because branches of its own lead into its first bytes (PB23). Its calls return to the
 * program's own code, where unwinders look. That code runs on to the function's end, unless the bytes that the probe
 * has displaced could be met again from there: then it leads back to the copy at once, by a jump of its own. No state;
 * any thread. */
#include "arch/x86/probe_move.h"

#include <stdlib.h>
#include <string.h>

#define JUMP_BYTES 5u
#define INSN_MOST 40u /* bytes of one moved */
#define BYTES_MOST 4096u

enum mark {
    MARK_REACHED = 1, /* from the function's start: in the copy, too */
    MARK_BACK = 2,    /* from the place that is looked at */
    MARK_OWN = 4,     /* from where a call returns to, and goes on there */
};

struct whole {
    const struct probe_site *s;
    u32 bytes, displaced;
    u8 mark[BYTES_MOST];
    u8 len[BYTES_MOST];   /* of the instruction there, once it is reached */
    u32 at[BYTES_MOST];   /* where its copy is */
};

static const char too_big[] = "it is too big to be moved as a whole";

static bool decode(const struct whole *w, u32 off, struct insn *in)
{
    return off < w->bytes && decode_insn(in, w->s->pc + off, w->s->bytes + off, w->bytes - off) && in->len &&
           in->cls != INSN_BAD;
}

static bool is_branch(const struct insn *in)
{
    return in->cls == INSN_JCC || in->cls == INSN_LOOP || in->cls == INSN_JMP;
}

static bool is_inside(const struct whole *w, gpc_t to) { return to >= w->s->pc && to < w->s->pc + w->bytes; }

/* Nothing comes after it. */
static bool is_end(const struct insn *in)
{
    return in->cls == INSN_JMP || in->cls == INSN_RET || in->cls == INSN_JMP_IND ||
           (in->cls == INSN_PLAIN && in->ends_trace);
}

/* Where it may go on in the function: up to two offsets. */
static u32 next_of(const struct whole *w, const struct insn *in, u32 next[2])
{
    u32 n = 0, off = (u32)(in->pc - w->s->pc);
    if (is_branch(in) && is_inside(w, in->target))
        next[n++] = (u32)(in->target - w->s->pc);
    if (!is_end(in))
        next[n++] = off + in->len;
    return n;
}

/* All that is reached from `off` gets the mark. */
static const char *reach(struct whole *w, u32 off, u8 mark)
{
    static const char unknown[] = "it goes on after its end, or not all of its instructions are known";
    u32 *todo = malloc(2 * BYTES_MOST * sizeof *todo), n = 0, next[2];
    const char *why = todo ? NULL : "no memory";
    if (todo)
        todo[n++] = off;
    while (n && !why) {
        struct insn in;
        off = todo[--n];
        if (off < w->bytes && w->mark[off] & mark)
            continue;
        if (!decode(w, off, &in))
            why = unknown;
        else if (in.cls == INSN_JMP_IND)
            why = "it has a jump through a register or memory, so it cannot be moved as a whole";
        if (why)
            break;
        w->mark[off] |= mark;
        w->len[off] = (u8)in.len;
        for (u32 k = next_of(w, &in, next); k--;)
            todo[n++] = next[k];
    }
    free(todo);
    return why;
}

/* From there on the displaced bytes are met again. */
static bool leads_back(struct whole *w, u32 off)
{
    for (u32 i = 0; i < w->bytes; i++)
        w->mark[i] &= (u8)~MARK_BACK;
    if (reach(w, off, MARK_BACK))
        return true;
    for (u32 i = 0; i < w->displaced && i < w->bytes; i++)
        if (w->mark[i] & MARK_BACK)
            return true;
    return false;
}

static bool is_call(const struct insn *in) { return in->cls == INSN_CALL || in->cls == INSN_CALL_IND; }

/* Calls of the function's: where they return to. */
static const char *find_returns(struct whole *w, struct probe_whole *out)
{
    for (u32 off = 0; off < w->bytes; off++) {
        struct insn in;
        u32 back;
        if (!(w->mark[off] & MARK_REACHED) || !decode(w, off, &in) || !is_call(&in))
            continue;
        back = off + in.len;
        if (back < w->displaced)
            return "a call among its first bytes would return into them";
        if (!leads_back(w, back)) {
            reach(w, back, MARK_OWN);
            continue;
        }
        if (out->nback == PROBE_WHOLE_BACKS || back + JUMP_BYTES > w->bytes)
            return "a call in it returns to where its first bytes are met again, and there is no room for a jump";
        out->back[out->nback++].from = w->s->pc + back;
    }
    return NULL;
}

/* Bytes that are not the program's any more, seen from code that is. */
static bool is_taken(const struct whole *w, const struct probe_whole *out, gpc_t at)
{
    bool taken = at >= w->s->pc && at < w->s->pc + w->displaced;
    for (u32 i = 0; i < out->nback; i++)
        taken |= at > out->back[i].from && at < out->back[i].from + JUMP_BYTES;
    return taken;
}

struct looking {
    const struct whole *w;
    const struct probe_whole *out;
    bool found;
};

/* A branch of code that nothing known leads to, as that for exceptions. */
static void look(void *arg, gpc_t from, gpc_t to, bool call)
{
    struct looking *l = arg;
    bool reached = l->w->mark[from - l->w->s->pc] & MARK_REACHED;
    l->found |= !call && !reached && is_taken(l->w, l->out, to);
}

static const char *check(const struct whole *w, const struct probe_whole *out)
{
    struct looking l = {w, out, false};
    for (u32 i = 0; i < w->bytes; i++)
        if (w->mark[i] & MARK_OWN && is_taken(w, out, w->s->pc + i))
            return "calls in it return to places that are too near to each other";
    for (u32 i = 0; i < out->nback; i++)
        if (is_taken(w, out, out->back[i].from))
            return "calls in it return to places that are too near to each other";
    arch_probe_branches(w->s->pc, w->s->bytes, w->bytes, look, &l);
    if (l.found || w->s->leads_into(w->s, w->s->pc + 1, w->s->pc + w->displaced, true))
        return "a branch from elsewhere leads into its first bytes";
    return NULL;
}

/* One round to learn where each instruction comes to lie, one to write them. */
static const char *emit_all(struct whole *w, struct move *m, struct probe_whole *out)
{
    for (u32 off = 0; off < w->bytes; off++) {
        struct insn in;
        bool ends;
        if (!(w->mark[off] & MARK_REACHED) || !decode(w, off, &in))
            continue;
        if ((u64)(m->e.p - m->buffer) + 2 * INSN_MOST > PROBE_WHOLE_BYTES)
            return too_big;
        w->at[off] = (u32)(m->e.p - m->buffer);
        if (is_branch(&in) && is_inside(w, in.target))
            in.target = m->address + w->at[in.target - w->s->pc];
        const char *why = in.cls == INSN_CALL_IND ? probe_move_call_ind(m, &in) : probe_move_insn(m, &in, &ends);
        if (why)
            return why;
        u32 after = off + w->len[off];
        if (!is_end(&in) && !is_call(&in)) {
            bool falls = after < w->bytes && w->mark[after] & MARK_REACHED;
            for (u32 i = off + 1; i < after; i++)
                falls &= !(w->mark[i] & MARK_REACHED);
            if (!falls)
                return "instructions in it overlap";
        }
    }
    out->bytes = (u32)(m->e.p - m->buffer);
    return NULL;
}

static const char *move_all(struct whole *w, u64 address, struct probe_whole *out)
{
    const char *why = NULL;
    for (u32 round = 0; round < 2 && !why; round++) {
        struct move m = {{out->code}, out->code, address, w->s};
        why = emit_all(w, &m, out);
    }
    for (u32 off = 0; off < w->bytes && !why; off++)
        if (w->mark[off] & MARK_REACHED) {
            if (out->nmoved == PROBE_WHOLE_MOVED)
                return too_big;
            out->moved[out->nmoved].from = w->s->pc + off;
            out->moved[out->nmoved++].to = address + w->at[off];
        }
    for (u32 i = 0; i < out->nback && !why; i++) {
        u64 off = out->back[i].from - w->s->pc;
        memcpy(out->own[i], w->s->bytes + off, JUMP_BYTES);
        out->back[i].to = address + w->at[off];
    }
    return why;
}

const char *arch_probe_whole(const struct probe_site *s, u64 address, u32 displaced, struct probe_whole *out)
{
    if (s->end - s->pc > BYTES_MOST)
        return too_big;
    struct whole *w = calloc(1, sizeof *w);
    if (!w)
        return "no memory";
    out->nback = out->nmoved = out->bytes = 0;
    w->s = s;
    w->bytes = (u32)(s->end - s->pc);
    w->displaced = displaced;
    const char *why = reach(w, 0, MARK_REACHED);
    if (!why)
        why = find_returns(w, out);
    if (!why)
        why = check(w, out);
    if (!why)
        why = move_all(w, address, out);
    free(w);
    return why;
}
