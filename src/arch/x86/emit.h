/* SPDX-License-Identifier: Apache-2.0
 * Byte emitters: each appends one instruction at e->p. None but those that say so touches flags. Context accesses are
 * `%fs:disp32` with disp32 = offset of the field from the thread pointer (ctx_disp). */
#ifndef LP_X86_EMIT_H
#define LP_X86_EMIT_H
#include "arch/arch.h"
#include "arch/x86/cpu.h"
#include "cache/cache.h"

#include <string.h>

/* Offset from FS base of the calling thread's vm_tc.cpu + field; the same in every thread (local-exec TLS). */
s32 ctx_disp(size_t field);
#define CTX(field) ctx_disp(offsetof(struct cpu_state, field))
#define CTX_SLOT(i) ctx_disp(offsetof(struct cpu_state, slot) + (size_t)(i) * 8)

static inline void emit_u8(struct emit *e, u8 v) { *e->p++ = v; }
static inline void emit_u32(struct emit *e, u32 v) { memcpy(e->p, &v, 4); e->p += 4; }
static inline void emit_u64(struct emit *e, u64 v) { memcpy(e->p, &v, 8); e->p += 8; }
static inline void emit_bytes(struct emit *e, const void *b, size_t n) { memcpy(e->p, b, n); e->p += n; }
/* Bytes that are written out at the place where they are emitted. */
#define EMIT(e, ...) emit_bytes(e, (const u8[]){__VA_ARGS__}, sizeof(const u8[]){__VA_ARGS__})

/* Can an instruction ending at `end` reach `to` with a 32-bit displacement? (with room for the instruction itself) */
static inline bool in_reach(const u8 *end, u64 to)
{
    s64 d = (s64)(to - (u64)end);
    return d > -0x7fff0000l && d < 0x7fff0000l;
}

static inline void emit_ctx_op(struct emit *e, u8 opcode, enum gpr r, s32 disp)
{
    EMIT(e, 0x64, 0x48 | (r >> 3) << 2, opcode, 0x04 | (r & 7) << 3, 0x25);
    emit_u32(e, (u32)disp);
}
static inline void emit_store_ctx(struct emit *e, s32 disp, enum gpr r) { emit_ctx_op(e, 0x89, r, disp); }
static inline void emit_load_ctx(struct emit *e, enum gpr r, s32 disp) { emit_ctx_op(e, 0x8b, r, disp); }
static inline void emit_xchg_ctx(struct emit *e, s32 disp, enum gpr r) { emit_ctx_op(e, 0x87, r, disp); }

/* mov %from,%to */
static inline void emit_move(struct emit *e, enum gpr to, enum gpr from)
{
    EMIT(e, (u8)(0x48 | (from >> 3) << 2 | to >> 3), 0x89, (u8)(0xc0 | (from & 7) << 3 | (to & 7)));
}

/* lahf; seto %al */
static inline void emit_flags_to_ax(struct emit *e)
{
    EMIT(e, 0x9f, 0x0f, 0x90, 0xc0);
}

/* add $0x7f,%al; sahf */
static inline void emit_flags_from_ax(struct emit *e)
{
    EMIT(e, 0x04, 0x7f, 0x9e);
}

/* movq $imm32 (sign extended), %fs:disp */
static inline void emit_store_ctx_imm(struct emit *e, s32 disp, s32 imm)
{
    EMIT(e, 0x64, 0x48, 0xc7, 0x04, 0x25);
    emit_u32(e, (u32)disp);
    emit_u32(e, (u32)imm);
}

static inline void emit_push_reg(struct emit *e, enum gpr r)
{
    if (r >= 8)
        emit_u8(e, 0x41);
    emit_u8(e, (u8)(0x50 | (r & 7)));
}

static inline void emit_pop_reg(struct emit *e, enum gpr r)
{
    if (r >= 8)
        emit_u8(e, 0x41);
    emit_u8(e, (u8)(0x58 | (r & 7)));
}

/* The shortest flag-free way to a constant. */
static inline void emit_const(struct emit *e, enum gpr r, u64 v)
{
    if (v <= 0xffffffffu) {
        if (r >= 8)
            emit_u8(e, 0x41);
        emit_u8(e, 0xb8 | (r & 7));
        emit_u32(e, (u32)v);
    } else if (in_reach(e->p + 7, v)) { /* lea disp(%rip) */
        EMIT(e, 0x48 | (r >> 3) << 2, 0x8d, 0x05 | (r & 7) << 3);
        emit_u32(e, (u32)(v - (u64)(e->p + 4)));
    } else {
        EMIT(e, 0x48 | r >> 3, 0xb8 | (r & 7));
        emit_u64(e, v);
    }
}

/* The operand disp(%base), r in the other place of its modrm. */
static inline void emit_at(struct emit *e, enum gpr r, enum gpr base, s32 disp)
{
    bool none = !disp && (base & 7) != RBP, small = disp == (s8)disp;
    emit_u8(e, (u8)((none ? 0 : small ? 0x40 : 0x80) | (r & 7) << 3 | (base & 7)));
    if ((base & 7) == RSP)
        emit_u8(e, 0x24);
    if (small && !none)
        emit_u8(e, (u8)disp);
    else if (!none)
        emit_u32(e, (u32)disp);
}

/* lea disp(base,index,scale),%to, or a move; base, index: -1: none, but not both */
static inline void emit_lea_of(struct emit *e, u8 rex, enum gpr to, int base, int index, u8 scale, s32 disp)
{
    u8 log = scale == 8 ? 3 : scale == 4 ? 2 : scale == 2 ? 1 : 0;
    EMIT(e, (u8)(rex | (to >> 3) << 2 | (index < 0 ? 0 : index >> 3) << 1 | (base < 0 ? 0 : base >> 3)), 0x8d);
    if (index < 0) {
        emit_at(e, to, (enum gpr)base, disp);
        return;
    }
    bool none = base >= 0 && !disp && (base & 7) != RBP, small = base >= 0 && disp == (s8)disp;
    emit_u8(e, (u8)((base < 0 || none ? 0 : small ? 0x40 : 0x80) | (to & 7) << 3 | RSP));
    emit_u8(e, (u8)(log << 6 | (index & 7) << 3 | (base < 0 ? RBP : base & 7)));
    if (small && !none)
        emit_u8(e, (u8)disp);
    else if (!none)
        emit_u32(e, (u32)disp);
}

static inline void emit_lea(struct emit *e, enum gpr to, int base, int index, u8 scale, s32 disp)
{
    if (index >= 0 || disp)
        emit_lea_of(e, 0x48, to, base, index, scale, disp);
    else if (base != (int)to)
        emit_move(e, to, (enum gpr)base);
}

/* The same, cut to 32 bits. */
static inline void emit_lea_narrow(struct emit *e, enum gpr to, int base, int index, u8 scale, s32 disp)
{
    emit_lea_of(e, 0x40, to, base, index, scale, disp);
}

/* The jump whose 4 bytes of displacement are at `at` leads to `to`; NULL: there is none. */
static inline void emit_land(u8 *at, const u8 *to)
{
    if (at)
        memcpy(at, &(s32){(s32)(to - (at + 4))}, sizeof(s32));
}

static inline void emit_jmp(struct emit *e, const u8 *to)
{
    emit_u8(e, 0xe9);
    emit_u32(e, (u32)(to - (e->p + 4)));
}

/* jmp *literal(%rip) with the literal after it, aligned: the guest may have alignment checks on. At most 21 bytes. */
static inline void emit_jmp_far(struct emit *e, u64 to)
{
    u8 *literal = (u8 *)(((u64)e->p + 6 + 7) & ~7ul);
    EMIT(e, 0xff, 0x25);
    emit_u32(e, (u32)(literal - (e->p + 4)));
    memcpy(literal, &to, 8);
    e->p = literal + 8;
}

/* Is there such a jump, or one of emit_jmp or its short form? Where does it lead? */
static inline bool emit_is_jmp_far(const u8 *at) { return at[0] == 0xff; }
static inline bool emit_is_jmp(const u8 *at) { return at[0] == 0xe9 || at[0] == 0xeb; }
static inline u64 emit_jmp_far_target(const u8 *at)
{
    s32 disp;
    u64 to;
    memcpy(&disp, at + 2, sizeof disp);
    memcpy(&to, at + 6 + disp, sizeof to);
    return to;
}

static inline void emit_nops(struct emit *e, unsigned n)
{
    static const u8 nop[8][8] = {{0x90}, {0x66, 0x90}, {0x0f, 0x1f, 0x00}, {0x0f, 0x1f, 0x40, 0},
        {0x0f, 0x1f, 0x44, 0, 0}, {0x66, 0x0f, 0x1f, 0x44, 0, 0}, {0x0f, 0x1f, 0x80, 0, 0, 0, 0},
        {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}};
    while (n) {
        unsigned k = n > 8 ? 8 : n;
        emit_bytes(e, nop[k - 1], k);
        n -= k;
    }
}

/* eax = ibt_index(rcx), without flags */
static inline void emit_ibt_index(struct emit *e)
{
    /* rorx $12,%ecx,%eax; lea (%rcx,%rax),%eax; movzwl %ax,%eax */
    if (ibt_mixes)
        EMIT(e, 0xc4, 0xe3, 0x7b, 0xf0, 0xc1, 12, 0x8d, 0x04, 0x01, 0x0f, 0xb7, 0xc0);
    else
        EMIT(e, 0x0f, 0xb7, 0xc1); /* movzwl %cx,%eax */
}

/* Pads so that the 4 bytes that will stand at e->p + before do not cross a cache line: they can be patched atomically
 * (E7). */
static inline void emit_align_patch(struct emit *e, unsigned before)
{
    unsigned at = (unsigned)((u64)(e->p + before) & 63);
    if (at > 60)
        emit_nops(e, 64 - at);
}

#endif
