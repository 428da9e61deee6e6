/* SPDX-License-Identifier: Apache-2.0
 * Arguments that need memory of their own during a call: copies of contexts, and registers that the bridge state does
 * not hold in one piece. They are made on the host stack before the call (a frame) and, where the routine may have
 * changed them for the guest, written back after it. Also arguments of functions by reference. Under jit_lock.
 *
 * The frame: 16 bytes for the routine's result, then each argument's bytes. Stack arguments of the call lie below
 * it. */
#include "arch/x86/bridge.h"

#include "opt/objects.h"
#include "opt/regset.h"
#include "opt/rop.h"
#include "arch/x86/context.h"
#include "arch/x86/regs.h"
#include "linchpin/iarg.h"
#include "os/thread.h"

#define RESULT_BYTES 16
#define REG_BYTES_MAX 1024 /* a tile */

/* --- which they are ----------------------------------------------------------------------------------------------- */

static bool is_reference(u16 iarg) { return iarg == IARG_REG_REFERENCE || iarg == IARG_REG_CONST_REFERENCE; }

/* Is it in the bridge state as it is, or a constant? */
static bool is_direct(u16 reg)
{
    unsigned at, bytes;
    return regs_gpr_number(reg, &at, &bytes) >= 0 || arch_tool_register(reg, &bytes) >= 0 || regs_is_flags(reg);
}

static const struct made *made(const struct call_arg *a) { return (const struct made *)a->value; }

static u32 temp_bytes(const struct call_arg *a)
{
    if (a->iarg == IARG_MADE)
        return made(a)->bytes;
    if (a->iarg == IARG_CONTEXT || a->iarg == IARG_PARTIAL_CONTEXT)
        return context_bytes();
    if (is_reference(a->iarg) && !is_direct(a->reg))
        return (context_reg_bytes(a->reg) + 63u) & ~63u;
    if (a->iarg == IARG_REG_VALUE && !is_direct(a->reg) && !regs_is_pc(a->reg))
        return 16;
    return 0;
}

static u32 frame_bytes(const struct call *c)
{
    u32 n = 0;
    for (u16 i = 0; i < c->nargs; i++)
        n += temp_bytes(&c->arg[i]);
    return n ? n + RESULT_BYTES : 0;
}

static u32 temp_offset(const struct call *c, u16 index)
{
    u32 n = RESULT_BYTES;
    for (u16 i = 0; i < index; i++)
        n += temp_bytes(&c->arg[i]);
    return n;
}

bool bridge_temp_known(u16 iarg)
{
    switch (iarg) {
    case IARG_PARTIAL_CONTEXT: case IARG_FUNCARG_ENTRYPOINT_REFERENCE: case IARG_FUNCARG_CALLSITE_REFERENCE:
    case IARG_FUNCRET_EXITPOINT_REFERENCE:
        return true;
    }
    return false;
}

bool bridge_temp_need_all(const struct call_arg *a) { return temp_bytes(a) != 0; }

u16 bridge_temp_expose(const struct call_arg *a)
{
    if (a->iarg == IARG_MADE)
        return 0xffff;
    switch (a->iarg) {
    case IARG_PARTIAL_CONTEXT: return 0xffff;
    case IARG_FUNCARG_ENTRYPOINT_REFERENCE:
    case IARG_FUNCARG_CALLSITE_REFERENCE: return a->index < 6 ? (u16)(1u << rop_registers.argument[a->index]) : 0;
    case IARG_FUNCRET_EXITPOINT_REFERENCE: return 1u << RAX;
    }
    return 0;
}

/* --- what the emitted code calls ---------------------------------------------------------------------------------- */

static void make_context(void *frame, u64 unused) { (void)unused, context_copy(frame, &vm_tc.cpu.bridge); }

static void get_reg(void *frame, u64 reg) { context_read(&vm_tc.cpu.bridge, (u32)reg, frame); }

/* Writes a register back only if the routine has changed it, because writing may have other effects: MMX registers are
 * parts of x87 ones. */
static void put_reg(void *frame, u64 reg)
{
    u8 now[REG_BYTES_MAX];
    context_read(&vm_tc.cpu.bridge, (u32)reg, now);
    if (memcmp(now, frame, context_reg_bytes((u32)reg)))
        context_write(&vm_tc.cpu.bridge, (u32)reg, frame);
}

static void put_partial(void *frame, u64 sets)
{
    u8 value[REG_BYTES_MAX];
    const struct regset_pair *pair = (const struct regset_pair *)sets;
    for (u32 reg = regset_next(&pair->out, 0); reg; reg = regset_next(&pair->out, reg)) {
        if (!context_reg_bytes(reg) || regs_is_pc((u16)reg))
            continue;
        context_read(frame, reg, value);
        put_reg(value, reg);
    }
}

/* --- code --------------------------------------------------------------------------------------------------------- */

static void adjust_stack(struct emit *e, bool grow, u32 bytes)
{
    EMIT(e, 0x48, 0x81, grow ? 0xec : 0xc4);
    emit_u32(e, bytes);
}

/* lea disp(%rsp),%to; op 0x8b: mov disp(%rsp),%to; 0x89: the other way */
static void stack_op(struct emit *e, u8 op, enum gpr to, u32 disp)
{
    EMIT(e, (u8)(0x48 | (to >> 3) << 2), op, (u8)(0x84 | (to & 7) << 3), 0x24);
    emit_u32(e, disp);
}

static void emit_host_call(struct emit *e, void (*fn)(void *, u64), u32 offset, u64 arg)
{
    stack_op(e, 0x8d, RDI, offset);
    emit_const(e, RSI, arg);
    emit_const(e, RAX, (u64)fn);
    EMIT(e, 0xff, 0xd0);
}

static void check_reg(const struct call *c, u16 reg)
{
    const struct reg_row *row = regs_row(reg);
    if (!context_reg_bytes(reg))
        api_misuse(c->name, c->file, c->line, "the register %s is not one that this CPU lets programs use",
                   row ? row->text : "?");
}

void bridge_temp_make(struct bridge *g, const struct call *c)
{
    u32 bytes = frame_bytes(c);
    if (!bytes)
        return;
    adjust_stack(&g->e, true, bytes);
    for (u16 i = 0; i < c->nargs; i++) {
        const struct call_arg *a = &c->arg[i];
        u32 at = temp_offset(c, i);
        if (a->iarg == IARG_CONTEXT || a->iarg == IARG_PARTIAL_CONTEXT) {
            bridge_store_pc(g, c);
            emit_host_call(&g->e, make_context, at, 0);
        } else if (a->iarg == IARG_MADE) {
            emit_host_call(&g->e, made(a)->make, at, a->value);
        } else if (temp_bytes(a)) {
            check_reg(c, a->reg);
            if (a->iarg == IARG_REG_VALUE && context_reg_bytes(a->reg) > 8)
                api_misuse(c->name, c->file, c->line,
                           "IARG_REG_VALUE of %s, which is wider than 64 bits; use IARG_REG_CONST_REFERENCE",
                           regs_row(a->reg)->text);
            if (a->iarg == IARG_REG_VALUE) {
                emit_const(&g->e, RAX, 0);
                stack_op(&g->e, 0x89, RAX, at);
            }
            emit_host_call(&g->e, get_reg, at, a->reg);
        }
    }
}

void bridge_temp_drop(struct bridge *g, const struct call *c)
{
    u32 bytes = frame_bytes(c);
    if (!bytes)
        return;
    stack_op(&g->e, 0x89, RAX, 0);
    for (u16 i = 0; i < c->nargs; i++) {
        const struct call_arg *a = &c->arg[i];
        if (a->iarg == IARG_PARTIAL_CONTEXT)
            emit_host_call(&g->e, put_partial, temp_offset(c, i), a->value);
        else if (a->iarg == IARG_MADE && made(a)->put)
            emit_host_call(&g->e, made(a)->put, temp_offset(c, i), a->value);
        else if (a->iarg == IARG_REG_REFERENCE && temp_bytes(a))
            emit_host_call(&g->e, put_reg, temp_offset(c, i), a->reg);
    }
    stack_op(&g->e, 0x8b, RAX, 0);
    adjust_stack(&g->e, false, bytes);
}

static u32 stack_argument_bytes(const struct call *c) { return c->nargs > 6 ? ((c->nargs - 6u) * 8 + 15) & ~15u : 0; }

static void load_argument_reference(struct bridge *g, enum gpr to, u32 n, u32 stack_base)
{
    if (UNLIKELY(cpu_guest32)) { /* cdecl: all of them are in memory */
        if (!arch_narrow_tool)
            api_misuse("INS_InsertCall", NULL, 0, "a reference to a function's argument, which has 4 bytes in an "
                       "IA-32 program: build the tool for these (linchpin cc -m32)");
        emit_load_ctx(&g->e, to, BRIDGE_GPR(RSP));
        EMIT(&g->e, (u8)(0x48 | (to >> 3) << 2 | to >> 3), 0x8d); /* lea disp(%to),%to */
        emit_u8(&g->e, (u8)(0x80 | (to & 7) << 3 | (to & 7)));
        emit_u32(&g->e, stack_base / 2 + n * 4);
        return;
    }
    if (n < 6) {
        bridge_context_address(g, to, BRIDGE_GPR(rop_registers.argument[n]));
        return;
    }
    emit_load_ctx(&g->e, to, BRIDGE_GPR(RSP));
    EMIT(&g->e, (u8)(0x48 | (to >> 3) << 2 | to >> 3), 0x8d); /* lea disp(%to),%to: never rsp or r12 */
    emit_u8(&g->e, (u8)(0x80 | (to & 7) << 3 | (to & 7)));
    emit_u32(&g->e, stack_base + (n - 6) * 8);
}

bool bridge_temp_load(struct bridge *g, const struct call *c, const struct call_arg *a, enum gpr to)
{
    u32 at = stack_argument_bytes(c) + temp_offset(c, (u16)(a - c->arg));
    if (temp_bytes(a)) {
        stack_op(&g->e, a->iarg == IARG_REG_VALUE || (a->iarg == IARG_MADE && made(a)->is_value) ? 0x8b : 0x8d, to, at);
        return true;
    }
    switch (a->iarg) {
    case IARG_FUNCARG_ENTRYPOINT_REFERENCE: load_argument_reference(g, to, a->index, 8); return true;
    case IARG_FUNCARG_CALLSITE_REFERENCE: load_argument_reference(g, to, a->index, 0); return true;
    case IARG_FUNCRET_EXITPOINT_REFERENCE: bridge_context_address(g, to, BRIDGE_GPR(RAX)); return true;
    }
    return false;
}

/* --- results ------------------------------------------------------------------------------------------------------ */

static void put_result(void *value, u64 reg) { context_write(&vm_tc.cpu.bridge, (u32)reg, value); }

/* Into any register that fits the result. */
void bridge_temp_result(struct bridge *g, const struct call *c)
{
    /* push %rax: twice, for the alignment; pop %rax */
    check_reg(c, c->return_reg);
    if (context_reg_bytes(c->return_reg) > 8 || regs_is_pc(c->return_reg))
        api_misuse(c->name, c->file, c->line, "IARG_RETURN_REGS cannot be %s", regs_row(c->return_reg)->text);
    EMIT(&g->e, 0x50, 0x50); /* push %rax, twice */
    emit_host_call(&g->e, put_result, 0, c->return_reg);
    EMIT(&g->e, 0x58, 0x58); /* pop %rax, twice */
}
