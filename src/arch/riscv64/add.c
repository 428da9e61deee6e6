/* SPDX-License-Identifier: Apache-2.0
 * An addition to a counter of the tool's (opt/count.h), in the middle of guest code, with registers that the guest does
 * not need, else with spilled ones. Under jit_lock. */
#include "arch/riscv64/lower.h"

#include "opt/hold.h"

const u8 count_slot[COUNT_SPILLS] = {SLOT_SPILL, SLOT_SPILL_2, SLOT_T3};

struct regs {
    u32 r[COUNT_SPILLS]; /* address, value, sum */
    u16 spilled;         /* 5 bits for each */
    u32 nspilled;
};

/* Chooses registers, those first that the guest does not need. */
static void pick(struct regs *g, u32 n, reg_set live)
{
    reg_set taken = hold_bit(SP);
    for (u32 i = 0; i < n; i++) {
        reg_set dead = hold_others(taken | live), may = dead ? dead : hold_others(taken);
        g->r[i] = (u32)__builtin_ctz(may);
        taken |= hold_bit(g->r[i]);
        if (!dead)
            g->spilled |= (u16)(g->r[i] << 5 * g->nspilled++);
    }
}

static void spills(struct emit *e, const struct regs *g, bool store)
{
    for (u32 i = 0; i < g->nspilled; i++) {
        u32 r = g->spilled >> 5 * i & 31;
        emit_word(e, store ? enc_sd(r, TP, CTX_SLOT(count_slot[i])) : enc_ld(r, TP, CTX_SLOT(count_slot[i])));
    }
}

static void emit_place(struct emit *e, const struct count *k, u32 r)
{
    if (k->in_thread)
        emit_far_field(e, r, k->addr);
    else
        emit_const(e, r, k->addr);
}

static void emit_locked(struct emit *e, const struct count *k, const struct regs *g)
{
    if (k->bytes < 4)
        missing("a locked counter of less than 4 bytes");
    emit_const(e, g->r[1], (u64)k->sum);
    emit_word(e, enc_r(OP_AMO, k->bytes == 8 ? 3 : 2, 0, ZERO, g->r[0], g->r[1]));
}

static void emit_plain(struct emit *e, const struct count *k, const struct regs *g)
{
    u32 size = (u32)__builtin_ctz(k->bytes);
    bool small = fits_bits(k->sum, 12);
    emit_word(e, enc_i(OP_LOAD, size, g->r[1], g->r[0], 0));
    if (small) {
        emit_addi(e, g->r[1], g->r[1], (s32)k->sum);
    } else {
        emit_const(e, g->r[2], (u64)k->sum);
        emit_add(e, g->r[1], g->r[1], g->r[2]);
    }
    emit_word(e, enc_s(OP_STORE, size, g->r[0], g->r[1], 0));
}

void arch_add_mem(struct pass *b, struct pass_count *bc, gpc_t pc, struct live live)
{
    struct emit e = {b->p};
    struct regs g = {0};
    ASSERT(!bc->c.repeats);
    pick(&g, fits_bits(bc->c.sum, 12) || bc->c.locked ? 2 : 3, live.regs);
    pass_map(b, e.p, MAP_GUEST, pc, 0);
    spills(&e, &g, true);
    if (g.nspilled)
        pass_state(b, e.p, HOW_COUNT, pc, g.spilled);
    emit_place(&e, &bc->c, g.r[0]);
    if (bc->c.locked)
        emit_locked(&e, &bc->c, &g);
    else
        emit_plain(&e, &bc->c, &g);
    bc->c.done_off = (u32)(e.p - b->body);
    spills(&e, &g, false);
    b->p = e.p;
}
