/* SPDX-License-Identifier: Apache-2.0
 * What the architecture owes to clones (jit/clones.h): returns to a known place, and the count of returns in indirect
 * entries. Under jit_lock. */
#include "arch/x86/lower.h"

#include "arch/arch.h"
#include "arch/x86/clone.h"

static void emit_pop(struct emit *e, u32 bytes)
{
    static const u8 lea8[] = {0x48, 0x8d, 0x64, 0x24}, lea32[] = {0x48, 0x8d, 0xa4, 0x24}; /* lea bytes(%rsp),%rsp */
    if (bytes < 128) {
        emit_bytes(e, lea8, sizeof lea8);
        emit_u8(e, (u8)bytes);
    } else {
        emit_bytes(e, lea32, sizeof lea32);
        emit_u32(e, bytes);
    }
}

static void emit_load_return(struct emit *e)
{
    static const u8 load[] = {0x48, 0x8b, 0x0c, 0x24}; /* mov (%rsp),%rcx */
    emit_bytes(e, load, sizeof load);
}

/* rcx becomes 0 if it is v, and only then: its low half is subtracted, the halves are exchanged, the high one is
 * subtracted. No flags. */
static void emit_compare_rcx(struct emit *e, u64 v)
{
    static const u8 lea[] = {0x48, 0x8d, 0x89}, rorx[] = {0xc4, 0xe3, 0xfb, 0xf0, 0xc9, 32};
    s32 low = (s32)v;
    emit_bytes(e, lea, sizeof lea);
    emit_u32(e, (u32)-low);
    emit_bytes(e, rorx, sizeof rorx);
    emit_bytes(e, lea, sizeof lea);
    emit_u32(e, (u32)-(u32)((v - (u64)(s64)low) >> 32));
}

void lower_ret_pops(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    emit_load_return(&e);
    emit_pop(&e, lower_ret_bytes(in));
    b->p = e.p;
    lower_indirect_end(b, in);
}

void lower_ret_known(struct pass *b, const struct insn *in, gpc_t to)
{
    struct emit e = {b->p};
    pass_map(b, e.p, MAP_GUEST, in->pc, 0);
    emit_store_ctx(&e, CTX_SLOT(0), RCX);
    pass_state(b, e.p, HOW_SPILL, in->pc, RCX << 4);
    emit_load_return(&e);
    emit_compare_rcx(&e, to);
    static const u8 jrcxz[] = {0xe3, 5, 0xe9}; /* over the jump */
    emit_bytes(&e, jrcxz, sizeof jrcxz);
    u8 *other = e.p;
    emit_u32(&e, 0);
    emit_load_ctx(&e, RCX, CTX_SLOT(0));
    pass_map(b, e.p, MAP_GUEST, in->pc, 0);
    emit_pop(&e, lower_ret_bytes(in));
    b->p = e.p;
    pass_map(b, b->p, MAP_TARGET, in->pc, (u16)b->nexits);
    lower_exit_jmp(b, to, EXIT_KIND_BRANCH);
    u32 rel = (u32)(b->p - (other + 4));
    memcpy(other, &rel, sizeof rel);
    e.p = b->p;
    pass_state(b, e.p, HOW_SPILL, in->pc, RCX << 4);
    emit_store_ctx(&e, CTX_SLOT(1), RAX);
    pass_state(b, e.p, HOW_IB, in->pc, 0);
    b->p = e.p;
    lower_ret_pops(b, in);
}

/* The code before an indirect entry: rcx is the target, rax is free. When the count is reached, the VM gets the
 * branch. */
u8 *arch_emit_ib_count(const struct region *r, u8 *p, gpc_t pc, u8 **start)
{
    static const u8 back[] = {0x48, 0x89, 0xc1}, away[] = {0x48, 0x89, 0xc8}; /* mov %rax,%rcx; mov %rcx,%rax */
    /* Mov n,%ecx; lea 1(%rcx),%ecx; mov %ecx,n; lea -hot(%rcx),%ecx. */
    static const u8 load[] = {0x8b, 0x0c, 0x25}, add[] = {0x8d, 0x49, 0x01, 0x89, 0x0c, 0x25}, look[] = {0x8d, 0x89};
    struct emit e = {p};
    u32 at = (u32)(u64)&ibt_count[ibt_index(pc)];
    emit_bytes(&e, back, sizeof back);
    ib_marks.count_moved = (u8)(e.p - p);
    emit_jmp(&e, r->ib_none_restored);
    ib_marks.count_entry = (u8)(e.p - p);
    *start = e.p;
    emit_bytes(&e, away, sizeof away);
    emit_bytes(&e, load, sizeof load);
    emit_u32(&e, at);
    emit_bytes(&e, add, sizeof add);
    emit_u32(&e, at);
    emit_bytes(&e, look, sizeof look);
    emit_u32(&e, -ibt_hot);
    emit_u8(&e, 0xe3); /* jrcxz */
    emit_u8(&e, (u8)(p - (e.p + 1)));
    emit_bytes(&e, back, sizeof back);
    ib_marks.count_bytes = (u8)(e.p - p);
    return e.p;
}
