/* SPDX-License-Identifier: Apache-2.0
 * The instructions that src/opt has written (arch/arch.h), by the emitters of emit.h. No state. */
#include "arch/x86/emit.h"

#include "arch/arch.h"
#include "arch/x86/lower.h"

const struct arch_info arch_info = {
    .registers = GPR_COUNT,
    .all = 0xffff,
    .sp = RSP,
    .flags_in = RAX,
    .carry = CARRY_HOME,
    .least = 1u << RCX, /* indirect branches use it */
    .syscall_bytes = SYSCALL_BYTES,
    .sections = true,
    .call_bytes = 5,
    .code_bytes = 16,
    .entry_bytes = 96,
    .branch_reach = 1ul << 31,
    .home = offsetof(struct cpu_state, bridge.gpr),
};

void arch_load_ctx(struct emit *e, u32 to, size_t field, u32 bytes)
{
    if (bytes == 8) {
        emit_load_ctx(e, (enum gpr)to, ctx_disp(field));
        return;
    }
    emit_u8(e, 0x64); /* mov %fs:disp,%to, 32 bits */
    if (to >= 8)
        emit_u8(e, 0x44);
    EMIT(e, 0x8b, (u8)(0x04 | (to & 7) << 3), 0x25);
    emit_u32(e, (u32)ctx_disp(field));
}

void arch_store_ctx(struct emit *e, size_t field, u32 from) { emit_store_ctx(e, ctx_disp(field), (enum gpr)from); }
void arch_move(struct emit *e, u32 to, u32 from) { emit_move(e, (enum gpr)to, (enum gpr)from); }
void arch_const(struct emit *e, u32 to, u64 v) { emit_const(e, (enum gpr)to, v); }
void arch_add_const(struct emit *e, u32 to, u32 from, s32 more) { emit_lea(e, (enum gpr)to, (int)from, -1, 1, more); }

void arch_flags(struct emit *e, enum arch_flags way)
{
    if (way == FLAGS_SAVE)
        emit_flags_to_ax(e);
    else
        emit_flags_from_ax(e);
}

u8 *arch_jump(struct emit *e, const u8 *to)
{
    u8 *patch = NULL;
    if (to)
        emit_jmp(e, to);
    else
        e->p = lower_jmp(e->p, &patch);
    return patch;
}

void arch_park_flags(struct pass *b, gpc_t pc)
{
    struct emit e = {b->p};
    emit_flags_to_ax(&e);
    emit_store_ctx(&e, CTX_SLOT(3), RAX);
    pass_state(b, e.p, HOW_COUNT, pc, MAP_COUNT_FLAGS);
    b->p = e.p;
}

static void emit_test(struct emit *e, u32 r, u32 bytes)
{
    u8 rex = (u8)((bytes == 8) << 3 | r >> 3 | (r >> 3) << 2);
    if (rex || r >= 4)
        emit_u8(e, 0x40 | rex);
    EMIT(e, bytes == 1 ? 0x84 : 0x85, (u8)(0xc0 | (r & 7) << 3 | (r & 7)));
}

u8 *arch_branch(struct emit *e, enum arch_condition if_what, u32 r, size_t what)
{
    if (if_what == BRANCH_ABOVE)
        emit_ctx_op(e, 0x3b, (enum gpr)r, ctx_disp(what)); /* cmp */
    else
        emit_test(e, r, (u32)what);
    EMIT(e, 0x0f, if_what == BRANCH_ABOVE ? 0x87 : 0x85); /* ja, jnz */
    emit_u32(e, 0);
    return e->p - 4;
}

void arch_store_mem(struct emit *e, u32 base, s32 disp, u32 from, u32 bytes)
{
    u8 rex = (u8)(0x40 | (bytes == 8) << 3 | (from >> 3) << 2 | base >> 3);
    if (rex != 0x40 || bytes == 1)
        emit_u8(e, rex);
    emit_u8(e, bytes == 1 ? 0x88 : 0x89);
    emit_at(e, (enum gpr)from, (enum gpr)base, disp);
}

bool arch_store_mem_const(struct emit *e, u32 base, s32 disp, u64 v, u32 bytes)
{
    bool fits = bytes != 8 || fits_s32((s64)v);
    if (!e || !fits)
        return fits;
    u8 rex = (u8)(0x40 | (bytes == 8) << 3 | base >> 3);
    if (rex != 0x40)
        emit_u8(e, rex);
    emit_u8(e, bytes == 1 ? 0xc6 : 0xc7);
    emit_at(e, 0, (enum gpr)base, disp);
    u32 low = (u32)v;
    emit_bytes(e, &low, bytes == 1 ? 1 : 4);
    return true;
}
