/* SPDX-License-Identifier: Apache-2.0
 * The bridge from translated code to analysis routines (A5): code for the calls that a tool inserted at one place.
 * Arguments are in bridge_args.c. Under jit_lock; owns no state but what is in the pass.
 *
 *   saves scratch registers in the context, switches to the host stack, saves flags (and all vector and x87 state,
 *   unless the bridge is light: routine.h)
 *   for each call: arguments, call, result
 *   looks: has a signal come meanwhile? then leaves for the VM, which completes the guest instruction and delivers it
 *   restores all
 *
 * The state map calls this range MAP_CALLS: signals that arrive in it wait. */
#include "arch/x86/bridge.h"

#include "opt/objects.h"
#include "opt/carry.h"
#include "opt/fill.h"
#include "opt/inline.h"
#include "arch/x86/regs.h"
#include "opt/rest.h"
#include "opt/routine.h"
#include "base/options.h"
#include "linchpin/iarg.h"
#include "os/thread.h"

#define SCRATCH ((u16)rop_registers.call_loses)
/* The way out for a signal, outside of the trace: the restore code once more, and a jump. */
#define LEAVE_BYTES 512 /* at most */
#define LEAVE_JUMP 8    /* a jump that can be patched */
#define OPCODE_POPF 0x9d
#define XSAVE_XMM 160 /* in the legacy area */

/* Can the bridge be light? *clobbers: what the routines and the loading of arguments overwrite. */
static bool calls_light(struct bridge *g, const struct call *list, u16 *clobbers)
{
    u32 thens = 0;
    *clobbers = 1u << RAX;
    for (const struct call *c = list; c; c = c->next) {
        if (c->kind == CALL_VERSION)
            return false;
        if (!needs_little(c)) {
            if (c->kind != CALL_THEN || !arch_cold_room(g->b, ++thens))
                return false;
            continue;
        }
        const struct routine *r = routine_scan(c->fn);
        *clobbers |= (r->clobbers & SCRATCH) | bridge_args_clobber(c);
        g->vectors |= r->vectors;
    }
    return true;
}

static void emit_regs(struct bridge *g, bool store)
{
    for (enum gpr r = RAX; r < GPR_COUNT; r++)
        if (g->saved >> r & 1 && r != RSP) {
            if (store)
                emit_store_ctx(&g->e, BRIDGE_GPR(r), r);
            else
                emit_load_ctx(&g->e, r, BRIDGE_GPR(r));
        }
}

static void emit_call_thunk(struct emit *e, const u8 *to)
{
    emit_u8(e, 0xe8);
    emit_u32(e, (u32)(to - (e->p + 4)));
}

/* movups %xmmN,%fs:place, or back */
void bridge_emit_vectors(struct emit *e, u16 vectors, bool store)
{
    for (u8 x = 0; x < 16; x++)
        if (vectors >> x & 1) {
            emit_u8(e, 0x64);
            if (x >= 8)
                emit_u8(e, 0x44);
            EMIT(e, 0x0f, store ? 0x11 : 0x10, (u8)(0x04 | (x & 7) << 3), 0x25);
            emit_u32(e, (u32)(CTX(bridge.xsave) + XSAVE_XMM + x * 16));
        }
}

static void save_all(struct bridge *g)
{
    emit_regs(g, true);
    emit_store_ctx(&g->e, BRIDGE_GPR(RSP), RSP);
    bridge_early_values(g);
    emit_load_ctx(&g->e, RSP, CTX(host_sp));
    emit_call_thunk(&g->e, g->b->region->bridge_save);
    g->intact = (u16)~(g->saved | 1u << RSP);
}

static void restore_all(struct bridge *g)
{
    emit_call_thunk(&g->e, g->b->region->bridge_restore);
    emit_load_ctx(&g->e, RSP, BRIDGE_GPR(RSP));
    emit_regs(g, false);
}

/* Saves the flags and vectors that a light bridge saves. */
static void save_light(struct bridge *g)
{
    if (g->flags) {
        emit_flags_to_ax(&g->e);
        emit_store_ctx(&g->e, CTX(bridge.flags), RAX);
        g->intact &= (u16)~(1u << RAX);
    }
    bridge_emit_vectors(&g->e, g->vectors, true);
}

static void restore_light(struct bridge *g)
{
    bridge_emit_vectors(&g->e, g->vectors, false);
    if (g->flags) {
        emit_load_ctx(&g->e, RAX, CTX(bridge.flags));
        emit_flags_from_ax(&g->e);
    }
}

/* For a Then part in cold code that is light: as save_all, but of flags and vectors only what it changes. */
static void save_some(struct bridge *g, const struct call *then)
{
    emit_regs(g, true);
    emit_store_ctx(&g->e, BRIDGE_GPR(RSP), RSP);
    bridge_early_values(g);
    emit_load_ctx(&g->e, RSP, CTX(host_sp));
    g->intact = (u16)~(g->saved | 1u << RSP);
    g->flags = true;
    g->vectors = routine_scan(then->fn)->vectors;
    save_light(g);
}

static void restore_some(struct bridge *g)
{
    restore_light(g);
    emit_load_ctx(&g->e, RSP, BRIDGE_GPR(RSP));
    emit_regs(g, false);
}

/* A light bridge begins: registers that the routines overwrite and the guest needs go to the context, unless they are
 * there. */
static void enter_light(struct bridge *g, u16 clobbers, u16 needed)
{
    u16 all = clobbers | 1u << RSP;
    if (g->in->cls == INSN_LOOP && g->condition) {
        hold_emit_loads(&g->e, (u16)(g->b->hold.slot & ~g->b->hold.reg));
        g->b->hold.reg |= g->b->hold.slot;
        all |= 1u << RCX;
    }
    u16 store = (u16)(all & g->b->hold.reg & ~g->b->hold.slot & (needed | 1u << RSP));
    bool switched = !(g->b->hold.reg >> RSP & 1);
    hold_emit_stores(&g->e, store);
    g->saved = all;
    g->intact = (u16)(g->b->hold.reg & ~(1u << RSP));
    g->hold = (struct hold){(u16)(g->b->hold.reg & ~all), g->b->hold.slot | store, false};
    bridge_early_values(g);
    if (!switched)
        emit_load_ctx(&g->e, RSP, CTX(host_sp));
    save_light(g);
}

/* leave_light: puts all registers in place, from the state while the routines run. The other function does the
 * reverse. */
static void leave_light(struct bridge *g)
{
    restore_light(g);
    hold_emit_loads(&g->e, (u16)(g->hold.slot & ~g->hold.reg));
}

static void enter_light_again(struct bridge *g)
{
    hold_emit_stores(&g->e, g->hold.slot);
    if (!(g->hold.reg >> RSP & 1))
        emit_load_ctx(&g->e, RSP, CTX(host_sp));
    save_light(g);
}

/* call *literal(%rip), or where the routine is near, call */
void bridge_emit_call(struct pass *b, struct emit *e, const void *fn)
{
    if (in_reach(e->p + 5, (u64)fn)) {
        emit_call_thunk(e, fn);
        return;
    }
    b->data = (u8 *)((u64)(b->data - 8) & ~7ul);
    memcpy(b->data, &fn, 8);
    EMIT(e, 0xff, 0x15);
    emit_u32(e, (u32)(b->data - (e->p + 4)));
}

static void call_routine(struct bridge *g, const struct call *c)
{
    bridge_temp_make(g, c);
    bridge_load_args(g, c);
    if (c->expose_mxcsr)
        bridge_expose_mxcsr(g, true);
    bridge_emit_call(g->b, &g->e, c->fn);
    if (g->light)
        g->intact &= g->hold.reg;
    if (c->expose_mxcsr)
        bridge_expose_mxcsr(g, false);
    bridge_drop_args(g, c);
    bridge_temp_drop(g, c);
    if (c->return_reg)
        bridge_store_result(g, c);
}

/* jz over what is emitted until emit_land. */
static u8 *jump_if_zero(struct bridge *g)
{
    EMIT(&g->e, 0x0f, 0x84);
    emit_u32(&g->e, 0);
    return g->e.p - 4;
}

/* jnz to the Then part, which comes back to the code after this jump. */
static void emit_cold_jump(struct bridge *g, const struct call *then)
{
    EMIT(&g->e, 0x0f, 0x85);
    emit_u32(&g->e, 0);
    g->b->arch.cold[g->b->arch.ncold++] = (struct cold){*g, then, g->e.p - 4, g->e.p, false, 0, false, false};
}

void arch_add_cold(struct pass *b, const struct arch_cold *c)
{
    ASSERT(b->arch.ncold < ARRAY_LEN(b->arch.cold));
    b->arch.cold[b->arch.ncold++] = (struct cold){{.b = b,
                                                   .in = c->in,
                                                   .ins = c->ins,
                                                   .pc = c->in->pc,
                                                   .place = BRIDGE_BEFORE,
                                                   .hold = b->hold,
                                                   .condition = needs_condition(c->then)},
                                                  c->then,
                                                  c->from,
                                                  c->back,
                                                  c->flags,
                                                  b->next_in,
                                                  true,
                                                  c->again};
}

/* cmpb $0,pending; je over; call bridge_step */
void bridge_emit_look(struct emit *e, const struct pass *b)
{
    EMIT(e, 0x64, 0x80, 0x3c, 0x25);
    emit_u32(e, (u32)ctx_disp(offsetof(struct thread, os.pending)));
    EMIT(e, 0, 0x74, 5, 0xe8);
    emit_u32(e, (u32)(b->region->bridge_step - (e->p + 4)));
}

/* A look in the cold Then part, because there is none where it goes back to. Flags are in ax, if they are needed. */
static void look_behind_then(struct pass *b, struct cold *k)
{
    struct emit *e = &k->g.e;
    bool switches = k->g.hold.reg >> RSP & 1;
    pass_map(b, e->p, MAP_COMMIT, k->g.in->pc, 0);
    if (switches) {
        emit_store_ctx(e, HOLD_GPR(RSP), RSP);
        emit_load_ctx(e, RSP, CTX(host_sp));
    }
    bridge_emit_look(e, b);
    if (switches)
        emit_load_ctx(e, RSP, HOLD_GPR(RSP));
    if (k->flags && k->again)
        emit_flags_from_ax(e);
}

/* Writes a cold Then part: leaves the state of the light If part, saves for the call what that needs, and then makes
 * the light bridge's state again. */
static void write_cold(struct pass *b, struct cold *k)
{
    struct bridge *g = &k->g, all = *g;
    bool little = needs_little(k->then);
    u8 *skip = NULL;
    g->e.p = b->p;
    emit_land(k->from, g->e.p);
    pass_map(b, b->p, MAP_CALLS, g->in->pc, 1);
    if (k->flags)
        emit_flags_from_ax(&g->e);
    if (k->next_in)
        emit_store_ctx(&g->e, ctx_disp(carry_next(carry_id)), (enum gpr)(k->next_in - 1));
    leave_light(g);
    all.light = false;
    all.saved = SCRATCH | needs_exposed(k->then);
    all.e = g->e;
    if (little)
        save_some(&all, k->then);
    else
        save_all(&all);
    if (k->then->predicated && bridge_test_predicate(&all))
        skip = jump_if_zero(&all);
    call_routine(&all, k->then);
    emit_land(skip, all.e.p);
    if (little)
        restore_some(&all);
    else
        restore_all(&all);
    g->e = all.e;
    enter_light_again(g);
    if (k->next_in)
        emit_load_ctx(&g->e, (enum gpr)(k->next_in - 1), ctx_disp(carry_next(carry_id)));
    if (k->flags)
        emit_flags_to_ax(&g->e);
    if (k->looks)
        look_behind_then(b, k);
    emit_jmp(&g->e, k->back);
    b->p = g->e.p;
}

void arch_lower_end(struct pass *b)
{
    hold_write_branches(b);
    fill_write_full(b);
    for (u32 i = 0; i < b->arch.ncold; i++)
        write_cold(b, &b->arch.cold[i]);
    b->arch.ncold = 0;
    rest_write_all(b);
}

static u32 emit_pending_check(struct bridge *g);

/* If the register has the value: restores all, and leaves for the same instruction in the other version. */
static void emit_version_case(struct bridge *g, const struct call *c)
{
    struct pass *b = g->b;
    u16 version = (u16)c->arg[2].value;
    bridge_load_reg(g, c, RAX, c->arg[0].reg);
    EMIT(&g->e, 0x48, 0x3d); /* cmp $imm32,%rax */
    emit_u32(&g->e, (u32)c->arg[1].value);
    EMIT(&g->e, 0x0f, 0x85);
    emit_u32(&g->e, 0);
    u8 *over = g->e.p - 4;
    b->exit[emit_pending_check(g)].version = version;
    restore_all(g);
    pass_map(b, g->e.p, MAP_TARGET, g->in->pc, (u16)b->nexits);
    struct hold was = b->hold;
    b->p = g->e.p;
    hold_set(b, (struct hold){HOLD_ALL, 0, false});
    carry_take(b, HOLD_ALL);
    g->e.p = b->p;
    emit_align_patch(&g->e, 1);
    emit_u8(&g->e, 0xe9);
    b->exit[pass_add_exit(b, g->in->pc, g->e.p, EXIT_KIND_BRANCH)].version = version;
    emit_u32(&g->e, 0);
    emit_land(over, g->e.p);
    carry_forget(b);
    hold_set(b, was);
    pass_map(b, g->e.p, MAP_CALLS, g->in->pc, 1);
}

static void emit_calls(struct bridge *g, const struct call *list)
{
    for (const struct call *c = list; c; c = c->next) {
        u8 *skip = NULL, *skip_then = NULL;
        if (c->kind == CALL_VERSION) {
            emit_version_case(g, c);
            continue;
        }
        if (c->predicated && bridge_test_predicate(g))
            skip = jump_if_zero(g);
        call_routine(g, c);
        if (c->kind == CALL_IF && c->next && c->next->kind == CALL_THEN) {
            u8 result = routine_scan(c->fn)->result;
            if (result == 8)
                emit_u8(&g->e, 0x48);
            EMIT(&g->e, result == 1 ? 0x84 : 0x85, 0xc0); /* test %rax,%rax; test %eax,%eax; test %al,%al */
            if (g->light && !needs_little(c->next)) {
                c = c->next;
                emit_cold_jump(g, c);
                emit_land(skip, g->e.p);
                continue;
            }
            skip_then = jump_if_zero(g);
            bool only_then = c->next->predicated && !c->predicated;
            c = c->next;
            if (only_then && bridge_test_predicate(g))
                skip = jump_if_zero(g);
            call_routine(g, c);
        }
        emit_land(skip_then, g->e.p);
        emit_land(skip, g->e.p);
    }
}

static void emit_leave(struct bridge *g)
{
    if (g->light)
        leave_light(g);
    else
        restore_all(g);
}

/* cmpb $0,pending; jne to a copy of the restore code that leaves for the VM. Returns the exit. */
static u32 emit_pending_check(struct bridge *g)
{
    struct pass *b = g->b;
    pass_map(b, g->e.p, MAP_CALLS_DONE, g->in->pc, 0);
    EMIT(&g->e, 0x64, 0x80, 0x3c, 0x25);
    emit_u32(&g->e, (u32)ctx_disp(offsetof(struct thread, os.pending)));
    EMIT(&g->e, 0, 0x0f, 0x85);
    struct bridge probe = *g; /* a trial, to find out how long it will be */
    probe.e.p = b->data - LEAVE_BYTES;
    emit_leave(&probe);
    u8 *end = b->data;
    b->data -= (size_t)(probe.e.p - (b->data - LEAVE_BYTES)) + LEAVE_JUMP;
    emit_u32(&g->e, (u32)(b->data - (g->e.p + 4)));
    u8 *here = g->e.p;
    g->e.p = b->data;
    emit_leave(g);
    emit_align_patch(&g->e, 1);
    emit_u8(&g->e, 0xe9);
    u32 leave = pass_add_exit(b, g->pc, g->e.p, EXIT_KIND_STEP);
    emit_u32(&g->e, 0);
    ASSERT(g->e.p <= end);
    g->e.p = here;
    return leave;
}

/* May registers stay in the context over the instruction? Not if a waiting signal cannot be delivered after it: then
 * the guest goes on here with all registers in place (complete_instruction). */
static bool stays_held(const struct insn *in, const struct ins *ins)
{
    return !options.no_lazy && !ins->change && !ins->deleted && !insn_repeats(in) && !arch_insn_is(in, NATURE_TRAPS) &&
           !(in->opcode == OPCODE_POPF && in->len <= 2) && hold_keeps(in);
}

static void emit_all(struct bridge *g, const struct call *list)
{
    hold_emit_loads(&g->e, g->b->held);
    g->saved = SCRATCH;
    for (const struct call *c = list; c; c = c->next)
        g->saved |= needs_exposed(c);
    save_all(g);
    emit_calls(g, list);
}

static void emit_light(struct bridge *g, const struct call *list, u16 clobbers)
{
    struct live l = needs_live(g->b, g->in, list, g->place, g->pc);
    g->flags = l.flags;
    for (const struct call *c = list; c; c = c->next)
        if (needs_little(c))
            clobbers |= needs_exposed(c);
    enter_light(g, clobbers, l.regs);
    emit_calls(g, list);
}

bool arch_cold_room(const struct pass *b, u32 n) { return b->arch.ncold + n <= ARRAY_LEN(b->arch.cold); }

/* From the first instruction on signals wait, so what has begun will be done. */
static void lower_alone(struct pass *b, const struct insn *in, struct ins *ins, const struct call *list, gpc_t next)
{
    struct emit e = {b->p};
    carry_begin(b);
    pass_map(b, b->p, MAP_CALLS, in->pc, 1);
    emit_store_ctx_imm(&e, CTX(after_waits), 0);
    b->p = e.p;
    arch_lower_calls(b, in, ins, list, BRIDGE_AFTER, next);
    hold_sync(b, next, b->ninsns);
    pass_map(b, b->p, MAP_GUEST, next, 0);
    lower_exit_jmp(b, next, EXIT_KIND_STEP);
}

void arch_lower_calls(struct pass *b, const struct insn *in, struct ins *ins, const struct call *list,
                      enum bridge_place place, gpc_t pc)
{
    struct bridge g = {.b = b, .e = {b->p}, .in = in, .ins = ins, .pc = pc, .place = place};
    u16 clobbers;
    if (place == BRIDGE_ALONE) {
        lower_alone(b, in, ins, list, pc);
        return;
    }
    if (place == BRIDGE_BEFORE && inline_emit(b, in, ins, list))
        return;
    hold_flags_back(b, in->pc, (u32)(in - b->insn)); /* flags are never there after an instruction (hold_before) */
    hold_forget_constant(b);
    g.e.p = b->p;
    g.light = calls_light(&g, list, &clobbers);
    for (const struct call *c = list; c; c = c->next) {
        g.condition |= needs_condition(c);
        if (c->kind == CALL_VERSION) /* there is no routine */
            continue;
        needs_log(c, g.light && needs_little(c), place);
    }
    pass_map(b, b->p, MAP_CALLS, in->pc, place != BRIDGE_BEFORE);
    carry_drop(b);
    g.e.p = b->p;
    if (g.light)
        emit_light(&g, list, clobbers);
    else
        emit_all(&g, list);
    u32 leave = emit_pending_check(&g);
    if (!g.light) {
        restore_all(&g);
        hold_set(b, (struct hold){HOLD_ALL, 0, false});
    } else if (!stays_held(in, ins)) {
        leave_light(&g);
        hold_set(b, (struct hold){HOLD_ALL, 0, false});
    } else {
        restore_light(&g);
        hold_set(b, g.hold);
    }
    b->p = g.e.p;
    if (place != BRIDGE_AFTER)
        b->exit[leave].resume = b->p;
}
