/* SPDX-License-Identifier: Apache-2.0
 * Probes whose routines need nothing of the host (docs/design/probes.md, PB16): leaves that touch neither the TLS
 * register nor much of the stack run where the guest is, on its stack below the red zone, with its TLS register and its
 * signals; a handler that comes meanwhile finds everything as it is natively. No state; under jit_lock. */
#include "arch/probe.h"

#include "arch/x86/decode.h"
#include "arch/x86/emit.h"
#include "opt/form.h"
#include "opt/routine.h"

#define STACK_MAX 512u  /* bytes of a routine's own frame */
#define RED_ZONE 128u
#define VECTORS 16u

/* From rbp, as the code for calls before a function saves them. */
#define SAVED_BYTES 88
static const s32 saved_at[GPR_COUNT] = {[R11] = 8, [R10] = 16, [R9] = 24, [R8] = 32, [RDI] = 40, [RSI] = 48, [RDX] = 56,
    [RCX] = 64, [RAX] = 80};

/* --- is it light? ------------------------------------------------------------------------------------------------- */

static bool op_is_light(const struct rop *op)
{
    struct insn in;
    if (op->bar || op->kind == ROP_CALL || (op->kind == ROP_JUMP && op->next == ROP_END))
        return false;
    if (!decode_insn(&in, op->at, (const u8 *)op->at, sizeof in.bytes - 1) || in.seg || in.cls == INSN_FSBASE ||
        in.cls == INSN_SYSCALL)
        return false;
    bool moves_stack = op->writes >> rop_registers.stack & 1 && op->kind != ROP_PUSH && op->kind != ROP_POP &&
                       op->kind != ROP_RETURN && op->kind != ROP_LEAVE;
    return !moves_stack || (op->from == ROP_CONSTANT && (op->kind == ROP_SUB || op->kind == ROP_ADD) &&
                            op->value <= STACK_MAX);
}

bool arch_probe_is_light(void *fn)
{
    if (!routine_scan(fn)->light)
        return false;
    const struct form *f = form_of(fn);
    for (u32 i = 0; i < f->n; i++)
        if (!op_is_light(&f->op[i]))
            return false;
    return !f->cut;
}

/* --- code --------------------------------------------------------------------------------------------------------- */

/* mov disp(%rbp),%r */
static void emit_load_saved(struct emit *e, enum gpr r, s32 disp)
{
    EMIT(e, (u8)(0x48 | (r >> 3) << 2), 0x8b);
    emit_at(e, r, RBP, disp);
}

static void emit_constant(struct emit *e, enum gpr r, u64 v)
{
    EMIT(e, (u8)(0x48 | r >> 3), (u8)(0xb8 | (r & 7)));
    emit_u64(e, v);
}

/* movups between xmm i and disp(%rsp) */
static void emit_vector(struct emit *e, u32 i, bool store, s32 disp)
{
    if (i >= 8)
        emit_u8(e, 0x44);
    EMIT(e, 0x0f, (u8)(store ? 0x11 : 0x10));
    emit_at(e, (enum gpr)(i & 7), RSP, disp);
}

/* at: where the arguments of the function are, from rbp; return_pc: where its return address is. */
static void emit_call(struct emit *e, const struct probe_light *c, const s32 *at, s32 return_pc)
{
    for (u32 i = 0; i < c->nargs; i++) {
        enum gpr to = (enum gpr)rop_registers.argument[i];
        if (c->arg[i].kind == LIGHT_CONST)
            emit_constant(e, to, c->arg[i].value);
        else
            emit_load_saved(e, to, c->arg[i].kind == LIGHT_ARGUMENT ? at[c->arg[i].value] : return_pc);
    }
    emit_constant(e, RAX, (u64)c->fn);
    EMIT(e, 0xff, 0xd0); /* call *%rax */
}

static const enum gpr kept[] = {RCX, RDX, RSI, RDI, R8, R9, R10, R11, RBP};

static void emit_save(struct emit *e)
{
    EMIT(e, 0x48, 0x8d, 0x64, 0x24, 0x80); /* lea -128(%rsp),%rsp */
    emit_push_reg(e, RAX);
    emit_flags_to_ax(e);
    emit_push_reg(e, RAX);
    for (u32 i = 0; i < ARRAY_LEN(kept); i++)
        emit_push_reg(e, kept[i]);
    emit_move(e, RBP, RSP);
    EMIT(e, 0x48, 0x83, 0xe4, 0xf0); /* and $-16,%rsp */
}

static void emit_restore(struct emit *e)
{
    emit_move(e, RSP, RBP);
    for (u32 i = ARRAY_LEN(kept); i-- > 0;)
        emit_pop_reg(e, kept[i]);
    emit_pop_reg(e, RAX);
    emit_flags_from_ax(e);
    emit_pop_reg(e, RAX);
    EMIT(e, 0x48, 0x8d, 0xa4, 0x24, RED_ZONE, 0, 0, 0); /* lea 128(%rsp),%rsp */
}

static void emit_vectors(struct emit *e, u16 vectors, bool save)
{
    s32 at = 0;
    if (vectors && save) {
        EMIT(e, 0x48, 0x81, 0xec); /* sub $n,%rsp */
        emit_u32(e, (u32)__builtin_popcount(vectors) * VECTORS);
    }
    for (u32 i = 0; i < VECTORS; i++)
        if (vectors >> i & 1) {
            emit_vector(e, i, save, at);
            at += (s32)VECTORS;
        }
}

static void emit_before(struct emit *e, const struct probe_light *c, u32 n)
{
    s32 at[PROBE_LIGHT_ARGS];
    u16 vectors = 0;
    for (u32 i = 0; i < PROBE_LIGHT_ARGS; i++)
        at[i] = saved_at[rop_registers.argument[i]];
    for (u32 i = 0; i < n; i++)
        vectors |= routine_scan(c[i].fn)->vectors;
    emit_save(e);
    emit_vectors(e, vectors, true);
    for (u32 i = 0; i < n; i++)
        emit_call(e, &c[i], at, SAVED_BYTES + (s32)RED_ZONE);
    emit_vectors(e, vectors, false);
    emit_restore(e);
}

/* The function's caller expects no more of registers than of any function. */
static void emit_instead(struct emit *e, const struct probe_light *c)
{
    s32 at[PROBE_LIGHT_ARGS];
    emit_push_reg(e, RBP);
    emit_move(e, RBP, RSP);
    for (u32 i = 0; i < PROBE_LIGHT_ARGS; i++) {
        emit_push_reg(e, (enum gpr)rop_registers.argument[i]);
        at[i] = -8 * (s32)(i + 1);
    }
    EMIT(e, 0x48, 0x83, 0xe4, 0xf0); /* and $-16,%rsp */
    emit_call(e, c, at, 8);
    EMIT(e, 0xc9, 0xc3); /* leave; ret */
}

#define CALL_BYTES (PROBE_LIGHT_ARGS * 10 + 12)
#define FRAME_BYTES 256u

u32 arch_probe_light(const struct probe_light *c, u32 n, bool replaces, const struct probe_code *code, u8 *to, u64 at)
{
    struct emit e = {to};
    if (n * CALL_BYTES + FRAME_BYTES > PROBE_LIGHT_BYTES)
        return 0;
    if (replaces && c->nargs == PROBE_LIGHT_AS_IS) {
        emit_constant(&e, R11, (u64)c->fn);
        EMIT(&e, 0x41, 0xff, 0xe3); /* jmp *%r11 */
        return (u32)(e.p - to);
    }
    if (replaces) {
        emit_instead(&e, c);
        return (u32)(e.p - to);
    }
    emit_before(&e, c, n);
    emit_u8(&e, 0xe9); /* jmp original */
    u64 end = at + (u64)(e.p - to) + 4;
    emit_u32(&e, (u32)(code->original - end));
    ASSERT(e.p <= to + PROBE_LIGHT_BYTES);
    return (u32)(e.p - to);
}
