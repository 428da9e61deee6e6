/* SPDX-License-Identifier: Apache-2.0
 * IA-32: memory through FS and GS at an address that registers have a part in. The sum of the segment's base and the
 * address wraps at 4 GiB there, in 64-bit mode it does not: so the address gets the sign that it has when it lies
 * below the base. Under jit_lock. */
#include "arch/x86/lower.h"

#include <string.h>

enum { PREFIX_ADDRESS = 0x67, OP_LEA = 0x8d, OP_MOVSXD = 0x63, SLOT_ADDR = 5 };

/* Where the operand that ModRM names ends. */
static u8 operand_end(const struct insn *in)
{
    u8 modrm = in->bytes[in->modrm_off];
    u8 end = (u8)(in->modrm_off + 1 + ((modrm & 7) == 4));
    return in->disp_bytes ? (u8)(in->disp_off + in->disp_bytes) : end;
}

u8 tls32_address(struct emit *e, const struct insn *in, enum gpr to)
{
    u8 end = operand_end(in), after = (u8)(in->modrm_off + 1), high = to >= R8;
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
