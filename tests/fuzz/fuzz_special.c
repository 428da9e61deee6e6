/* SPDX-License-Identifier: Apache-2.0
 * Items that are more than one instruction: transfers of control of every kind, the stack and flags. One table at the end lists all of them,
 * also those of fuzz_system.c, with their weights. */
#include "fuzz_special.h"

/* --- branches -------------------------------------------------------------------------------------------- */
static void hint(struct gen *g)
{
    if (chance(g, 15))
        put8(g, chance(g, 50) ? 0x2e : 0x3e);
}

static bool jcc_far(struct gen *g, const struct special *s)
{
    if (!has_forward(s))
        return false;
    hint(g);
    put8(g, 0x0f);
    put8(g, 0x80 | some(g, 16));
    put_fix(g, FIX_REL32, forward_label(g, s));
    return true;
}

/* A short branch over one or two instructions. */
static bool over_local(struct gen *g, const u8 *op, u32 n)
{
    put(g, op, n);
    u32 at = g->n;
    put8(g, 0);
    for (u32 i = 0, k = 1 + some(g, 2); i < k; i++)
        insn_random(g);
    if (g->n - at - 1 > 127) { /* too much: the branch goes to its own end */
        g->n = at + 1;
        return true;
    }
    g->code_buf[at] = (u8)(g->n - at - 1);
    return true;
}

static bool jcc_short(struct gen *g, const struct special *s)
{
    (void)s;
    hint(g);
    u8 op = (u8)(0x70 | some(g, 16));
    return over_local(g, &op, 1);
}

static bool loop_forward(struct gen *g, const struct special *s)
{
    (void)s;
    u8 op[2] = {0x67, (u8)(0xe0 + some(g, 4))};
    if (chance(g, 40))
        put_mov(g, RCX, some(g, 3));
    bool narrow = chance(g, 30);
    return over_local(g, narrow ? op : op + 1, narrow ? 2 : 1);
}

static bool loop_backward(struct gen *g, const struct special *s)
{
    u32 known = g->known, small = g->small, begin = g->n;
    u64 rcx = g->gpr[RCX];
    (void)s;
    g->gpr[RCX] = 1 + some(g, 5);
    put_mov(g, RCX, g->gpr[RCX]);
    g->known |= 1u << RCX;
    g->small |= 1u << RCX;
    g->loop = true;
    u32 at = g->n;
    for (u32 i = 0, k = 1 + some(g, 2); i < k; i++)
        insn_random(g);
    g->loop = false;
    g->known = known;
    g->small = small;
    g->gpr[RCX] = rcx;
    if (g->n - at > 120) {
        g->n = begin;
        return false;
    }
    put8(g, 0xe0 + some(g, 3));
    put8(g, at - (g->n + 1));
    return true;
}

static bool jmp_direct(struct gen *g, const struct special *s)
{
    u8 op = 0xeb;
    if (!has_forward(s) || chance(g, 30))
        return over_local(g, &op, 1);
    put8(g, 0xe9);
    put_fix(g, FIX_REL32, forward_label(g, s));
    return true;
}

static bool call_direct(struct gen *g, const struct special *s)
{
    if (!s->nfunctions)
        return false;
    put8(g, 0xe8);
    put_fix(g, FIX_REL32, function_label(g, s));
    return true;
}

static void put_ind_memory(struct gen *g, u32 op, u32 label)
{
    u64 at = gen_ptr(g, label);
    u32 reg = free_reg(g), index;
    switch (some(g, 6)) {
    case 0: /* RIP-relative */
        if (chance(g, 10))
            put8(g, 0x48);
        put8(g, 0xff);
        put_rip(g, op, at, 0);
        return;
    case 1: /* fs:disp32 or gs:disp32 */
        reg = may_emulate(g) ? some(g, 2) : 0;
        put8(g, 0x64 + reg);
        put8(g, 0xff);
        put8(g, 4 | op << 3);
        put8(g, 0x25);
        put32(g, at - g->base - (reg ? GS_AT : FS_AT));
        return;
    case 2: /* (reg), or (%esp-less reg) with a 32-bit address */
        put_mov(g, reg, at);
        if (g->base == LAYOUT_LOW && chance(g, 30))
            put8(g, 0x67);
        put_rex(g, 0, 0, reg);
        put8(g, 0xff);
        put8(g, (reg & 7) == 4 || (reg & 7) == 5 ? 0x44 | op << 3 : (op << 3 | (reg & 7)));
        if ((reg & 7) == 4 || (reg & 7) == 5) {
            put8(g, 0x20 | (reg & 7));
            put8(g, 0);
        }
        return;
    default: /* table: (,index,8) or (reg,index,8) */
        index = free_reg(g);
        put_mov(g, index, (at - g->base - PTRS_AT) / 8);
        if (g->base == LAYOUT_LOW && chance(g, 50)) {
            put8(g, 0x40 | (index >> 3) << 1);
            put8(g, 0xff);
            put8(g, 4 | op << 3);
            put8(g, 0xc5 | (index & 7) << 3);
            put32(g, g->base + PTRS_AT);
            return;
        }
        while (reg == index)
            reg = free_reg(g);
        put_mov(g, reg, g->base + PTRS_AT - 16);
        put8(g, 0x40 | (index >> 3) << 1 | reg >> 3);
        put8(g, 0xff);
        put8(g, 0x44 | op << 3);
        put8(g, 0xc0 | (index & 7) << 3 | (reg & 7));
        put8(g, 16);
    }
}

static void put_indirect(struct gen *g, u32 op, u32 label)
{
    if (chance(g, 45)) {
        u32 reg = free_reg(g);
        put_label_address(g, reg, label);
        put_rex(g, 0, 0, reg);
        put8(g, 0xff);
        put8(g, 0xc0 | op << 3 | (reg & 7));
    } else {
        put_ind_memory(g, op, label);
    }
}

static bool jmp_indirect(struct gen *g, const struct special *s)
{
    if (!has_forward(s))
        return false;
    put_indirect(g, 4, forward_label(g, s));
    return true;
}

static bool call_indirect(struct gen *g, const struct special *s)
{
    if (!s->nfunctions)
        return false;
    put_indirect(g, 2, function_label(g, s));
    return true;
}

/* push label; ret */
static bool push_ret(struct gen *g, const struct special *s)
{
    if (!has_forward(s))
        return false;
    u32 label = forward_label(g, s);
    if (chance(g, 50)) {
        u32 reg = free_reg(g);
        put_label_address(g, reg, label);
        put_push(g, reg);
    } else {
        u64 at = gen_ptr(g, label);
        put8(g, 0xff);
        put_rip(g, 6, at, 0);
    }
    put8(g, 0xc3);
    return true;
}

/* Branches with prefixes that makers of CPUs disagree on, or that mean nothing. */
static bool branch_odd(struct gen *g, const struct special *s)
{
    static const u8 odd[] = {0x66, 0xf2, 0xf3, 0x67, 0x48, 0x40, 0x64, 0x65};
    if (!has_forward(s))
        return false;
    u8 p = odd[some(g, ARRAY_LEN(odd))];
    put8(g, p);
    switch (some(g, 4)) {
    case 0: /* to the next item, whichever the width of the displacement */
        put(g, "\x0f\x84\0\0\0\0", 6);
        break;
    case 1:
        put(g, "\xe9\0\0\0\0", 5);
        break;
    case 2:
        put(g, "\xeb\0", 2);
        break;
    case 3:
        if (p == 0x66 && !gen_strict)
            return false;
        put(g, "\xe8\0\0\0\0", 5);
    }
    return true;
}

/* --- stack and flags --------------------------------------------------------------------------------------- */
static bool push_pop(struct gen *g, const struct special *s)
{
    (void)s;
    u32 n = 1 + some(g, 4);
    for (u32 i = 0; i < n; i++)
        switch (some(g, 5)) {
        case 0: put8(g, 0x6a); put8(g, some(g, 256)); break;
        case 1: put8(g, 0x68); put32(g, rng_next(&g->rng)); break;
        case 2: put8(g, 0x9c); break;
        case 3: put8(g, 0xff); put_rip(g, 6, g->base + 4096 + some(g, 512) * 8, 0); break;
        default: put_push(g, some(g, GPRS));
        }
    for (u32 i = 0; i < n; i++)
        if (chance(g, 85))
            put_pop(g, free_reg(g));
    return true;
}

static bool pop_flags(struct gen *g, const struct special *s)
{
    (void)s;
    u64 flags = (rng_next(&g->rng) & 0xcd5) | (chance(g, 10) ? 0x200000 : 0) | (chance(g, 10) ? 0x4000 : 0) | 0x202;
    if (g->align && chance(g, 50))
        flags |= 0x40000;
    bool narrow = chance(g, 20);
    if (narrow) {
        put(g, "\x66\x68", 2);
        put(g, &flags, 2);
        put(g, "\x66\x9d", 2);
    } else {
        put8(g, 0x68);
        put32(g, flags);
        put8(g, 0x9d);
    }
    return true;
}

static bool flag_ops(struct gen *g, const struct special *s)
{
    static const u8 op[] = {0x9e, 0x9f, 0xf5, 0xf8, 0xf9, 0xfc, 0xfd, 0xd7, 0x98, 0x99};
    (void)s;
    for (u32 i = 0, n = 1 + some(g, 4); i < n; i++) {
        u8 o = op[some(g, ARRAY_LEN(op))];
        if (o != 0xd7)
            put8(g, o);
    }
    return true;
}

static bool enter_leave(struct gen *g, const struct special *s)
{
    (void)s;
    put_mov(g, RBP, g->base + STACK_AT + STACK_BYTES / 2 + 256);
    put8(g, 0xc8);
    put8(g, some(g, 32) * 8);
    put8(g, 0);
    put8(g, some(g, 4));
    if (chance(g, 50))
        put_push(g, some(g, GPRS));
    put8(g, 0xc9);
    if (g->known >> RBP & 1)
        put_mov(g, RBP, g->gpr[RBP]);
    return true;
}

static const struct { const char *name; u32 weight; bool (*make)(struct gen *g, const struct special *s); } specials[] = {
    {"jcc", 20, jcc_far}, {"short jcc", 15, jcc_short}, {"loop forward", 10, loop_forward}, {"loop backward", 10, loop_backward},
    {"jmp", 5, jmp_direct}, {"call", 12, call_direct}, {"indirect jmp", 12, jmp_indirect}, {"indirect call", 12, call_indirect},
    {"push and ret", 5, push_ret}, {"odd branch", 1, branch_odd}, {"push and pop", 12, push_pop}, {"popf", 8, pop_flags},
    {"flags", 8, flag_ops}, {"enter and leave", 4, enter_leave}, {"segment base", 6, special_segment_base}, {"selector", 2, special_segment_selector},
    {"far return", 3, special_far_return}, {"iretq", 3, special_interrupt_return}, {"far jump", 3, special_far_jump}, {"system call", 8, special_system_call},
    {"save and restore", 4, special_save_restore}, {"breakpoint", 4, special_breakpoint}, {"changed code", 10, special_change_code},
    {"jump nowhere", 2, special_jump_nowhere},
};

const char *special_item(struct gen *g, u32 self, u32 nlabels, u32 nfunctions)
{
    struct special s = {self, nlabels, nfunctions};
    u32 total = 0;
    for (size_t i = 0; i < ARRAY_LEN(specials); i++)
        total += specials[i].weight;
    for (int tries = 0; tries < 20; tries++) {
        u32 k = some(g, total), n = g->n, nfix = g->nfix;
        size_t i = 0;
        while (k >= specials[i].weight)
            k -= specials[i++].weight;
        if (specials[i].make(g, &s))
            return specials[i].name;
        g->n = n;
        g->nfix = nfix;
    }
    return "none";
}
