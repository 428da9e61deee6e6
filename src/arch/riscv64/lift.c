/* SPDX-License-Identifier: Apache-2.0
 * Machine code of analysis routines as operations of the routine form (opt/rop.h): what counters are made of. The rest
 * is opaque. No state. */
#include "arch/riscv64/emit.h"
#include "decode.h"
#include "opt/rop.h"

#include <string.h>

#define BIT(r) (1u << (r))

enum {
    ARGUMENTS = BIT(A0) | BIT(A1) | BIT(A2) | BIT(A3) | BIT(A4) | BIT(A5),
    TEMPORARIES = BIT(T0) | BIT(T1) | BIT(T2) | BIT(T3) | BIT(T4) | BIT(T5) | BIT(A6) | BIT(A7),
};

const struct rop_registers rop_registers = {
    .argument = {A0, A1, A2, A3, A4, A5},
    .result = A0,
    .stack = SP,
    .arguments = ARGUMENTS,
    .call_reads = ARGUMENTS | BIT(A6) | BIT(A7),
    .call_loses = ARGUMENTS | TEMPORARIES | BIT(T6) | BIT(RA),
    .return_reads = BIT(A0) | BIT(A1),
};

static void to_reg(struct rop *op, u32 kind, u32 rd, u32 width)
{
    op->kind = (u8)kind;
    op->to = ROP_REGISTER;
    op->to_reg = (u8)rd;
    op->width = (u8)width;
}

static void constant(struct rop *op, u64 v)
{
    op->from = ROP_CONSTANT;
    op->value = v;
}

static void memory(struct rop *op, const struct insn *in, s32 disp)
{
    op->mem = (struct rop_memory){.base = (s8)in->rs1, .index = -1, .disp = (u64)(s64)disp};
}

/* rd = rs1 + imm, and its short cuts. */
static void lift_addi(struct rop *op, const struct insn *in, s32 imm)
{
    if (!in->rs1) {
        to_reg(op, ROP_MOVE, in->rd, 8);
        constant(op, (u64)(s64)imm);
    } else if (in->rd == in->rs1) {
        to_reg(op, ROP_ADD, in->rd, 8);
        constant(op, (u64)(s64)imm);
    } else {
        to_reg(op, ROP_ADDRESS, in->rd, 8);
        op->from = ROP_MEMORY;
        memory(op, in, imm);
    }
}

static void lift_add(struct rop *op, const struct insn *in)
{
    bool first = in->rd == in->rs1;
    if (!in->rs1 || !in->rs2) {
        to_reg(op, ROP_MOVE, in->rd, 8);
        op->from = ROP_REGISTER;
        op->from_reg = in->rs1 ? in->rs1 : in->rs2;
    } else if (first || in->rd == in->rs2) {
        to_reg(op, ROP_ADD, in->rd, 8);
        op->from = ROP_REGISTER;
        op->from_reg = first ? in->rs2 : in->rs1;
    }
}

/* Only what a counter of 8 bytes needs: narrower loads extend. */
static void lift_word(struct rop *op, const struct insn *in)
{
    u32 w = in->word, f3 = w >> 12 & 7;
    s32 imm = (s32)w >> 20;
    switch (w & 127) {
    case OP_IMM:
        if (f3 == 0 && in->rd)
            lift_addi(op, in, imm);
        else if (!in->rd)
            op->kind = ROP_NONE;
        break;
    case OP_OP:
        if (f3 == 0 && w >> 25 == 0 && in->rd)
            lift_add(op, in);
        break;
    case OP_LUI:
        to_reg(op, ROP_MOVE, in->rd, 8);
        constant(op, (u64)(s64)(s32)(w & 0xfffff000u));
        break;
    case OP_AUIPC:
        to_reg(op, ROP_MOVE, in->rd, 8);
        constant(op, in->target);
        break;
    case OP_LOAD:
        if (f3 == 3 && in->rd) {
            to_reg(op, ROP_MOVE, in->rd, 8);
            op->from = ROP_MEMORY;
            memory(op, in, imm);
        }
        break;
    case OP_STORE:
        if (f3 == 3 && in->rs2) {
            *op = (struct rop){.at = op->at,
                               .bytes = op->bytes,
                               .kind = ROP_MOVE,
                               .width = 8,
                               .to = ROP_MEMORY,
                               .from = ROP_REGISTER,
                               .from_reg = in->rs2};
            memory(op, in, (s32)(w & 0xfe000000u) >> 20 | (s32)(w >> 7 & 31));
        }
        break;
    }
}

static void lift_transfer(struct rop *op, const struct insn *in)
{
    if (in->effect.cls == EFFECT_JUMP) {
        op->kind = ROP_JUMP;
        op->target = in->target;
    } else if (in->effect.cls == EFFECT_RETURN && in->rs1 == RA && !in->imm) {
        op->kind = ROP_RETURN;
    } else {
        op->bar = "it has a branch or a call";
    }
}

void arch_lift(u64 at, struct rop *op)
{
    struct insn in;
    *op = (struct rop){.kind = ROP_OPAQUE, .at = at, .mem = {.base = -1, .index = -1}};
    bool known = decode_insn(&in, at, (const u8 *)at, 4) && in.cls != INSN_BAD;
    op->bytes = known ? in.len : 0;
    if (!known) {
        op->bar = "it has an unknown instruction";
        return;
    }
    op->reads = in.effect.reads;
    op->writes = in.effect.writes;
    op->kills = in.effect.kills;
    if (in.cls == INSN_PLAIN || in.cls == INSN_AUIPC)
        lift_word(op, &in);
    else
        lift_transfer(op, &in);
    if (op->kind == ROP_OPAQUE && !op->bar)
        op->bar = "it has an instruction that is not lifted";
    else if (!op->bar)
        rop_find_effects(op);
}
