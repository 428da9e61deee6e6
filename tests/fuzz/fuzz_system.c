/* SPDX-License-Identifier: Apache-2.0
 * Special items that need more of the machine: segment bases and selectors, far transfers, system calls, saved extended state, breakpoints, code
 * that changes itself, and jumps to where no code is. */
#include "fuzz_special.h"

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

bool special_segment_base(struct gen *g, const struct special *s)
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
bool special_segment_selector(struct gen *g, const struct special *s)
{
    static const u16 selector[] = {0, 0x2b, 0x33, 0x23, 0x10, 0x18};
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
bool special_far_return(struct gen *g, const struct special *s)
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

bool special_interrupt_return(struct gen *g, const struct special *s)
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

bool special_far_jump(struct gen *g, const struct special *s)
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
bool special_system_call(struct gen *g, const struct special *s)
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
bool special_save_restore(struct gen *g, const struct special *s)
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
    for (u32 i = gen_strict ? 2 : 0; i < ARRAY_LEN(clear); i++) { /* instruction and data pointers, header: movq $0 */
        put(g, "\x48\xc7", 2);
        put_rip(g, 0, at + clear[i], 4);
        put32(g, 0);
    }
    if (!gen_strict) {
        put(g, "\x66\xc7", 2); /* last opcode: movw $0 */
        put_rip(g, 0, at + 6, 2);
        put(g, "\0\0", 2);
    }
    return g->vindex != 0;
}

bool special_breakpoint(struct gen *g, const struct special *s)
{
    (void)s;
    put8(g, 0xcc);
    return true;
}

/* Patches the immediate of an instruction that follows, in this item. */
bool special_change_code(struct gen *g, const struct special *s)
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
bool special_jump_nowhere(struct gen *g, const struct special *s)
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
