/* SPDX-License-Identifier: Apache-2.0
 * An addition to a counter of the tool's (opt/count.h), in the middle of guest code: one instruction where the guest
 * does not need its flags, else load, lea and store. Under jit_lock. */
#include "arch/x86/lower.h"
#include "opt/hold.h"

struct spot {
    enum { SPOT_THREAD, SPOT_LOW, SPOT_NEAR, SPOT_REG } how;
    u64 addr; /* SPOT_THREAD: from the FS base */
    enum gpr base;
};

/* [64] [66] [F0] [REX] opcode modrm ... of an access to the counter, `tail` bytes of immediate follow. */
static void emit_access(struct emit *e, const struct count *k, const u8 *op, size_t nop, u8 reg, const struct spot *s,
                        unsigned tail)
{
    if (s->how == SPOT_THREAD)
        emit_u8(e, 0x64);
    if (k->locked)
        emit_u8(e, 0xf0);
    if (k->bytes == 2 && op[0] != 0x0f)
        emit_u8(e, 0x66);
    u8 rex = (u8)(0x40 | (k->bytes == 8) << 3 | (reg >> 3) << 2 | (s->how == SPOT_REG ? s->base >> 3 : 0));
    if (rex != 0x40 || k->bytes == 1)
        emit_u8(e, rex);
    emit_bytes(e, op, nop);
    u8 r = (u8)((reg & 7) << 3);
    if (s->how == SPOT_LOW || s->how == SPOT_THREAD) {
        EMIT(e, (u8)(0x04 | r), 0x25);
        emit_u32(e, (u32)s->addr);
    } else if (s->how == SPOT_NEAR) {
        emit_u8(e, (u8)(0x05 | r));
        emit_u32(e, (u32)(s->addr - (u64)(e->p + 4 + tail)));
    } else {
        emit_u8(e, (u8)(0x40 | r | (s->base & 7)));
        if ((s->base & 7) == RSP)
            emit_u8(e, 0x24);
        emit_u8(e, 0);
    }
}

static void emit_add(struct emit *e, const struct count *k, const struct spot *s)
{
    bool small = k->sum == (s8)k->sum || k->bytes == 1;
    u8 op = k->bytes == 1 ? 0x80 : small ? 0x83 : 0x81;
    unsigned tail = small ? 1 : k->bytes == 2 ? 2 : 4;
    emit_access(e, k, &op, 1, 0, s, tail);
    s32 imm = (s32)k->sum;
    emit_bytes(e, &imm, tail);
}

/* The sum of %r and sum, or of %r and sum times rcx, unless that is 0. */
static void emit_sum(struct emit *e, const struct count *k, enum gpr r)
{
    u8 *to_zero = e->p + 1, *to_end = NULL;
    if (k->repeats) {
        EMIT(e, 0xe3, 0); /* jrcxz */
        emit_lea(e, r, (int)r, RCX, (u8)k->sum, 0);
        EMIT(e, 0xeb, 0); /* jmp */
        to_end = e->p - 1;
        *to_zero = (u8)(e->p - (to_zero + 1));
    }
    emit_lea(e, r, (int)r, -1, 1, (s32)k->sum);
    if (to_end)
        *to_end = (u8)(e->p - (to_end + 1));
}

/* Without flags: load, lea, store. */
static void emit_add_by_lea(struct emit *e, const struct count *k, const struct spot *s, enum gpr r)
{
    static const u8 load[][2] = {[1] = {0x0f, 0xb6}, [2] = {0x0f, 0xb7}, [4] = {0x8b}, [8] = {0x8b}};
    u8 store = k->bytes == 1 ? 0x88 : 0x89;
    emit_access(e, k, load[k->bytes], k->bytes < 4 ? 2 : 1, r, s, 0);
    emit_sum(e, k, r);
    emit_access(e, k, &store, 1, r, s, 0);
}

/* Chooses a register to use: one that the guest does not need, else one that is spilled. */
static enum gpr pick(struct live *l, u16 *ours, u16 *spilled)
{
    static const enum gpr order[] = {RAX, RCX, RDX, RSI, RDI, R8, R9, R10, R11, RBX, RBP, R12, R13, R14, R15};
    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        if (!(l->regs >> order[i] & 1)) {
            l->regs |= (u16)(1u << order[i]);
            *ours |= (u16)(1u << order[i]);
            return order[i];
        }
    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        if (!(*ours >> order[i] & 1)) {
            *ours |= (u16)(1u << order[i]);
            *spilled |= (u16)(1u << order[i]);
            return order[i];
        }
    BUG("no register left");
}

enum { SLOT_FIRST = 5, SLOT_SECOND = 7 };

static u16 map_data(const enum gpr *spill, u32 nspill, bool flags)
{
    u16 data = (u16)(nspill << 8 | (flags ? MAP_COUNT_FLAGS : 0));
    if (nspill)
        data |= (u16)spill[0];
    if (nspill > 1)
        data |= (u16)(spill[1] << 4);
    return data;
}

static void choose_spot(const struct count *k, const struct emit *e, struct spot *s)
{
    s->addr = k->in_thread ? (u64)(s64)ctx_disp(k->addr) : k->addr;
    s->how = k->in_thread                                              ? SPOT_THREAD
             : s->addr < 0x7fff0000                                    ? SPOT_LOW
             : in_reach(e->p + 64, s->addr) && in_reach(e->p, s->addr) ? SPOT_NEAR
                                                                       : SPOT_REG;
}

void arch_add_mem(struct pass *b, struct pass_count *bc, gpc_t pc, struct live l)
{
    struct count *k = &bc->c;
    struct emit e = {b->p};
    struct spot s;
    choose_spot(k, &e, &s);
    bool by_lea = (l.flags || k->repeats) && !k->locked, flags = l.flags && k->locked;
    u16 spilled = 0, ours = (u16)(b->reserved | flags << RAX | k->repeats << RCX);
    enum gpr spill[2], value = RAX;
    u32 nspill = 0;
    if (flags && l.regs & 1u << RAX)
        spilled |= 1u << RAX;
    l.regs |= ours;
    if (s.how == SPOT_REG)
        s.base = pick(&l, &ours, &spilled);
    if (by_lea)
        value = pick(&l, &ours, &spilled);
    for (enum gpr r = RAX; r < GPR_COUNT; r++)
        if (spilled >> r & 1)
            spill[nspill++] = r;
    pass_map(b, e.p, MAP_GUEST, pc, 0);
    for (u32 i = 0; i < nspill; i++)
        emit_store_ctx(&e, CTX_SLOT(i ? SLOT_SECOND : SLOT_FIRST), spill[i]);
    if (flags) {
        pass_state(b, e.p, HOW_COUNT, pc, map_data(spill, nspill, false));
        emit_flags_to_ax(&e);
        emit_store_ctx(&e, CTX_SLOT(3), RAX);
    }
    if (nspill || flags)
        pass_state(b, e.p, HOW_COUNT, pc, map_data(spill, nspill, flags));
    if (s.how == SPOT_REG)
        emit_const(&e, s.base, k->addr);
    if (by_lea)
        emit_add_by_lea(&e, k, &s, value);
    else
        emit_add(&e, k, &s);
    bc->c.done_off = (u32)(e.p - b->body);
    if (flags) {
        emit_load_ctx(&e, RAX, CTX_SLOT(3));
        emit_flags_from_ax(&e);
    }
    for (u32 i = 0; i < nspill; i++)
        emit_load_ctx(&e, spill[i], CTX_SLOT(i ? SLOT_SECOND : SLOT_FIRST));
    b->p = e.p;
}
