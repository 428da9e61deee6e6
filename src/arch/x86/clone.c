/* SPDX-License-Identifier: Apache-2.0
 * What the architecture owes to clones (jit/clones.h): returns to a known place, and the count of returns in indirect
 * entries. Under jit_lock. */
#include "arch/x86/lower.h"

#include "arch/arch.h"
#include "arch/x86/clone.h"

static void emit_pop(struct emit *e, u32 bytes)
{
    if (UNLIKELY(cpu_guest32)) {
        stack32_move(e, (s32)bytes);
    } else if (bytes < 128) { /* lea bytes(%rsp),%rsp */
        EMIT(e, 0x48, 0x8d, 0x64, 0x24, (u8)bytes);
    } else {
        EMIT(e, 0x48, 0x8d, 0xa4, 0x24);
        emit_u32(e, bytes);
    }
}

static void emit_load_return(struct emit *e)
{
    if (LIKELY(!cpu_guest32))
        emit_u8(e, 0x48);
    EMIT(e, 0x8b, 0x0c, 0x24); /* mov (%rsp),%rcx or %ecx */
}

/* rcx becomes 0 if it is v, and only then: its low half is subtracted, the halves are exchanged, the high one is
 * subtracted. No flags. */
static void emit_compare_rcx(struct emit *e, u64 v)
{
    static const u8 lea[] = {0x48, 0x8d, 0x89}; /* lea disp32(%rcx),%rcx */
    s32 low = (s32)v;
    emit_bytes(e, lea, sizeof lea);
    emit_u32(e, (u32)-low);
    EMIT(e, 0xc4, 0xe3, 0xfb, 0xf0, 0xc9, 32); /* rorx $32,%rcx,%rcx */
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
    emit_ib_save(&e, RCX);
    pass_state(b, e.p, HOW_IB_RCX, in->pc, 0);
    emit_load_return(&e);
    emit_compare_rcx(&e, to);
    EMIT(&e, 0xe3, 5, 0xe9); /* over the jump */
    u8 *other = e.p;
    emit_u32(&e, 0);
    emit_ib_restore(&e, RCX);
    pass_map(b, e.p, MAP_GUEST, in->pc, 0);
    emit_pop(&e, lower_ret_bytes(in));
    b->p = e.p;
    pass_map(b, b->p, MAP_TARGET, in->pc, (u16)b->nexits);
    lower_exit_jmp(b, to, EXIT_KIND_BRANCH);
    emit_land(other, b->p);
    e.p = b->p;
    pass_state(b, e.p, HOW_IB_RCX, in->pc, 0);
    emit_ib_save(&e, RAX);
    pass_state(b, e.p, HOW_IB, in->pc, 0);
    b->p = e.p;
    lower_ret_pops(b, in);
}

/* The code before an indirect entry: rcx is the target, rax is free. When the count is reached, the VM gets the
 * branch. */
u8 *arch_emit_ib_count(const struct region *r, u8 *p, const u32 *counter, u8 **start)
{
    struct emit e = {p};
    u32 at = (u32)(u64)counter;
    emit_move(&e, RCX, RAX);
    ib_marks.count_moved = (u8)(e.p - p);
    emit_jmp(&e, r->ib_none_restored);
    ib_marks.count_entry = (u8)(e.p - p);
    *start = e.p;
    emit_move(&e, RAX, RCX);
    EMIT(&e, 0x8b, 0x0c, 0x25); /* mov n,%ecx */
    emit_u32(&e, at);
    EMIT(&e, 0x8d, 0x49, 0x01, 0x89, 0x0c, 0x25); /* lea 1(%rcx),%ecx; mov %ecx,n */
    emit_u32(&e, at);
    EMIT(&e, 0x8d, 0x89); /* lea -hot(%rcx),%ecx */
    emit_u32(&e, -ibt_hot);
    emit_u8(&e, 0xe3); /* jrcxz */
    emit_u8(&e, (u8)(p - (e.p + 1)));
    emit_move(&e, RCX, RAX);
    ib_marks.count_bytes = (u8)(e.p - p);
    return e.p;
}
