/* SPDX-License-Identifier: Apache-2.0
 * IA-32: addresses that lowering computes by itself. Through GS, registers having a part in it: the sum of the
 * segment's base and the address wraps at 4 GiB there, in 64-bit mode it does not: so the address gets the sign that it
 * has when it lies below the base. And those of 16 bits, with loops that count in cx. Under jit_lock. */
#include "arch/x86/lower.h"

#include <string.h>

enum { PREFIX_ADDRESS = 0x67, OP_LEA = 0x8d, OP_MOVSXD = 0x63, OP_MOVZWL = 0xb7, SLOT_ADDR = 5 };

/* Where the operand that ModRM names ends. */
static u8 operand_end(const struct insn *in)
{
    u8 modrm = in->bytes[in->modrm_off];
    u8 end = (u8)(in->modrm_off + 1 + (!in->addr16 && (modrm & 7) == 4));
    return in->disp_bytes ? (u8)(in->disp_off + in->disp_bytes) : end;
}

/* The same for an address of 16 bits, which has forms of its own. */
static void narrow_address(struct emit *e, const struct insn *in, enum gpr to)
{
    static const u8 base[8] = {RBX, RBX, RBP, RBP, RSI, RDI, RBP, RBX}, index[4] = {RSI, RDI, RSI, RDI};
    u8 modrm = in->bytes[in->modrm_off], rm = modrm & 7, high = to >= R8;
    s16 disp = 0;
    if (in->disp_bytes == 1)
        disp = (s8)in->bytes[in->disp_off];
    else if (in->disp_bytes)
        memcpy(&disp, in->bytes + in->disp_off, 2);
    if (modrm < 0x40 && rm == 6) {
        emit_const(e, to, (u16)disp);
        return;
    }
    if (high)
        emit_u8(e, 0x44);
    EMIT(e, OP_LEA, (u8)(0x80 | (to & 7) << 3 | (rm < 4 ? 4 : base[rm])));
    if (rm < 4)
        emit_u8(e, (u8)(index[rm] << 3 | base[rm]));
    emit_u32(e, (u32)disp);
    if (high)
        emit_u8(e, 0x45);
    EMIT(e, 0x0f, OP_MOVZWL, (u8)(0xc0 | (to & 7) << 3 | (to & 7)));
}

u8 tls32_address(struct emit *e, const struct insn *in, enum gpr to)
{
    u8 end = operand_end(in), after = (u8)(in->modrm_off + 1), high = to >= R8;
    if (UNLIKELY(in->addr16)) {
        narrow_address(e, in, to);
        return end;
    }
    emit_u8(e, PREFIX_ADDRESS);
    if (high)
        emit_u8(e, 0x44);
    EMIT(e, OP_LEA, (u8)((in->bytes[in->modrm_off] & 0xc7) | (to & 7) << 3));
    emit_bytes(e, in->bytes + after, (size_t)(end - after));
    EMIT(e, (u8)(0x48 | high << 2 | high), OP_MOVSXD, (u8)(0xc0 | (to & 7) << 3 | (to & 7)));
    return end;
}

/* The instruction with (base) as its operand. */
static void emit_based(struct emit *e, const struct insn *in, enum gpr base, u8 end)
{
    u8 high = base >= R8;
    for (u8 i = 0; i < in->prefixes; i++)
        if (in->bytes[i] != PREFIX_ADDRESS)
            emit_u8(e, in->bytes[i]);
    if (!in->vex && high)
        emit_u8(e, 0x41);
    u8 *start = e->p;
    emit_bytes(e, in->bytes + in->prefixes, (size_t)(in->modrm_off - in->prefixes));
    if (in->vex > 2 && high) /* B, inverted */
        start[1] &= (u8)~0x20u;
    emit_u8(e, (u8)((in->bytes[in->modrm_off] & 0x38) | (base & 7)));
    emit_bytes(e, in->bytes + end, (size_t)(in->code_len - end));
}

void lower_wraps32(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    enum gpr base = lower_free_register(in);
    emit_store_ctx(&e, CTX_SLOT(SLOT_ADDR), base);
    pass_state(b, e.p, HOW_SPILL, in->pc, (u8)(base << 4 | SLOT_ADDR));
    emit_based(&e, in, base, tls32_address(&e, in, base));
    pass_state(b, e.p, HOW_SPILL, in->pc + in->len, (u8)(base << 4 | SLOT_ADDR));
    emit_load_ctx(&e, base, CTX_SLOT(SLOT_ADDR));
    b->p = e.p;
}

/* What a loop that counts in cx has made of ecx: the count is in its lower half, the program's upper half in memory.
 * Interrupted before the last instruction, it is executed again and does the same. */
static void end_narrow(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    pass_state(b, e.p, HOW_SPILL, in->pc, (u8)(RCX << 4 | SLOT_ADDR));
    EMIT(&e, 0x41, 0x89, 0xc8); /* mov %ecx,%r8d */
    emit_load_ctx(&e, RCX, CTX_SLOT(SLOT_ADDR));
    pass_map(b, e.p, MAP_GUEST, in->pc, 0);
    EMIT(&e, 0x66, 0x44, 0x89, 0xc1); /* mov %r8w,%cx */
    b->p = e.p;
}

u8 *lower_narrow_loop(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    emit_store_ctx(&e, CTX_SLOT(SLOT_ADDR), RCX);
    pass_state(b, e.p, HOW_SPILL, in->pc, (u8)(RCX << 4 | SLOT_ADDR));
    EMIT(&e, 0x0f, OP_MOVZWL, 0xc9); /* movzwl %cx,%ecx */
    lower_loop_head(&e, in);
    EMIT(&e, in->opcode, 0);
    u8 *taken = e.p;
    b->p = e.p;
    end_narrow(b, in);
    pass_map(b, b->p, MAP_GUEST, in->pc + in->len, 0);
    e.p = b->p;
    emit_u8(&e, 0xe9);
    u8 *skip = e.p;
    emit_u32(&e, 0);
    taken[-1] = (u8)(e.p - taken);
    b->p = e.p;
    end_narrow(b, in);
    return skip;
}
