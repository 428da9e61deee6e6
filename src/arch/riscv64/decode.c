/* SPDX-License-Identifier: Apache-2.0
 * Decodes RV64GC. Compressed instructions become their long forms first (decode_expand), so that the rest knows one
 * kind. What an instruction reads and writes is always found: that is a few shifts. */
#include "decode.h"

#include "arch/riscv64/emit.h"

#include <string.h>

static u32 bits(u32 v, u32 hi, u32 lo) { return v >> lo & ((1u << (hi - lo + 1)) - 1); }

/* --- compressed --------------------------------------------------------------------------------------------------- */

static u32 short_reg(u32 v, u32 lo) { return 8 + bits(v, lo + 2, lo); }
static s32 sign(u32 v, u32 width) { return (s32)(v << (32 - width)) >> (32 - width); }

static s32 imm6(u32 h) { return sign(bits(h, 12, 12) << 5 | bits(h, 6, 2), 6); }
static u32 off_w(u32 h) { return bits(h, 12, 10) << 3 | bits(h, 6, 6) << 2 | bits(h, 5, 5) << 6; }
static u32 off_d(u32 h) { return bits(h, 12, 10) << 3 | bits(h, 6, 5) << 6; }
static u32 off_lwsp(u32 h) { return bits(h, 12, 12) << 5 | bits(h, 6, 4) << 2 | bits(h, 3, 2) << 6; }
static u32 off_ldsp(u32 h) { return bits(h, 12, 12) << 5 | bits(h, 6, 5) << 3 | bits(h, 4, 2) << 6; }
static u32 off_swsp(u32 h) { return bits(h, 12, 9) << 2 | bits(h, 8, 7) << 6; }
static u32 off_sdsp(u32 h) { return bits(h, 12, 10) << 3 | bits(h, 9, 7) << 6; }
static s32 off_j(u32 h)
{
    return sign(bits(h, 12, 12) << 11 | bits(h, 11, 11) << 4 | bits(h, 10, 9) << 8 | bits(h, 8, 8) << 10 |
                    bits(h, 7, 7) << 6 | bits(h, 6, 6) << 7 | bits(h, 5, 3) << 1 | bits(h, 2, 2) << 5,
                12);
}
static s32 off_b(u32 h)
{
    return sign(
        bits(h, 12, 12) << 8 | bits(h, 11, 10) << 3 | bits(h, 6, 5) << 6 | bits(h, 4, 3) << 1 | bits(h, 2, 2) << 5, 9);
}

static u32 expand_0(u32 h)
{
    u32 a = short_reg(h, 7), b = short_reg(h, 2);
    u32 addi4 = bits(h, 12, 11) << 4 | bits(h, 10, 7) << 6 | bits(h, 6, 6) << 2 | bits(h, 5, 5) << 3;
    switch (bits(h, 15, 13)) {
    case 0: return addi4 ? enc_i(OP_IMM, 0, b, SP, (s32)addi4) : 0;
    case 1: return enc_i(OP_LOAD_FP, 3, b, a, (s32)off_d(h));
    case 2: return enc_i(OP_LOAD, 2, b, a, (s32)off_w(h));
    case 3: return enc_i(OP_LOAD, 3, b, a, (s32)off_d(h));
    case 5: return enc_s(OP_STORE_FP, 3, a, b, (s32)off_d(h));
    case 6: return enc_s(OP_STORE, 2, a, b, (s32)off_w(h));
    case 7: return enc_s(OP_STORE, 3, a, b, (s32)off_d(h));
    default: return 0;
    }
}

/* Of two registers, and with 6 bits: of x8 to x15. */
static u32 expand_alu(u32 h)
{
    static const struct {
        u8 op, f3, f7;
    } two[8] = {{OP_OP, 0, 0x20}, {OP_OP, 4, 0}, {OP_OP, 6, 0}, {OP_OP, 7, 0}, {OP_OP_32, 0, 0x20}, {OP_OP_32, 0, 0}};
    u32 a = short_reg(h, 7), b = short_reg(h, 2), which = bits(h, 12, 12) << 2 | bits(h, 6, 5);
    s32 shift = imm6(h) & 63;
    switch (bits(h, 11, 10)) {
    case 0: return enc_i(OP_IMM, 5, a, a, shift);
    case 1: return enc_i(OP_IMM, 5, a, a, shift | 0x400);
    case 2: return enc_i(OP_IMM, 7, a, a, imm6(h));
    default: return two[which].op ? enc_r(two[which].op, two[which].f3, two[which].f7, a, a, b) : 0;
    }
}

static u32 expand_1(u32 h)
{
    u32 rd = bits(h, 11, 7);
    s32 sp16 = sign(
        bits(h, 12, 12) << 9 | bits(h, 6, 6) << 4 | bits(h, 5, 5) << 6 | bits(h, 4, 3) << 7 | bits(h, 2, 2) << 5, 10);
    switch (bits(h, 15, 13)) {
    case 0: return enc_i(OP_IMM, 0, rd, rd, imm6(h));
    case 1: return rd ? enc_i(OP_IMM_32, 0, rd, rd, imm6(h)) : 0;
    case 2: return enc_i(OP_IMM, 0, rd, ZERO, imm6(h));
    case 3:
        if (rd == SP)
            return sp16 ? enc_i(OP_IMM, 0, SP, SP, sp16) : 0;
        return imm6(h) ? enc_u(OP_LUI, rd, (u32)imm6(h) << 12) : 0;
    case 4: return expand_alu(h);
    case 5: return enc_j(ZERO, off_j(h));
    case 6: return enc_b(BEQ, short_reg(h, 7), ZERO, off_b(h));
    default: return enc_b(BNE, short_reg(h, 7), ZERO, off_b(h));
    }
}

static u32 expand_moves(u32 h, u32 rd, u32 rs2)
{
    if (!bits(h, 12, 12))
        return rs2 ? enc_r(OP_OP, 0, 0, rd, ZERO, rs2) : rd ? enc_i(OP_JALR, 0, ZERO, rd, 0) : 0;
    if (rs2)
        return enc_r(OP_OP, 0, 0, rd, rd, rs2);
    return rd ? enc_i(OP_JALR, 0, RA, rd, 0) : 0x00100073u; /* ebreak */
}

static u32 expand_2(u32 h)
{
    u32 rd = bits(h, 11, 7), rs2 = bits(h, 6, 2);
    switch (bits(h, 15, 13)) {
    case 0: return enc_i(OP_IMM, 1, rd, rd, imm6(h) & 63);
    case 1: return enc_i(OP_LOAD_FP, 3, rd, SP, (s32)off_ldsp(h));
    case 2: return rd ? enc_i(OP_LOAD, 2, rd, SP, (s32)off_lwsp(h)) : 0;
    case 3: return rd ? enc_i(OP_LOAD, 3, rd, SP, (s32)off_ldsp(h)) : 0;
    case 4: return expand_moves(h, rd, rs2);
    case 5: return enc_s(OP_STORE_FP, 3, SP, rs2, (s32)off_sdsp(h));
    case 6: return enc_s(OP_STORE, 2, SP, rs2, (s32)off_swsp(h));
    default: return enc_s(OP_STORE, 3, SP, rs2, (s32)off_sdsp(h));
    }
}

u32 decode_expand(u16 half)
{
    switch (half & 3) {
    case 0: return expand_0(half);
    case 1: return expand_1(half);
    case 2: return expand_2(half);
    default: return 0;
    }
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

enum { RD = 1, RS1 = 2, RS2 = 4, WRITES_MEMORY = 8 };

/* Which general registers a floating point operation names. */
static u32 fp_uses(u32 w)
{
    switch (bits(w, 31, 27)) {
    case 0x14:
    case 0x18:
    case 0x1c: return RD; /* compare, convert to an integer, move to x and classify */
    case 0x1a:
    case 0x1e: return RS1; /* the other way */
    case 0x00:
    case 0x01:
    case 0x02:
    case 0x03:
    case 0x04:
    case 0x05:
    case 0x08:
    case 0x0b: return 0;
    default: return ~0u;
    }
}

/* ~0: not one that is known. */
static u32 uses_of(u32 w)
{
    u32 f3 = bits(w, 14, 12), f5 = bits(w, 31, 27), f7 = bits(w, 31, 25);
    switch (w & 127) {
    case OP_LOAD: return f3 < 7 ? RD | RS1 : ~0u;
    case OP_LOAD_FP: return f3 == 2 || f3 == 3 ? RS1 : ~0u;
    case OP_FENCE: return f3 < 2 ? 0 : ~0u;
    case OP_IMM: return f3 == 1 && bits(w, 31, 26) ? ~0u : f3 == 5 && bits(w, 31, 26) & ~0x10u ? ~0u : RD | RS1;
    case OP_IMM_32: return f3 == 0 || (f3 == 1 && !f7) || (f3 == 5 && !(f7 & ~0x20u)) ? RD | RS1 : ~0u;
    case OP_AUIPC:
    case OP_LUI: return RD;
    case OP_STORE: return f3 < 4 ? RS1 | RS2 | WRITES_MEMORY : ~0u;
    case OP_STORE_FP: return f3 == 2 || f3 == 3 ? RS1 | WRITES_MEMORY : ~0u;
    case OP_AMO:
        return (f3 == 2 || f3 == 3) && (f5 < 5 || !(f5 & 3)) ? RD | RS1 | RS2 | (f5 == 2 ? 0 : WRITES_MEMORY) : ~0u;
    case OP_OP: return f7 < 2 || (f7 == 0x20 && (f3 == 0 || f3 == 5)) ? RD | RS1 | RS2 : ~0u;
    case OP_OP_32: return f7 < 2 || (f7 == 0x20 && (f3 == 0 || f3 == 5)) ? RD | RS1 | RS2 : ~0u;
    case 0x43:
    case 0x47:
    case 0x4b:
    case 0x4f: return bits(w, 26, 25) < 2 ? 0 : ~0u;
    case OP_FP: return bits(w, 26, 25) < 2 ? fp_uses(w) : ~0u;
    case OP_BRANCH: return f3 == 2 || f3 == 3 ? ~0u : RS1 | RS2;
    case OP_JALR: return f3 == 0 ? RD | RS1 : ~0u;
    case OP_JAL: return RD;
    case OP_SYSTEM:
        if (f3 == 0)
            return w == 0x00000073u || w == 0x00100073u ? 0 : ~0u;
        return f3 == 4 ? ~0u : f3 < 4 ? RD | RS1 : RD;
    default: return ~0u;
    }
}

static bool uses_memory(u32 w)
{
    u32 op = w & 127;
    return op == OP_LOAD || op == OP_LOAD_FP || op == OP_STORE || op == OP_STORE_FP || op == OP_AMO;
}

static void set_jump(struct insn *in, s32 off) { in->target = in->pc + (u64)(s64)off; }

static void classify(struct insn *in)
{
    u32 w = in->word;
    bool links = in->rd == RA || in->rd == T0;
    switch (w & 127) {
    case OP_AUIPC:
        in->cls = INSN_AUIPC;
        in->target = in->pc + (u64)(s64)(s32)(w & 0xfffff000u);
        break;
    case OP_BRANCH:
        in->cls = INSN_BRANCH;
        in->effect.cls = EFFECT_BRANCH;
        in->cond = (u8)bits(w, 14, 12);
        set_jump(in,
                 sign(bits(w, 31, 31) << 12 | bits(w, 7, 7) << 11 | bits(w, 30, 25) << 5 | bits(w, 11, 8) << 1, 13));
        break;
    case OP_JAL:
        in->cls = INSN_JAL;
        in->effect.cls = in->rd ? EFFECT_CALL : EFFECT_JUMP;
        set_jump(
            in, sign(bits(w, 31, 31) << 20 | bits(w, 19, 12) << 12 | bits(w, 20, 20) << 11 | bits(w, 30, 21) << 1, 21));
        break;
    case OP_JALR:
        in->cls = INSN_JALR;
        in->imm = (s32)w >> 20;
        in->effect.cls = links                                         ? EFFECT_CALL_INDIRECT
                         : !in->rd && (in->rs1 == RA || in->rs1 == T0) ? EFFECT_RETURN
                                                                       : EFFECT_JUMP_INDIRECT;
        break;
    case OP_SYSTEM:
        if (w == 0x73) {
            in->cls = INSN_ECALL;
            in->effect.cls = EFFECT_SYSCALL;
            in->ends_trace = true;
        }
        break;
    }
}

static void set_effect(struct insn *in, u32 uses)
{
    struct effect *e = &in->effect;
    e->reads = (uses & RS1 ? 1u << in->rs1 : 0) | (uses & RS2 ? 1u << in->rs2 : 0);
    e->writes = uses & RD ? 1u << in->rd : 0;
    if (in->cls == INSN_ECALL) {
        e->reads = 0xffu << A0;
        e->writes = 1u << A0;
    }
    e->reads &= ~1u;
    e->writes &= ~1u;
    e->kills = e->writes & ~e->reads;
    e->known = true;
    e->copied = in->cls == INSN_PLAIN && !((e->reads | e->writes) >> TP & 1);
}

bool decode_insn(struct insn *in, gpc_t pc, const u8 *bytes, size_t avail)
{
    u16 half;
    if (avail < 2)
        return false;
    memcpy(&half, bytes, 2);
    *in = (struct insn){.pc = pc, .len = (half & 3) == 3 ? 4 : 2};
    if (avail < in->len)
        return false;
    memcpy(in->bytes, bytes, in->len);
    if (in->len == 4)
        memcpy(&in->word, bytes, 4);
    else
        in->word = decode_expand(half);
    u32 uses = in->word ? uses_of(in->word) : ~0u;
    if (uses == ~0u) {
        in->cls = INSN_BAD;
        in->effect.cls = EFFECT_BAD;
        return true;
    }
    in->rd = uses & RD ? (u8)bits(in->word, 11, 7) : 0;
    in->rs1 = uses & RS1 ? (u8)bits(in->word, 19, 15) : 0;
    in->rs2 = uses & RS2 ? (u8)bits(in->word, 24, 20) : 0;
    in->writes_memory = uses & WRITES_MEMORY;
    in->uses_memory = uses_memory(in->word);
    classify(in);
    set_effect(in, uses);
    return true;
}

bool decode_insn_effect(struct insn *in, gpc_t pc, const u8 *bytes, size_t avail)
{
    return decode_insn(in, pc, bytes, avail);
}

/* Most instructions that are copied are decoded by a few shifts anyway. */
u32 decode_run(struct insn *in, gpc_t pc, const u8 *bytes, size_t avail, u32 max)
{
    (void)in, (void)pc, (void)bytes, (void)avail, (void)max;
    return 0;
}

void decode_init(void) {}
