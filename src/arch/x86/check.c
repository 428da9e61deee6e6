/* SPDX-License-Identifier: Apache-2.0
 * See check.h. The source of a trace is compared with what was translated, when the trace is entered, without touching
 * flags. Where a change of the constant of an instruction was all that made earlier traces stale, the constant is no
 * part of the comparison: it is read from the program's code each time (b->varying). The guest may have alignment
 * checks on, so all accesses are aligned. Under jit_lock. */
#include "arch/x86/check.h"

#include "arch/x86/lower.h"

#include <string.h>

/* Bytes of the constant of mov $constant, %register, and where it is; 0: the instruction is another. */
static u32 constant_of(const struct insn *in, u32 *off)
{
    if (in->cls != INSN_PLAIN || in->vex || in->prefixes || in->modrm_off != 0xff || (in->opcode & 0xf8) != 0xb8)
        return 0;
    *off = in->op_off + 1u;
    return in->len - *off;
}

/* All that varies must be in such constants. */
static void plan_constants(struct pass *b)
{
    u64 left = b->varying;
    b->arch.nconstants = 0;
    if (b->guest_bytes > 64)
        return;
    for (u32 i = 0; left && i < b->ninsns && b->arch.nconstants < CPU_CONSTANTS; i++) {
        u32 off, bytes = constant_of(&b->insn[i], &off), at = (u32)(b->insn[i].pc - b->pc) + off;
        u64 mask = bytes ? ((1ul << bytes) - 1) << at : 0;
        if (!(left & mask))
            continue;
        b->arch.constant[b->arch.nconstants++] = (struct varying_constant){(u16)at, (u16)bytes};
        left &= ~mask;
    }
    if (left)
        b->arch.nconstants = 0;
}

static s32 constant_disp(u32 i) { return ctx_disp(offsetof(struct cpu_state, constant) + i * sizeof(u64)); }

/* mov at, %rax or a part of it */
static void load_piece(struct emit *e, u64 at, unsigned bytes)
{
    if (bytes == 8)
        emit_u8(e, 0x48);
    if (bytes == 2)
        emit_u8(e, 0x66);
    emit_u8(e, bytes == 1 ? 0xa0 : 0xa1);
    emit_u64(e, at);
}

/* One piece of the comparison: rax = source bytes, rcx = their difference to what was translated. */
static void check_piece(struct emit *e, u64 at, const u8 *source, unsigned bytes, u8 **stale, u32 *nstale)
{
    u64 want = 0;
    memcpy(&want, source, bytes);
    if (bytes < 4) {
        emit_u8(e, 0xb8);
        emit_u32(e, 0);
    }
    load_piece(e, at, bytes);
    EMIT(e, 0x48, 0xb9);
    emit_u64(e, -want);
    EMIT(e, 0x48, 0x8d, 0x0c, 0x08, 0xe3, 5, 0xe9);
    stale[(*nstale)++] = e->p;
    emit_u32(e, 0);
}

/* mov between rax, or a part of it, and the context; op: that of bytes */
static void ctx_piece(struct emit *e, u8 op, s32 disp, unsigned bytes)
{
    emit_u8(e, 0x64);
    if (bytes == 2)
        emit_u8(e, 0x66);
    if (bytes == 8)
        emit_u8(e, 0x48);
    EMIT(e, bytes == 1 ? op : op + 1, 0x04, 0x25);
    emit_u32(e, (u32)disp);
}

/* The longest piece that is aligned in both places. */
static unsigned piece_bytes(u64 at, u64 to, u32 left)
{
    unsigned n = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
    while ((at | to) & (n - 1))
        n /= 2;
    return n;
}

enum { MOV_TO_MEMORY = 0x88, MOV_FROM_MEMORY = 0x8a };

/* The constant goes to the context. One that is not aligned: by the aligned words that it is in, each read at once,
 * because another thread may change it; from there in pieces. */
static void copy_constant(struct emit *e, u64 at, s32 to, u32 bytes)
{
    u64 word = at & ~7ul;
    if (!(at & (bytes - 1))) {
        load_piece(e, at, bytes);
        ctx_piece(e, MOV_TO_MEMORY, to, bytes);
        return;
    }
    for (u32 i = 0; word + i * 8 < at + bytes; i++) {
        load_piece(e, word + i * 8, 8);
        ctx_piece(e, MOV_TO_MEMORY, CTX_SLOT(2 + i), 8);
    }
    for (u32 n, done = 0; done < bytes; done += n) {
        n = piece_bytes(at + done, done, bytes - done);
        ctx_piece(e, MOV_FROM_MEMORY, CTX_SLOT(2) + (s32)((at & 7) + done), n);
        ctx_piece(e, MOV_TO_MEMORY, to + (s32)done, n);
    }
}

/* Constants that vary are copied, all else is compared. */
static u32 emit_pieces(struct pass *b, struct emit *e, u8 **stale)
{
    u32 nstale = 0, done = 0, next = 0;
    while (done < b->guest_bytes) {
        const struct varying_constant *c = next < b->arch.nconstants ? &b->arch.constant[next] : NULL;
        if (c && c->off == done) {
            copy_constant(e, b->pc + done, constant_disp(next++), c->bytes);
            done += c->bytes;
            continue;
        }
        unsigned n = piece_bytes(b->pc + done, 0, (c ? c->off : b->guest_bytes) - done);
        check_piece(e, b->pc + done, b->source + done, n, stale, &nstale);
        done += n;
    }
    return nstale;
}

void check_lower(struct pass *b)
{
    b->arch.nconstants = 0;
    if (LIKELY(!b->checked))
        return;
    struct emit e = {b->p};
    u8 *stale[512];
    plan_constants(b);
    pass_map(b, b->p, MAP_GUEST, b->pc, 0);
    emit_store_ctx(&e, CTX_SLOT(0), RCX);
    emit_store_ctx(&e, CTX_SLOT(1), RAX);
    pass_state(b, e.p, HOW_CHECK, b->pc, 0);
    u32 nstale = emit_pieces(b, &e, stale);
    emit_load_ctx(&e, RCX, CTX_SLOT(0));
    emit_load_ctx(&e, RAX, CTX_SLOT(1));
    emit_u8(&e, 0xeb);
    u8 *over = e.p;
    emit_u8(&e, 0);
    for (u32 i = 0; i < nstale; i++) {
        u32 rel = (u32)(e.p - (stale[i] + 4));
        memcpy(stale[i], &rel, 4);
    }
    emit_load_ctx(&e, RCX, CTX_SLOT(0));
    emit_load_ctx(&e, RAX, CTX_SLOT(1));
    b->p = e.p;
    lower_exit_jmp(b, b->pc, EXIT_KIND_STALE);
    *over = (u8)(b->p - (over + 1));
}

bool check_lower_constant(struct pass *b, const struct insn *in)
{
    u32 off, i = 0;
    if (LIKELY(!b->arch.nconstants) || !constant_of(in, &off))
        return false;
    while (i < b->arch.nconstants && b->arch.constant[i].off != in->pc + off - b->pc)
        i++;
    if (i == b->arch.nconstants)
        return false;
    u8 rex = in->rex_off == 0xff ? 0 : in->bytes[in->rex_off];
    u32 to = (in->opcode & 7u) | (rex & 1u) << 3;
    size_t field = offsetof(struct cpu_state, constant) + i * sizeof(u64);
    struct emit e = {b->p};
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
    arch_load_ctx(&e, to, field, b->arch.constant[i].bytes);
    b->p = e.p;
    return true;
}
