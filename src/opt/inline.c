/* SPDX-License-Identifier: Apache-2.0
 * See inline.h. Owns no state but what is in the pass. Under jit_lock. */
#include "opt/inline.h"

#include "arch/arch.h"
#include "base/options.h"
#include "linchpin/iarg.h"
#include "opt/body.h"
#include "opt/carry.h"
#include "opt/hold.h"
#include "opt/live.h"
#include "opt/objects.h"
#include "opt/rest.h"
#include "opt/routine.h"
#include "os/thread.h"
#include "vm/clock.h"

#define NEAR_FUTURE 12 /* instructions that are looked at for the next use of a register */

/* What the calls at one place of the trace need. */
struct plan {
    struct pass *b;
    const struct insn *in;
    struct ins *ins;
    struct emit e;
    reg_set sources; /* the guest's registers that arguments are made from */
    reg_set fixed;
    u32 renamed; /* how many registers of the routines are renamed */
    bool wants_far;
    u8 far;         /* register for the addresses of the routine's data */
    bool flags;     /* the guest needs its flags: kept in a register (arch_info.flags_in) */
    bool condition; /* an argument depends on the flags */
    bool aliased;   /* one of the sources is that register: its value is copied to the pool's last register */
    u32 rests;      /* places where the routines themselves take over */
    reg_set ours;
    reg_set needed; /* registers whose values the code after it needs */
    u8 pool[ROP_REGISTERS];
    u32 npool;
};

static reg_set flags_bit(const struct plan *p) { return p->flags ? hold_bit(arch_info.flags_in) : 0; }

/* --- can it be done? ----------------------------------------------------------------------------------------- */

static bool is_tool_register(const struct call_arg *a)
{
    unsigned bytes;
    return a->iarg == IARG_REG_VALUE && arch_tool_register(a->reg, &bytes) >= 0 && bytes == 8;
}

/* Is it known where the branch or call leads to? */
static bool has_target(const struct insn *in)
{
    u8 cls = in->effect.cls;
    return cls == EFFECT_BRANCH || cls == EFFECT_JUMP || cls == EFFECT_CALL;
}

static bool can_load(struct plan *p, const struct call_arg *a, bool first)
{
    struct arch_value v;
    if (arch_value(p->ins, a, &v)) {
        if (v.kind == VALUE_REG)
            p->sources |= hold_bit(v.reg);
        if (v.kind == VALUE_SUM)
            p->sources |= (v.base < 0 ? 0 : hold_bit((u32)v.base)) | (v.index < 0 ? 0 : hold_bit((u32)v.index));
        return true;
    }
    if (a->iarg == IARG_BRANCH_TAKEN) {
        p->condition = true;
        return p->in->effect.cls == EFFECT_BRANCH && first;
    }
    return a->iarg == IARG_THREAD_ID || is_tool_register(a) ||
           (a->iarg == IARG_BRANCH_TARGET_ADDR && has_target(p->in));
}

static bool uses_arg(const struct body *body, u16 i)
{
    return i < ROP_ARGUMENTS && body->entry >> rop_registers.argument[i] & 1;
}

static bool has_then(const struct call *c) { return c->kind == CALL_IF && c->next && c->next->kind == CALL_THEN; }

/* The number of the whole tool register that gets the result; -1: none. */
static int result_register(const struct call *c)
{
    unsigned bytes;
    int n = c->return_reg ? arch_tool_register(c->return_reg, &bytes) : -1;
    return n >= 0 && bytes == 8 ? n : -1;
}

static bool needs_result(const struct call *c) { return has_then(c) || c->return_reg; }

/* The body for the arguments of this call. value: gets those that are constant. */
static const struct body *body_for(struct plan *p, const struct call *c, u64 *value)
{
    u32 kinds = 0;
    struct arch_value v;
    for (u16 i = 0; i < c->nargs; i++)
        if (arch_value(p->ins, &c->arg[i], &v) && v.kind == VALUE_CONST && !v.word) {
            value[i] = v.v;
            kinds |= body_arg_kind(v.v) << ARG_SHIFT(i);
        }
    return body_fold(body_of(c->fn), kinds, needs_result(c));
}

static bool can_inline(struct plan *p, const struct call *c, bool first)
{
    u64 value[ROP_ARGUMENTS];
    if (body_of(c->fn)->why || (c->return_reg && result_register(c) < 0) || c->expose_mxcsr ||
        c->nargs > ROP_ARGUMENTS || (c->predicated && arch_has_predicate(p->ins)))
        return false;
    for (u16 i = 0; i < c->nargs; i++)
        if (!can_load(p, &c->arg[i], first))
            return false;
    const struct body *body = body_for(p, c, value);
    u32 n = (u32)__builtin_popcount((reg_set)(body->regs & ~body->fixed));
    p->fixed |= body->fixed;
    p->wants_far |= body->far;
    p->rests += body->ways;
    p->renamed = n > p->renamed ? n : p->renamed;
    return true;
}

/* An instruction after which a signal can be made to wait, by stepping over it. */
static bool can_step_over(const struct insn *in, const struct ins *ins)
{
    return arch_insn_is(in, NATURE_STEPS) && !arch_insn_is(in, NATURE_TRAPS) && !insn_repeats(in) && !ins->change &&
           !ins->deleted;
}

static bool plan_calls(struct plan *p, const struct call *list)
{
    u32 thens = 0;
    for (const struct call *c = list; c; c = c->next) {
        if ((c->kind != CALL_PLAIN && c->kind != CALL_IF) || !can_inline(p, c, c == list))
            return false;
        if (c->kind == CALL_IF && c->next && c->next->kind == CALL_THEN) {
            c = c->next;
            thens++;
            if (c->predicated && arch_has_predicate(p->ins))
                return false;
        }
    }
    return arch_cold_room(p->b, thens) && rest_room(p->b, p->rests);
}

/* --- registers ----------------------------------------------------------------------------------------- */

/* How soon the guest touches r. */
static u32 next_use(const struct pass *b, u32 i, u8 r)
{
    for (u32 k = 0; k < NEAR_FUTURE && i + k < b->ninsns; k++)
        if (effect_touches(&b->insn[i + k].effect) >> r & 1)
            return k;
    return NEAR_FUTURE;
}

/* What it costs to use r: nothing where the guest does not need its value, or the value is in the context. */
static u32 cost(const struct plan *p, reg_set needed, u8 r)
{
    if (!(needed >> r & 1) || !(p->b->hold.reg >> r & 1))
        return 0;
    return (p->b->hold.slot >> r & 1 ? 1 : 2) + (NEAR_FUTURE - next_use(p->b, (u32)(p->in - p->b->insn), r)) * 2;
}

static bool cheapest(const struct plan *p, reg_set needed, reg_set taken, u8 *to)
{
    u32 best = ~0u;
    for (u8 r = 0; r < arch_info.registers; r++)
        if (!(taken >> r & 1) && cost(p, needed, r) < best) {
            best = cost(p, needed, r);
            *to = r;
        }
    return best != ~0u;
}

static bool choose(struct plan *p, struct live l)
{
    reg_set sp = hold_bit(arch_info.sp), reserved = p->b->reserved;
    p->flags = l.flags;
    reg_set taken = p->sources | p->fixed | reserved | sp | flags_bit(p);
    p->aliased = p->sources & flags_bit(p);
    if (p->fixed & (p->sources | reserved | sp) || flags_bit(p) & (p->fixed | reserved))
        return false;
    if (p->wants_far && p->b->constant.reg >= 0 && !(taken >> p->b->constant.reg & 1))
        p->far = (u8)p->b->constant.reg;
    else if (p->wants_far && !cheapest(p, l.regs, taken, &p->far))
        return false;
    if (p->wants_far)
        p->ours |= hold_bit(p->far);
    for (; p->npool < p->renamed + p->aliased; p->npool++) {
        if (!cheapest(p, l.regs, taken | p->ours, &p->pool[p->npool]))
            return false;
        p->ours |= hold_bit(p->pool[p->npool]);
    }
    p->ours |= p->fixed | flags_bit(p);
    return true;
}

/* --- code ----------------------------------------------------------------------------------------- */

/* Code that sets a register to 1 if the branch will be taken, else to 0. */
static void load_taken(struct plan *p, u8 to)
{
    struct rop set = {.kind = ROP_SET, .width = 1, .condition = p->in->cond, .to = ROP_REGISTER, .to_reg = to};
    struct rop extend = {.kind = ROP_ZERO_EXTEND, .width = 4, .from_width = 1, .to = ROP_REGISTER, .to_reg = to};
    extend.from = ROP_REGISTER;
    extend.from_reg = to;
    p->e.p = arch_emit_rop(arch_emit_rop(p->e.p, &set), &extend);
}

/* The register that has the guest's value of r, while the flags may be in r. */
static u8 source(const struct plan *p, u8 r) { return r == arch_info.flags_in && p->aliased ? p->pool[p->renamed] : r; }

static void load_sum(struct plan *p, u8 to, struct arch_value *v)
{
    if (v->base >= 0)
        v->base = (s8)source(p, (u8)v->base);
    if (v->index >= 0)
        v->index = (s8)source(p, (u8)v->index);
    arch_address(&p->e, to, v);
}

static void load_value(struct plan *p, u8 to, struct arch_value *v)
{
    switch ((enum arch_value_kind)v->kind) {
    case VALUE_CONST: arch_const(&p->e, to, v->v); break;
    case VALUE_REG: arch_move(&p->e, to, source(p, v->reg)); break;
    case VALUE_SUM: load_sum(p, to, v); break;
    }
}

static size_t tool_register(u32 n) { return offsetof(struct thread, opt.tool_reg) + n * 8; }

static void load_arg(struct plan *p, const struct call_arg *a, u8 to)
{
    struct arch_value v;
    unsigned bytes;
    if (arch_value(p->ins, a, &v))
        load_value(p, to, &v);
    else if (a->iarg == IARG_THREAD_ID)
        arch_load_ctx(&p->e, to, offsetof(struct thread, id), 4);
    else if (a->iarg == IARG_BRANCH_TAKEN)
        load_taken(p, to);
    else if (a->iarg == IARG_BRANCH_TARGET_ADDR)
        arch_const(&p->e, to, p->in->target);
    else
        arch_load_ctx(&p->e, to, tool_register((u32)arch_tool_register(a->reg, &bytes)), 8);
}

/* Copies the guest's value of the register that the flags go to. */
static void load_alias(struct plan *p)
{
    arch_load_ctx(&p->e, p->pool[p->renamed], arch_info.home + arch_info.flags_in * 8u, 8);
}

/* Chooses the registers that those of the body become. */
static void name_registers(const struct plan *p, const struct body *body, u8 *name)
{
    u32 n = 0;
    for (u32 r = 0; r < ROP_REGISTERS; r++)
        name[r] = (body->regs & ~body->fixed) >> r & 1 ? p->pool[n++] : (u8)r;
    for (u32 r = 0; r < ROP_REGISTERS; r++)
        if (body->same[r] >= 0)
            name[r] = name[body->same[r]];
}

static void add_rests(struct plan *p, const struct call *c, const struct body *body, const struct body_use *use,
                      const struct body_way *way)
{
    struct pass *b = p->b;
    reg_set kept = p->needed | (b->constant.reg >= 0 ? hold_bit((u32)b->constant.reg) : 0);
    for (u32 i = 0; i < body->ways; i++)
        rest_add(b,
                 &(struct rest){p->in, way[i], p->e.p, c->fn, *use, body, b->hold, kept, needs_result(c), b->next_in});
}

/* Uses the routine's result: stores it to a tool register, or lets the Then part run if it is not 0. */
static void use_result(struct plan *p, const struct call *c, u8 result)
{
    if (c->return_reg)
        arch_store_ctx(&p->e, tool_register((u32)result_register(c)), result);
    if (!has_then(c))
        return;
    u8 *from = arch_branch(&p->e, BRANCH_NONZERO, result, routine_scan(c->fn)->result);
    arch_add_cold(p->b, &(struct arch_cold){p->in, p->ins, c->next, from, p->e.p, p->flags, false});
    hold_forget_constant(p->b);
    if (p->aliased) /* after the Then part the copy is not there any more */
        load_alias(p);
}

static void emit_routine(struct plan *p, const struct call *c)
{
    struct pass *b = p->b;
    struct body_use use = {.far = p->far};
    struct body_way way[BODY_WAYS];
    const struct body *body = body_for(p, c, use.value);
    bool has_origin = b->constant.reg == (int)p->far && b->constant.value == body->origin;
    name_registers(p, body, use.name);
    for (u16 i = 0; i < c->nargs; i++)
        if (uses_arg(body, i))
            load_arg(p, &c->arg[i], use.name[rop_registers.argument[i]]);
    use.there = has_origin && body->based && !options.no_fold;
    p->e.p = body_emit(p->e.p, body, &use, way);
    if (body->far)
        b->constant = (struct hold_constant){body->based ? (int)p->far : -1, body->origin};
    add_rests(p, c, body, &use, way);
    use_result(p, c, use.name[rop_registers.result]);
}

/* Puts the flags into their register, unless they are there, and copies the value that arguments need of that
 * register. */
static void save_flags(struct plan *p, bool there)
{
    if (p->aliased && there)
        load_alias(p);
    else if (p->aliased)
        arch_move(&p->e, p->pool[p->renamed], arch_info.flags_in);
    if (!there)
        arch_flags(&p->e, FLAGS_SAVE);
}

/* Everything that is decided before anything is written. */
static bool plan_all(struct plan *p, const struct call *list, struct live *l)
{
    enum clock_place was = clock_at(CLOCK_OPTIMISE);
    struct pass *b = p->b;
    u32 i = (u32)(p->in - b->insn);
    *l = live_before(b, i);
    bool can = !options.no_inline && can_step_over(p->in, p->ins) && plan_calls(p, list);
    if (can && b->next_in && p->sources >> (b->next_in - 1) & 1)
        /* The guest's value of the register that carries the next record's place is needed. */
        carry_keep_from(b, i, p->sources);
    can = can && choose(p, *l);
    clock_back(was);
    return can;
}

bool inline_emit(struct pass *b, const struct insn *in, struct ins *ins, const struct call *list)
{
    struct plan p = {.b = b, .in = in, .ins = ins};
    struct live l;
    if (!plan_all(&p, list, &l))
        return false;
    if (!p.flags || p.condition)
        hold_flags_back(b, in->pc, (u32)(in - b->insn));
    bool there = b->hold.flags;
    if (b->constant.reg >= 0 && (!p.wants_far || (int)p.far != b->constant.reg) && p.ours >> b->constant.reg & 1)
        hold_forget_constant(b);
    hold_load(b, in->pc, there ? p.sources & (reg_set)~flags_bit(&p) : p.sources);
    pass_map(b, b->p, MAP_INLINE, in->pc, 0);
    p.e.p = b->p;
    reg_set stored = p.ours & b->hold.reg & (reg_set)~b->hold.slot & l.regs;
    hold_emit_stores(&p.e, stored);
    hold_set(b, (struct hold){b->hold.reg & (reg_set)~p.ours, b->hold.slot | stored, false});
    p.needed = (l.regs & b->hold.reg) | b->reserved | flags_bit(&p) | (p.aliased ? hold_bit(p.pool[p.renamed]) : 0);
    if (p.flags)
        save_flags(&p, there);
    for (const struct call *c = list; c; c = c->next) {
        routine_log(c->fn, body_of(c->fn)->ways ? "inlined as far as it makes no calls" : "inlined", NULL);
        emit_routine(&p, c);
        if (c->kind == CALL_IF && c->next && c->next->kind == CALL_THEN)
            c = c->next;
    }
    bool stay = p.flags && !options.no_lazy && !carry_id && !ins->after && !ins->taken;
    if (p.flags && !stay)
        arch_flags(&p.e, FLAGS_RESTORE);
    b->p = p.e.p;
    hold_set(b, (struct hold){b->hold.reg, b->hold.slot, stay});
    return true;
}

u32 inline_wants(struct pass *b, u32 i, reg_set * not, u64 *constant)
{
    const struct call *list = b->ins[i]->before;
    struct plan p = {.b = b, .in = &b->insn[i], .ins = b->ins[i]};
    u64 value[ROP_ARGUMENTS];
    if (options.no_inline || !can_step_over(p.in, p.ins) || !plan_calls(&p, list))
        return 0;
    const struct body *first = body_for(&p, list, value);
    p.flags = live_before(b, i).flags;
    *not = p.sources | p.fixed | flags_bit(&p);
    *constant = first->far && first->based ? first->origin : 0;
    return p.renamed + p.wants_far + (p.sources & flags_bit(&p) ? 1 : 0);
}
