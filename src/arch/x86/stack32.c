/* SPDX-License-Identifier: Apache-2.0
 * Lowering of what moves an IA-32 program's stack pointer: 64-bit code has no push and pop of 32 bits. Each becomes an
 * access and then an addition to the stack pointer, which has the guest's pc of the instruction: interrupted between
 * the two, it is executed again and does the same. r8 is never an IA-32 program's, and is free within an instruction
 * (decode.c says so in its effect). No flags. Of several pushes in a row, or pops, only the last one moves the stack
 * pointer, where there is no tool: until then the state map says by how much it is behind. Under jit_lock. */
#include "arch/x86/lower.h"

#include "base/options.h"

#include <string.h>

enum {
    OP_MOV_TO_MEMORY = 0x89, OP_MOV_FROM_MEMORY = 0x8b, OP_MOV_IMMEDIATE = 0xc7, OP_LEA = 0x8d, REX_R = 0x44,
    OP_PUSH = 0x50, OP_POP = 0x58, OP_PUSH_WORD = 0x68, OP_PUSH_BYTE = 0x6a, OP_POP_MODRM = 0x8f, OP_LEAVE = 0xc9,
    MERGED_MAX = 24, /* pushes or pops that are one: displacements stay short */
};

static bool is_short(const struct insn *in) { return memchr(in->bytes, 0x66, in->prefixes) != NULL; }

void stack32_move(struct emit *e, s32 more)
{
    EMIT(e, OP_LEA, 0xa4, 0x24); /* lea more(%rsp),%esp */
    if (more == (s8)more) {
        e->p[-2] = 0x64;
        emit_u8(e, (u8)more);
    } else {
        emit_u32(e, (u32)more);
    }
}

/* The word below the stack pointer, or at it: [66] [44] op, disp8(%rsp) */
static void emit_word(struct emit *e, bool word16, bool r8, u8 op, u32 reg, s8 disp)
{
    if (word16)
        emit_u8(e, 0x66);
    if (r8)
        emit_u8(e, REX_R);
    EMIT(e, op, (u8)(0x44 | (reg & 7) << 3), 0x24, (u8)disp);
}

static void push_immediate(struct emit *e, const struct insn *in, bool word16, s8 at)
{
    s32 v = (s8)in->bytes[in->code_len - 1];
    if (in->opcode == OP_PUSH_WORD)
        memcpy(&v, in->bytes + in->code_len - (word16 ? 2 : 4), word16 ? 2 : 4);
    emit_word(e, word16, false, OP_MOV_IMMEDIATE, 0, at);
    emit_bytes(e, &v, word16 ? 2 : 4);
}

/* --- several in a row --------------------------------------------------------------------------------------------- */

enum stack_move { MOVES_OTHERWISE, PUSHES, POPS };

/* What may be merged: pushes of a register or a constant, pops to one, of 4 bytes, and direct calls as the last of
 * pushes. None of them names the stack pointer. */
static enum stack_move move_of(const struct insn *in)
{
    if (in->cls == INSN_CALL)
        return PUSHES;
    if (in->cls != INSN_STACK32 || in->modrm_off != 0xff || in->opcode == OP_LEAVE || is_short(in))
        return MOVES_OTHERWISE;
    if (in->opcode == OP_PUSH_WORD || in->opcode == OP_PUSH_BYTE)
        return PUSHES;
    return (in->opcode & 7) == RSP ? MOVES_OTHERWISE : (in->opcode & 0xf8) == OP_POP ? POPS : PUSHES;
}

/* Instructions directly before it that it goes on with. */
static u32 merged_before(const struct pass *b, const struct insn *in)
{
    enum stack_move how = move_of(in);
    u32 i = (u32)(in - b->insn), n = 0;
    if (options.tool || how == MOVES_OTHERWISE)
        return 0;
    while (n < i && move_of(&b->insn[i - n - 1]) == how)
        n++;
    return n % MERGED_MAX;
}

/* Does the next one go on with it? */
static bool goes_on(const struct pass *b, const struct insn *in)
{
    return in + 1 < b->insn + b->ninsns && merged_before(b, in + 1);
}

static void note_behind(struct pass *b, const struct insn *in, s32 by)
{
    if (by)
        pass_state(b, b->p, HOW_STACK, in->pc, (u16)by);
    else
        pass_map(b, b->p, MAP_GUEST, in->pc, 0);
}

u32 stack32_begin_push(struct pass *b, const struct insn *in)
{
    u32 before = merged_before(b, in) * 4;
    note_behind(b, in, -(s32)before);
    return before;
}

void stack32_push_constant(struct emit *e, u32 v, u32 before)
{
    emit_word(e, false, false, OP_MOV_IMMEDIATE, 0, (s8)(-4 - (s32)before));
    emit_u32(e, v);
    stack32_move(e, -4 - (s32)before);
}

/* --- one by one --------------------------------------------------------------------------------------------------- */

/* push r/m: through r8d, whose number takes the place of the opcode's. */
static void push_operand(struct emit *e, const struct insn *in, bool word16)
{
    u8 modrm = in->bytes[in->modrm_off];
    if (modrm >= 0xc0) {
        emit_word(e, word16, false, OP_MOV_TO_MEMORY, modrm, word16 ? -2 : -4);
        return;
    }
    if (in->wraps32) {
        tls32_address(e, in, R8);
        if (word16)
            emit_u8(e, 0x66);
        if (in->seg)
            emit_u8(e, 0x65);
        EMIT(e, 0x45, OP_MOV_FROM_MEMORY, 0x00); /* mov %gs:(%r8),%r8d */
        emit_word(e, word16, true, OP_MOV_TO_MEMORY, 0, word16 ? -2 : -4);
        return;
    }
    u8 seg = in->seg ? 0x65 : 0; /* GS has the program's TLS base (E1) */
    for (u8 i = 0; i < in->prefixes; i++)
        if ((in->bytes[i] & 0xfe) != 0x64)
            emit_u8(e, in->bytes[i]);
    if (seg)
        emit_u8(e, seg);
    EMIT(e, REX_R, OP_MOV_FROM_MEMORY, modrm & 0xc7);
    u8 after = (u8)(in->modrm_off + 1);
    emit_bytes(e, in->bytes + after, (size_t)(in->code_len - after));
    emit_word(e, word16, true, OP_MOV_TO_MEMORY, 0, word16 ? -2 : -4);
}

static void lower_push(struct pass *b, const struct insn *in, bool word16)
{
    s32 bytes = word16 ? 2 : 4, before = (s32)stack32_begin_push(b, in), at = -bytes - before;
    struct emit e = {b->p};
    if (in->opcode == OP_PUSH_WORD || in->opcode == OP_PUSH_BYTE)
        push_immediate(&e, in, word16, (s8)at);
    else if (in->modrm_off != 0xff)
        push_operand(&e, in, word16);
    else
        emit_word(&e, word16, false, OP_MOV_TO_MEMORY, in->opcode, (s8)at);
    if (!goes_on(b, in))
        stack32_move(&e, at);
    b->p = e.p;
}

static void lower_pop(struct pass *b, const struct insn *in, bool word16)
{
    u32 r = (in->modrm_off != 0xff ? in->bytes[in->modrm_off] : in->opcode) & 7;
    s32 before = (s32)merged_before(b, in) * 4;
    note_behind(b, in, before);
    struct emit e = {b->p};
    emit_word(&e, word16, false, OP_MOV_FROM_MEMORY, r, (s8)before);
    if (r != RSP && !goes_on(b, in))
        stack32_move(&e, before + (word16 ? 2 : 4));
    b->p = e.p;
}

static void lower_leave(struct pass *b, const struct insn *in)
{
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
    struct emit e = {b->p};
    EMIT(&e, REX_R, OP_MOV_FROM_MEMORY, 0x45, 0); /* mov (%rbp),%r8d */
    EMIT(&e, OP_LEA, 0x65, 4); /* lea 4(%rbp),%esp */
    pass_state(b, e.p, HOW_FRAME, in->pc + in->len, 0);
    EMIT(&e, REX_R, OP_MOV_TO_MEMORY, 0xc5); /* mov %r8d,%ebp */
    b->p = e.p;
}

void lower_stack32(struct pass *b, const struct insn *in)
{
    if (in->seg == 0x65) { /* a push through the program's FS: nobody has that */
        lower_emulate(b, in);
        return;
    }
    if (in->opcode == OP_LEAVE) {
        lower_leave(b, in);
        return;
    }
    bool pop = (in->opcode & 0xf8) == OP_POP || in->opcode == OP_POP_MODRM;
    (pop ? lower_pop : lower_push)(b, in, is_short(in));
}
