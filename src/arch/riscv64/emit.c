/* SPDX-License-Identifier: Apache-2.0
 * Writing machine code, for the files of this folder and for src/opt (arch.h, 9). */
#include "arch/riscv64/emit.h"

#include "opt/pass.h"
#include "os/thread.h"

#define REGISTERS_ALL (~0u & ~(1u << ZERO) & ~(1u << TP))

const struct arch_info arch_info = {
    .registers = GPR_COUNT,
    .all = REGISTERS_ALL,
    .sp = SP,
    .flags_in = ZERO, /* there are none */
    .carry = T6,
    .least = 1u << T0 | 1u << T1, /* indirect branches use them */
    .syscall_bytes = 4,
    .code_bytes = 64,
    .entry_bytes = 64,
    .branch_reach = 1u << 20, /* jal */
    .home = offsetof(struct cpu_state, bridge.gpr),
};

void missing(const char *what)
{
    die(1, "RISC-V 64: %s: not done in this port yet (guest pc 0x%lx)", what, vm_tc.cpu.pc);
}

s32 ctx_disp(size_t field) { return (s32)((u64)&vm_tc + field - (u64)__builtin_thread_pointer()); }

void emit_done(const void *from, const void *to) { __builtin___clear_cache((char *)from, (char *)to); }

/* From the top: each step shifts what is there and adds 12 bits, or begins with lui where the rest has 32 bits. */
void emit_const(struct emit *e, u32 rd, u64 v)
{
    s32 low = (s32)((u32)v << 20) >> 20;
    if (fits_bits((s64)v, 12)) {
        emit_addi(e, rd, ZERO, (s32)v);
    } else if (fits_bits((s64)v, 32)) {
        emit_word(e, enc_u(OP_LUI, rd, (u32)v + 0x800u));
        if (low) /* addiw: the sum wraps */
            emit_word(e, enc_i(OP_IMM_32, 0, rd, rd, low));
    } else {
        u64 high = (v - (u64)(s64)low) >> 12;
        high = (u64)((s64)(high << 12) >> 12);
        emit_const(e, rd, high);
        emit_word(e, enc_i(OP_IMM, 1, rd, rd, 12)); /* slli */
        if (low)
            emit_addi(e, rd, rd, low);
    }
}

void emit_far_field(struct emit *e, u32 rd, size_t field)
{
    emit_const(e, rd, (u64)(s64)ctx_disp(field));
    emit_add(e, rd, rd, TP);
}

void emit_jump(struct emit *e, const u8 *to)
{
    s64 off = to - e->p;
    ASSERT(fits_bits(off, 21));
    emit_word(e, enc_j(ZERO, (s32)off));
}

void emit_jump_far(struct emit *e, u32 through, u64 to)
{
    emit_word(e, enc_u(OP_AUIPC, through, 0));
    emit_ld(e, through, through, 12);
    emit_jr(e, through);
    memcpy(e->p, &to, sizeof to);
    e->p += sizeof to;
}

u32 emit_body_word(void) { return enc_ld(T0, TP, CTX_SLOT(0)); }

/* --- for src/opt -------------------------------------------------------------------------------------------------- */

static s32 near_field(size_t field)
{
    s32 disp = ctx_disp(field);
    if (!fits_bits(disp, 12))
        missing("code of the optimiser that reaches a far field of the context");
    return disp;
}

void arch_load_ctx(struct emit *e, u32 to, size_t field, u32 bytes)
{
    emit_word(e, enc_i(OP_LOAD, bytes == 8 ? 3 : 6, to, TP, near_field(field)));
}

void arch_store_ctx(struct emit *e, size_t field, u32 from) { emit_sd(e, from, TP, near_field(field)); }
void arch_move(struct emit *e, u32 to, u32 from) { emit_addi(e, to, from, 0); }
void arch_const(struct emit *e, u32 to, u64 v) { emit_const(e, to, v); }

u8 *arch_jump(struct emit *e, const u8 *to)
{
    emit_jump(e, to ? to : e->p);
    return e->p - 4;
}

/* There are no flags. */
void arch_flags(struct emit *e, enum arch_flags way) { (void)e, (void)way; }
