/* SPDX-License-Identifier: Apache-2.0
 * See inline.h. Under jit_lock. */
#include "arch/x86/inline.h"

#include "arch/x86/bridge.h"
#include "opt/body.h"
#include "opt/carry.h"
#include "opt/live.h"
#include "opt/routine.h"
#include "arch/x86/regs.h"
#include "arch/x86/rest.h"
#include "arch/x86/simple.h"
#include "base/options.h"
#include "linchpin/iarg.h"
#include "vm/clock.h"
#include "os/thread.h"

#define OPCODE_PUSHF 0x9c
#define OPCODE_POPF 0x9d
#define NEAR_FUTURE 12 /* instructions that are looked at for the next use of a register */

/* What the calls of one place need. */
struct plan {
    struct build *b;
    const struct insn *in;
    struct ins *ins;
    struct emit e;
    u16 sources;  /* the guest's registers that arguments are made from */
    u16 fixed;
    u32 renamed;  /* how many others */
    bool wants_far;
    enum gpr far; /* for the addresses of the routine's data */
    bool flags;   /* the guest needs its flags: kept in ax */
    bool condition; /* an argument is made from them */
    bool aliased; /* one of the sources is rax: the register behind those of the pool has its value */
    u32 rests;    /* places where the routines themselves take over */
    u16 ours;
    u16 needed;   /* registers with values for the code behind */
    enum gpr pool[GPR_COUNT];
    u32 npool;
};

/* --- can it be done? ---------------------------------------------------------------------------------------------------- */

static bool is_tool_register(const struct call_arg *a)
{
    unsigned bytes;
    return a->iarg == IARG_REG_VALUE && arch_tool_register(a->reg, &bytes) >= 0 && bytes == 8;
}

static bool can_load(struct plan *p, const struct call_arg *a, bool first)
{
    struct mem_operand m;
    enum gpr r;
    u64 v;
    if (simple_address(p->ins, a, &m)) {
        p->sources |= m.base >= 0 && m.base < GPR_COUNT ? (u16)(1u << m.base) : 0;
        p->sources |= m.index >= 0 ? (u16)(1u << m.index) : 0;
        return true;
    }
    if (simple_register(a, &r)) {
        p->sources |= (u16)(1u << r);
        return true;
    }
    if (a->iarg == IARG_BRANCH_TAKEN) {
        p->condition = true;
        return p->in->cls == INSN_JCC && first;
    }
    return simple_constant(p->ins, a, &v) || a->iarg == IARG_THREAD_ID || is_tool_register(a) || (a->iarg == IARG_BRANCH_TARGET_ADDR && (p->in->cls == INSN_JCC || p->in->cls == INSN_JMP || p->in->cls == INSN_CALL));
}

static bool uses_arg(const struct body *body, u16 i) { return i < ROP_ARGUMENTS && body->entry >> rop_registers.argument[i] & 1; }

static bool has_then(const struct call *c) { return c->kind == CALL_IF && c->next && c->next->kind == CALL_THEN; }

/* The number of the whole tool register that gets the result; -1: none. */
static int result_register(const struct call *c)
{
    unsigned bytes;
    int n = c->return_reg ? arch_tool_register(c->return_reg, &bytes) : -1;
    return n >= 0 && bytes == 8 ? n : -1;
}

static bool needs_result(const struct call *c) { return has_then(c) || c->return_reg; }

/* The routine for the arguments of this call. value: of those that are constant. */
static const struct body *body_for(struct plan *p, const struct call *c, u64 *value)
{
    u32 kinds = 0;
    for (u16 i = 0; i < c->nargs; i++)
        if (simple_constant(p->ins, &c->arg[i], &value[i]))
            kinds |= body_arg_kind(value[i]) << ARG_SHIFT(i);
    return body_fold(body_of(c->fn), kinds, needs_result(c));
}

static bool can_inline(struct plan *p, const struct call *c, bool first)
{
    u64 value[ROP_ARGUMENTS];
    if (body_of(c->fn)->why || (c->return_reg && result_register(c) < 0) || c->expose_mxcsr || c->nargs > ROP_ARGUMENTS || (c->predicated && arch_has_predicate(p->ins)))
        return false;
    for (u16 i = 0; i < c->nargs; i++)
        if (!can_load(p, &c->arg[i], first))
            return false;
    const struct body *body = body_for(p, c, value);
    u32 n = (u32)__builtin_popcount((u16)(body->regs & ~body->fixed));
    p->fixed |= body->fixed;
    p->wants_far |= body->far;
    p->rests += body->ways;
    p->renamed = n > p->renamed ? n : p->renamed;
    return true;
}

/* An instruction behind which a signal can be made to wait, by stepping over it. */
static bool can_step_over(const struct insn *in, const struct ins *ins)
{
    bool known = in->cls == INSN_PLAIN || in->cls == INSN_JCC || in->cls == INSN_JMP || in->cls == INSN_CALL || in->cls == INSN_JMP_IND || in->cls == INSN_CALL_IND || in->cls == INSN_RET;
    u8 op = in->vex ? 0 : in->bytes[in->rex_off == 0xff ? in->prefixes : in->rex_off + 1];
    return known && !in->ends_trace && op != OPCODE_PUSHF && op != OPCODE_POPF && !arch_insn_traps(in) && !arch_insn_repeats(in) && !ins->change && !ins->deleted;
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
    return bridge_cold_room(p->b, thens) && rest_room(p->b, p->rests);
}

/* --- registers ------------------------------------------------------------------------------------------------------------ */

/* How soon the guest touches r. */
static u32 next_use(const struct build *b, u32 i, enum gpr r)
{
    for (u32 k = 0; k < NEAR_FUTURE && i + k < b->ninsns; k++)
        if (effect_touches(&b->insn[i + k].effect) >> r & 1)
            return k;
    return NEAR_FUTURE;
}

/* What it costs to take r: nothing where the guest does not need it, or it is in the context. */
static u32 cost(const struct plan *p, u16 needed, enum gpr r)
{
    if (!(needed >> r & 1) || !(p->b->hold.reg >> r & 1))
        return 0;
    return (p->b->hold.slot >> r & 1 ? 1 : 2) + (NEAR_FUTURE - next_use(p->b, (u32)(p->in - p->b->insn), r)) * 2;
}

static bool cheapest(const struct plan *p, u16 needed, u16 taken, enum gpr *to)
{
    u32 best = ~0u;
    for (enum gpr r = RAX; r < GPR_COUNT; r++)
        if (!(taken >> r & 1) && cost(p, needed, r) < best) {
            best = cost(p, needed, r);
            *to = r;
        }
    return best != ~0u;
}

static bool choose(struct plan *p, struct live l)
{
    u16 taken = (u16)(p->sources | p->fixed | p->b->reserved | 1u << RSP);
    p->flags = l.flags;
    p->aliased = p->flags && p->sources >> RAX & 1;
    if (p->fixed & (p->sources | p->b->reserved | 1u << RSP) || (p->flags && (p->fixed | p->b->reserved) >> RAX & 1))
        return false;
    if (p->flags)
        taken |= 1u << RAX;
    if (p->wants_far && p->b->constant.reg >= 0 && !(taken >> p->b->constant.reg & 1))
        p->far = (enum gpr)p->b->constant.reg;
    else if (p->wants_far && !cheapest(p, l.regs, taken, &p->far))
        return false;
    if (p->wants_far)
        p->ours |= (u16)(1u << p->far);
    for (; p->npool < p->renamed + p->aliased; p->npool++) {
        if (!cheapest(p, l.regs, taken | p->ours, &p->pool[p->npool]))
            return false;
        p->ours |= (u16)(1u << p->pool[p->npool]);
    }
    p->ours |= (u16)(p->fixed | p->flags << RAX);
    return true;
}

/* --- code ----------------------------------------------------------------------------------------------------------------- */

static void load_taken(struct plan *p, enum gpr to)
{
    if (to >= 4)
        emit_u8(&p->e, (u8)(0x40 | to >> 3));
    emit_u8(&p->e, 0x0f);
    emit_u8(&p->e, (u8)(0x90 | p->in->cond)); /* setcc */
    emit_u8(&p->e, (u8)(0xc0 | (to & 7)));
    if (to >= 4)
        emit_u8(&p->e, (u8)(0x40 | to >> 3 | (to >> 3) << 2));
    emit_u8(&p->e, 0x0f); /* movzbl */
    emit_u8(&p->e, 0xb6);
    emit_u8(&p->e, (u8)(0xc0 | (to & 7) << 3 | (to & 7)));
}

static void load_half(struct emit *e, enum gpr to, s32 disp)
{
    emit_u8(e, 0x64); /* mov %fs:disp,%to, 32 bits */
    if (to >= 8)
        emit_u8(e, 0x44);
    emit_u8(e, 0x8b);
    emit_u8(e, (u8)(0x04 | (to & 7) << 3));
    emit_u8(e, 0x25);
    emit_u32(e, (u32)disp);
}

/* Where a source is while flags are in ax. */
static enum gpr source(const struct plan *p, enum gpr r) { return r == RAX && p->aliased ? p->pool[p->renamed] : r; }

static void load_address(struct plan *p, enum gpr to, struct mem_operand *m)
{
    if (m->base >= 0 && m->base < GPR_COUNT)
        m->base = (s8)source(p, (enum gpr)m->base);
    if (m->index >= 0)
        m->index = (s8)source(p, (enum gpr)m->index);
    simple_load_address(&p->e, to, m);
}

static void load_arg(struct plan *p, const struct call_arg *a, enum gpr to)
{
    struct mem_operand m;
    unsigned bytes;
    enum gpr r;
    u64 v;
    if (simple_constant(p->ins, a, &v))
        emit_const(&p->e, to, v);
    else if (simple_address(p->ins, a, &m))
        load_address(p, to, &m);
    else if (simple_register(a, &r))
        emit_move(&p->e, to, source(p, r));
    else if (a->iarg == IARG_THREAD_ID)
        load_half(&p->e, to, ctx_disp(offsetof(struct thread, id)));
    else if (a->iarg == IARG_BRANCH_TAKEN)
        load_taken(p, to);
    else if (a->iarg == IARG_BRANCH_TARGET_ADDR)
        emit_const(&p->e, to, p->in->target);
    else
        emit_load_ctx(&p->e, to, TOOL_REG(arch_tool_register(a->reg, &bytes)));
}

/* test %r,%r, one byte or all; jnz */
static u8 *jump_if(struct emit *e, enum gpr r, bool byte)
{
    emit_u8(e, (u8)((byte ? 0x40 : 0x48) | r >> 3 | (r >> 3) << 2));
    emit_u8(e, byte ? 0x84 : 0x85);
    emit_u8(e, (u8)(0xc0 | (r & 7) << 3 | (r & 7)));
    emit_u8(e, 0x0f);
    emit_u8(e, 0x85);
    emit_u32(e, 0);
    return e->p - 4;
}

static void emit_routine(struct plan *p, const struct call *c)
{
    struct body_use use = {.far = (u8)p->far};
    const struct body *body = body_for(p, c, use.value);
    u8 *name = use.name;
    u32 n = 0;
    for (u32 r = 0; r < ROP_REGISTERS; r++)
        name[r] = (body->regs & ~body->fixed) >> r & 1 ? (u8)p->pool[n++] : (u8)r;
    for (u32 r = 0; r < ROP_REGISTERS; r++)
        if (body->same[r] >= 0)
            name[r] = name[body->same[r]];
    for (u16 i = 0; i < c->nargs; i++)
        if (uses_arg(body, i))
            load_arg(p, &c->arg[i], (enum gpr)name[rop_registers.argument[i]]);
    struct body_way way[BODY_WAYS];
    use.there = p->b->constant.reg == (int)p->far && p->b->constant.value == body->origin && body->based && !options.no_fold;
    p->e.p = body_emit(p->e.p, body, &use, way);
    if (body->far)
        p->b->constant = (struct hold_constant){body->based ? (int)p->far : -1, body->origin};
    u16 kept = (u16)(p->needed | (p->b->constant.reg >= 0 ? 1u << p->b->constant.reg : 0));
    for (u32 i = 0; i < body->ways; i++) {
        struct rest r = {.in = p->in, .way = way[i], .back = p->e.p, .fn = c->fn, .use = use, .body = body, .hold = p->b->hold, .kept = kept, .result = needs_result(c), .next_in = p->b->next_in};
        rest_add(p->b, &r);
    }
    if (c->return_reg)
        emit_store_ctx(&p->e, TOOL_REG(result_register(c)), (enum gpr)name[RAX]);
    if (has_then(c)) {
        u8 *from = jump_if(&p->e, (enum gpr)name[RAX], routine_scan(c->fn)->byte);
        arch_add_cold(p->b, &(struct arch_cold){p->in, p->ins, c->next, from, p->e.p, p->flags, false});
        hold_forget_constant(p->b);
        if (p->aliased) /* the Then part comes back without the copy */
            emit_load_ctx(&p->e, p->pool[p->renamed], HOLD_GPR(RAX));
    }
}

/* Flags into ax, unless they are there, and what is read from rax elsewhere. */
static void save_flags(struct plan *p, bool there)
{
    if (p->aliased && there)
        emit_load_ctx(&p->e, p->pool[p->renamed], HOLD_GPR(RAX));
    else if (p->aliased)
        emit_move(&p->e, p->pool[p->renamed], RAX);
    if (!there)
        emit_flags_to_ax(&p->e);
}

/* All that is decided before anything is written. */
static bool plan_all(struct plan *p, const struct call *list, struct live *l)
{
    enum clock_place was = clock_at(CLOCK_OPTIMISE);
    struct build *b = p->b;
    u32 i = (u32)(p->in - b->insn);
    *l = live_before(b, i);
    bool can = !options.no_inline && can_step_over(p->in, p->ins) && plan_calls(p, list);
    if (can && b->next_in && p->sources >> (b->next_in - 1) & 1)
        carry_keep_from(b, i, p->sources); /* the guest's value is wanted where that of carry.h is */
    can = can && choose(p, *l);
    clock_back(was);
    return can;
}

bool inline_emit(struct build *b, const struct insn *in, struct ins *ins, const struct call *list)
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
    hold_load(b, in->pc, there && p.flags ? p.sources & (u16)~(1u << RAX) : p.sources);
    build_map(b, b->p, MAP_INLINE, in->pc, 0);
    p.e.p = b->p;
    u16 stored = (u16)(p.ours & b->hold.reg & ~b->hold.slot & l.regs);
    hold_emit_stores(&p.e, stored);
    hold_set(b, (struct hold){(u16)(b->hold.reg & ~p.ours), b->hold.slot | stored, false});
    p.needed = (u16)((l.regs & b->hold.reg) | b->reserved | p.flags << RAX | (p.aliased ? 1u << p.pool[p.renamed] : 0));
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
        emit_flags_from_ax(&p.e);
    b->p = p.e.p;
    hold_set(b, (struct hold){b->hold.reg, b->hold.slot, stay});
    return true;
}

u32 inline_wants(struct build *b, u32 i, u16 *not, u64 *constant)
{
    const struct call *list = b->ins[i]->before;
    struct plan p = {.b = b, .in = &b->insn[i], .ins = b->ins[i]};
    u64 value[ROP_ARGUMENTS];
    if (options.no_inline || !can_step_over(p.in, p.ins) || !plan_calls(&p, list))
        return 0;
    const struct body *first = body_for(&p, list, value);
    p.flags = live_before(b, i).flags;
    *not = (u16)(p.sources | p.fixed | p.flags << RAX);
    *constant = first->far && first->based ? first->origin : 0;
    return p.renamed + p.wants_far + (p.flags && p.sources >> RAX & 1);
}
