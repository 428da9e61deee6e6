/* SPDX-License-Identifier: Apache-2.0
 * Items that are more than one instruction: transfers of control of every kind, the stack, flags, segment bases, system calls, saved state,
 * code that changes itself, and jumps to where no code is. One table at the end lists them with their weights. */
#include "fuzz.h"

#include <string.h>

struct special {
    u32 self;       /* label of this item: branches go to later ones */
    u32 nlabels;    /* labels of the main sequence, 0 in a function */
    u32 nfunctions; /* functions that may be called, the last ones of all */
};

static u32 some(struct gen *g, u32 n) { return rng_below(&g->rng, n); }
static bool chance(struct gen *g, u32 p) { return rng_percent(&g->rng, p); }

/* A register that may be changed. */
static u32 free_reg(struct gen *g)
{
    for (;;) {
        u32 r = some(g, GPRS);
        if (!(g->known >> r & 1))
            return r;
    }
}

/* Linchpin emulates these without alignment checks. */
static bool may_emulate(const struct gen *g) { return !g->align || gen_strict; }
static bool has_forward(const struct special *s) { return s->nlabels && s->self < s->nlabels; }
static u32 forward_label(struct gen *g, const struct special *s) { return s->self + 1 + some(g, s->nlabels - s->self); }

static u32 function_label(struct gen *g, const struct special *s)
{
    u32 last = s->nlabels ? s->nlabels + s->nfunctions : s->self + s->nfunctions;
    return last - some(g, s->nfunctions);
}

static void put_rex(struct gen *g, u32 w, u32 r, u32 b)
{
    u32 rex = w << 3 | (r >> 3) << 2 | b >> 3;
    if (rex)
        put8(g, 0x40 | rex);
}
static void put_push(struct gen *g, u32 r) { put_rex(g, 0, 0, r); put8(g, 0x50 | (r & 7)); }
static void put_pop(struct gen *g, u32 r) { put_rex(g, 0, 0, r); put8(g, 0x58 | (r & 7)); }

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

/* Address of a label into a register. */
static void put_label_address(struct gen *g, u32 reg, u32 label)
{
    if (chance(g, 50)) {
        put_rex(g, 1, reg, 0);
        put8(g, 0x8d);
        put8(g, 5 | (reg & 7) << 3);
        put_fix(g, FIX_REL32, label);
    } else {
        put_rex(g, 1, 0, reg);
        put8(g, 0xb8 | (reg & 7));
        put_fix(g, FIX_ABS64, label);
    }
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
    u64 flags = (rng_next(&g->rng) & 0xcd5) | (chance(g, 10) ? 0x200000 : 0) | (chance(g, 10) ? 0x4000 : 0) | (g->align && chance(g, 50) ? 0x40000 : 0) | 0x202;
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

/* --- segments -------------------------------------------------------------------------------------------- */
static void put_segment_base(struct gen *g, bool gs, bool write, u32 reg, bool wide)
{
    put8(g, 0xf3);
    put_rex(g, wide, 0, reg);
    put8(g, 0x0f);
    put8(g, 0xae);
    put8(g, (write ? 0xd0 : 0xc0) | (gs ? 8 : 0) | (reg & 7));
}

/* mov %seg:disp32,%reg or back */
static void put_segment_access(struct gen *g, bool gs, u32 reg)
{
    put8(g, gs ? 0x65 : 0x64);
    put_rex(g, 1, reg, 0);
    put8(g, chance(g, 50) ? 0x8b : 0x89);
    put8(g, 4 | (reg & 7) << 3);
    put8(g, 0x25);
    put32(g, some(g, 64) * 8);
}

static bool segment_base(struct gen *g, const struct special *s)
{
    (void)s;
    bool gs = chance(g, 50);
    u64 home = g->base + (gs ? GS_AT : FS_AT);
    u32 reg = free_reg(g);
    put_mov(g, reg, g->base + 4096 + some(g, 64) * 8);
    put_segment_base(g, gs, true, reg, g->base != LAYOUT_LOW || chance(g, 50));
    put_segment_access(g, gs, free_reg(g));
    put_segment_base(g, gs, false, free_reg(g), chance(g, 70));
    put_mov(g, reg, home);
    put_segment_base(g, gs, true, reg, true);
    return true;
}

/* A selector load changes the base, or not: that depends on the selector and on the CPU. */
static bool segment_selector(struct gen *g, const struct special *s)
{
    static const u16 selector[] = {0, 1, 3, 0x2b, 0x33, 0x23, 0x10, 0x18};
    (void)s;
    if (!may_emulate(g))
        return false;
    bool gs = chance(g, 50);
    u32 reg = free_reg(g);
    u16 sel = selector[some(g, ARRAY_LEN(selector))];
    if (chance(g, 40)) {
        put8(g, 0x6a);
        put8(g, sel);
        put8(g, 0x0f);
        put8(g, gs ? 0xa9 : 0xa1);
    } else {
        put_mov(g, reg, sel);
        put_rex(g, 0, 0, reg);
        put8(g, 0x8e);
        put8(g, 0xc0 | (gs ? 5 : 4) << 3 | (reg & 7));
    }
    u32 seen = reg;
    while (seen == reg)
        seen = free_reg(g);
    put_segment_base(g, gs, false, seen, true);
    put_push(g, seen);
    if (gen_strict) {
        put_rex(g, 0, 0, seen); /* mov %fs,%seen */
        put8(g, 0x8c);
        put8(g, 0xc0 | (gs ? 5 : 4) << 3 | (seen & 7));
        put_push(g, seen);
    }
    put_mov(g, reg, 0); /* back to the null selector, then the base */
    put_rex(g, 0, 0, reg);
    put8(g, 0x8e);
    put8(g, 0xc0 | (gs ? 5 : 4) << 3 | (reg & 7));
    put_mov(g, reg, g->base + (gs ? GS_AT : FS_AT));
    put_segment_base(g, gs, true, reg, true);
    return true;
}

/* --- far transfers --------------------------------------------------------------------------------------- */
static bool far_return(struct gen *g, const struct special *s)
{
    if (!has_forward(s) || !may_emulate(g))
        return false;
    u32 label = forward_label(g, s), reg = free_reg(g);
    put8(g, 0x6a);
    put8(g, chance(g, 90) ? 0x33 : 0x10);
    put_label_address(g, reg, label);
    put_push(g, reg);
    if (chance(g, 60)) {
        put(g, "\x48\xcb", 2);
    } else {
        put(g, "\x48\xca", 2);
        put8(g, some(g, 4) * 8);
        put8(g, 0);
    }
    return true;
}

static bool interrupt_return(struct gen *g, const struct special *s)
{
    if (!has_forward(s) || !may_emulate(g))
        return false;
    u32 label = forward_label(g, s), reg = free_reg(g);
    put_label_address(g, reg, label);
    put(g, "\x6a\x2b\x54\x9c\x6a\x33", 6); /* push ss, rsp, flags, cs */
    put_push(g, reg);
    put(g, "\x48\xcf", 2);
    return true;
}

static bool far_jump(struct gen *g, const struct special *s)
{
    if (!has_forward(s) || !may_emulate(g))
        return false;
    u32 label = forward_label(g, s), reg = free_reg(g);
    u64 at = g->base + 4096 + some(g, 128) * 16;
    bool call = chance(g, 40), wide = chance(g, 60);
    put_label_address(g, reg, label);
    put_rex(g, 1, reg, 0);
    put8(g, 0x89);
    put_rip(g, reg, at, 0);
    put(g, "\x66\xc7", 2);
    put_rip(g, 0, at + (wide ? 8 : 4), 2);
    put8(g, chance(g, 90) ? 0x33 : 0x10);
    put8(g, 0);
    if (wide)
        put8(g, 0x48);
    put8(g, 0xff);
    put_rip(g, call ? 3 : 5, at, 0);
    return true;
}

/* --- the kernel, saved state, breakpoints, changing code ------------------------------------------------------ */
static bool system_call(struct gen *g, const struct special *s)
{
    static const u16 number[] = {24 /* sched_yield */, 1000 /* none */, 186 + 500, 0xffff, 3 /* close, of a bad descriptor */};
    (void)s;
    u16 nr = number[some(g, ARRAY_LEN(number))];
    if (nr == 3)
        put_mov(g, RDI, 0xffffffff);
    put_mov(g, RAX, nr);
    put(g, "\x0f\x05", 2);
    if (nr == 3 && (g->known >> RDI & 1))
        put_mov(g, RDI, g->gpr[RDI]);
    if (g->known >> R11 & 1)
        put_mov(g, R11, g->gpr[R11]);
    return true;
}

/* rep stosb of zeros, flags and registers but rax, rcx and rdi as before. */
static void put_zeros(struct gen *g, u64 at, u32 bytes)
{
    put(g, "\x9c\xfc", 2);
    put_mov(g, RDI, at);
    put_mov(g, RCX, bytes);
    put_mov(g, RAX, 0);
    put(g, "\xf3\xaa\x9d", 3);
    if (g->known >> RDI & 1)
        put_mov(g, RDI, g->gpr[RDI]);
}

/* Saves the extended state, changes some of it, takes it back. Which components count as in their initial state may differ from run to
 * run: the area is zero before (their initial state, but for x87) and the field that says it is cleared afterwards. */
static bool save_restore(struct gen *g, const struct special *s)
{
    static const struct { u8 op, save, restore; } kind[] = {{0xae, 0, 1}, {0xae, 4, 5}, {0xc7, 4, 5}};
    (void)s;
    u32 k = some(g, ARRAY_LEN(kind)), wide = some(g, 2);
    u64 at = g->base + 4096 + some(g, 32) * 64;
    put_zeros(g, at, 4096);
    put(g, "\xdb\xe2", 2); /* fnclex: no pending exception may end the item before the pointers are cleared */
    put_mov(g, RAX, fuzz_in.xmask & (chance(g, 70) ? ~0ul : rng_next(&g->rng)));
    put_mov(g, RDX, 0);
    put_rex(g, wide, 0, 0);
    put8(g, 0x0f);
    put8(g, kind[k].op);
    put_rip(g, kind[k].save, at, 0);
    put(g, "\x66\x0f\xef\xc0\xd9\xe8", 6); /* pxor %xmm0,%xmm0; fld1 */
    put_rex(g, wide, 0, 0);
    put(g, "\x0f\xae", 2);
    put_rip(g, kind[k].restore, at, 0);
    static const u16 clear[] = {8, 16, 512, 520};
    for (u32 i = 0; i < ARRAY_LEN(clear); i++) { /* instruction and data pointers, header: movq $0 */
        put(g, "\x48\xc7", 2);
        put_rip(g, 0, at + clear[i], 4);
        put32(g, 0);
    }
    put(g, "\x66\xc7", 2); /* last opcode: movw $0 */
    put_rip(g, 0, at + 6, 2);
    put(g, "\0\0", 2);
    return g->vindex != 0;
}

static bool breakpoint(struct gen *g, const struct special *s)
{
    (void)s;
    put8(g, 0xcc);
    return true;
}

/* Patches the immediate of an instruction that follows, in this item. */
static bool change_code(struct gen *g, const struct special *s)
{
    (void)s;
    if (!g->rwx)
        return false;
    u32 reg = free_reg(g), lead = some(g, 3);
    put8(g, 0xc7);
    put8(g, 0x05);
    u32 disp_at = g->n;
    put32(g, 0);
    put32(g, rng_next(&g->rng));
    u32 end = g->n;
    for (u32 i = 0; i < lead; i++)
        put8(g, 0x90);
    if (chance(g, 30))
        put(g, "\xeb\0", 2);
    put_rex(g, 0, 0, reg);
    put8(g, 0xb8 | (reg & 7));
    u32 disp = g->n - end;
    put32(g, rng_next(&g->rng));
    memcpy(g->code_buf + disp_at, &disp, 4);
    return true;
}

/* To where no code is: ends the case. */
static bool jump_nowhere(struct gen *g, const struct special *s)
{
    (void)s;
    static const u32 page[] = {0, RO_AT, NONE_AT, BUS_AT};
    u64 to = g->base + page[some(g, gen_strict ? 4 : 3)] + some(g, 256);
    if (chance(g, 15))
        to = some(g, 4000);
    if (chance(g, 20))
        to = rng_next(&g->rng) | 1ul << 63 >> some(g, 12);
    u32 reg = free_reg(g);
    if (chance(g, 30) && to - g->base < 0x100000) {
        put8(g, chance(g, 50) ? 0xe8 : 0xe9);
        put32(g, to - (g->code + g->n + 4));
        return true;
    }
    put_mov(g, reg, to);
    switch (some(g, 3)) {
    case 0:
        put_push(g, reg);
        put8(g, 0xc3);
        break;
    default:
        put_rex(g, 0, 0, reg);
        put8(g, 0xff);
        put8(g, (chance(g, 50) ? 0xd0 : 0xe0) | (reg & 7));
    }
    return true;
}

static const struct { const char *name; u32 weight; bool (*make)(struct gen *g, const struct special *s); } specials[] = {
    {"jcc", 20, jcc_far}, {"short jcc", 15, jcc_short}, {"loop forward", 10, loop_forward}, {"loop backward", 10, loop_backward},
    {"jmp", 5, jmp_direct}, {"call", 12, call_direct}, {"indirect jmp", 12, jmp_indirect}, {"indirect call", 12, call_indirect},
    {"push and ret", 5, push_ret}, {"odd branch", 1, branch_odd}, {"push and pop", 12, push_pop}, {"popf", 8, pop_flags},
    {"flags", 8, flag_ops}, {"enter and leave", 4, enter_leave}, {"segment base", 6, segment_base}, {"selector", 2, segment_selector},
    {"far return", 3, far_return}, {"iretq", 3, interrupt_return}, {"far jump", 3, far_jump}, {"system call", 8, system_call},
    {"save and restore", 4, save_restore}, {"breakpoint", 4, breakpoint}, {"changed code", 10, change_code},
    {"jump nowhere", 2, jump_nowhere},
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
