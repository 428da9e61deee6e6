/* SPDX-License-Identifier: Apache-2.0
 * Machine code of RISC-V 64, one function for each shape of instruction. Everything that is written is 4 bytes long:
 * compressed instructions of the guest are written in their long form, so that a branch that is patched is aligned. */
#ifndef LP_RISCV64_EMIT_H
#define LP_RISCV64_EMIT_H
#include "arch/arch.h"
#include "cpu.h"

#include <string.h>

/* Of a field of the context, from tp. */
s32 ctx_disp(size_t field);
#define CTX(field) ctx_disp(offsetof(struct cpu_state, field))
#define CTX_SLOT(n) ctx_disp(offsetof(struct cpu_state, slot) + (n)*8)

static inline bool fits_bits(s64 v, u32 bits) { return v >= -(1l << (bits - 1)) && v < 1l << (bits - 1); }

static inline void emit_word(struct emit *e, u32 word)
{
    memcpy(e->p, &word, sizeof word);
    e->p += sizeof word;
}

static inline u32 enc_r(u32 op, u32 f3, u32 f7, u32 rd, u32 rs1, u32 rs2)
{
    return op | rd << 7 | f3 << 12 | rs1 << 15 | rs2 << 20 | f7 << 25;
}
static inline u32 enc_i(u32 op, u32 f3, u32 rd, u32 rs1, s32 imm)
{
    return op | rd << 7 | f3 << 12 | rs1 << 15 | (u32)imm << 20;
}
static inline u32 enc_s(u32 op, u32 f3, u32 rs1, u32 rs2, s32 imm)
{
    return op | ((u32)imm & 31) << 7 | f3 << 12 | rs1 << 15 | rs2 << 20 | ((u32)imm >> 5 & 127) << 25;
}
static inline u32 enc_b(u32 f3, u32 rs1, u32 rs2, s32 off)
{
    u32 o = (u32)off;
    return 0x63 | (o >> 11 & 1) << 7 | (o >> 1 & 15) << 8 | f3 << 12 | rs1 << 15 | rs2 << 20 | (o >> 5 & 63) << 25 |
           (o >> 12 & 1) << 31;
}
static inline u32 enc_u(u32 op, u32 rd, u32 imm) { return op | rd << 7 | (imm & 0xfffff000u); }
static inline u32 enc_j(u32 rd, s32 off)
{
    u32 o = (u32)off;
    return 0x6f | rd << 7 | (o & 0xff000u) | (o >> 11 & 1) << 20 | (o >> 1 & 0x3ff) << 21 | (o >> 20 & 1) << 31;
}

enum {
    OP_LOAD = 0x03,
    OP_LOAD_FP = 0x07,
    OP_FENCE = 0x0f,
    OP_IMM = 0x13,
    OP_AUIPC = 0x17,
    OP_IMM_32 = 0x1b,
    OP_STORE = 0x23,
    OP_STORE_FP = 0x27,
    OP_AMO = 0x2f,
    OP_OP = 0x33,
    OP_LUI = 0x37,
    OP_OP_32 = 0x3b,
    OP_FP = 0x53,
    OP_BRANCH = 0x63,
    OP_JALR = 0x67,
    OP_JAL = 0x6f,
    OP_SYSTEM = 0x73
};
enum { BEQ, BNE };

static inline u32 enc_ld(u32 rd, u32 base, s32 disp) { return enc_i(OP_LOAD, 3, rd, base, disp); }
static inline u32 enc_sd(u32 from, u32 base, s32 disp) { return enc_s(OP_STORE, 3, base, from, disp); }
static inline void emit_ld(struct emit *e, u32 rd, u32 base, s32 disp) { emit_word(e, enc_ld(rd, base, disp)); }
static inline void emit_sd(struct emit *e, u32 from, u32 base, s32 disp) { emit_word(e, enc_sd(from, base, disp)); }
static inline void emit_addi(struct emit *e, u32 rd, u32 rs1, s32 imm) { emit_word(e, enc_i(OP_IMM, 0, rd, rs1, imm)); }
static inline void emit_add(struct emit *e, u32 rd, u32 rs1, u32 rs2)
{
    emit_word(e, enc_r(OP_OP, 0, 0, rd, rs1, rs2));
}
static inline void emit_jr(struct emit *e, u32 rs1) { emit_word(e, enc_i(OP_JALR, 0, ZERO, rs1, 0)); }
/* Any constant, in up to 8 instructions. */
void emit_const(struct emit *e, u32 rd, u64 v);
/* The address of a field of struct thread, wherever it is. */
void emit_far_field(struct emit *e, u32 rd, size_t field);
/* A jump; it must reach. */
void emit_jump(struct emit *e, const u8 *to);
/* A jump through that register to any address: 3 instructions and 8 bytes, which are aligned where the first is at 4
 * modulo 8. */
void emit_jump_far(struct emit *e, u32 through, u64 to);
/* The instruction that a body begins with: who jumps to a body from far away, or comes from an indirect entry or the
 * VM, has the guest's t0 in its slot. Links go after it (arch_patch_branch). */
u32 emit_body_word(void);
/* Other processors fetch what was written. */
void emit_done(const void *from, const void *to);

/* Parts of the port that are still missing: says so and ends the process. */
void missing(const char *what) NORETURN;

#endif
