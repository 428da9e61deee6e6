/* SPDX-License-Identifier: Apache-2.0
 * Makes a case: a sequence of items, each from a random stream of its own, so that leaving one out does not change the others (the driver
 * shrinks by that). A case is a function of seed and number only. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

u8 *fuzz_supported;
bool gen_all_rwx, gen_strict, gen_steps;

void put_fix(struct gen *g, u32 kind, u32 label)
{
    if (g->nfix == MAX_FIXES) {
        fprintf(stderr, "fuzz_guest: more than %d fixes\n", MAX_FIXES);
        exit(2);
    }
    g->fix[g->nfix++] = (struct fix){(u16)g->n, (u8)kind, (u8)label};
    if (kind == FIX_REL32)
        put32(g, 0);
    else if (kind == FIX_ABS64)
        put64(g, 0);
}

u64 gen_ptr(struct gen *g, u32 label)
{
    u32 n = g->nptrs++ % NPTRS;
    put_fix(g, FIX_PTR, label);
    g->fix[g->nfix - 1].at = (u16)n;
    return g->base + PTRS_AT + n * 8;
}

static void apply_fixes(struct gen *g)
{
    for (u32 i = 0; i < g->nfix; i++) {
        struct fix f = g->fix[i];
        u64 to = g->code + g->label[f.label];
        if (f.kind == FIX_PTR) {
            g->ptr[f.at] = to;
        } else if (f.kind == FIX_ABS64) {
            memcpy(g->code_buf + f.at, &to, 8);
        } else {
            s32 rel = g->label[f.label] - (f.at + 4);
            memcpy(g->code_buf + f.at, &rel, 4);
        }
    }
}

/* Which registers stay what they are, and all start values. rax, rcx and rdx are too often written implicitly to stay. */
static void pick_registers(struct gen *g, struct rng *r)
{
    for (u32 i = 0; i < GPRS; i++)
        g->gpr[i] = random_value(r);
    g->known = 1u << RSP;
    g->small = 0;
    g->gpr[RSP] = g->base + STACK_AT + STACK_BYTES / 2 - rng_below(r, 8) * 8;
    if (rng_percent(r, 5))
        g->gpr[RSP] -= rng_below(r, 8);
    for (u32 i = 0, pointers = 3 + rng_below(r, 2), all = pointers + 3; i < all;) {
        u32 reg = RBX + rng_below(r, GPRS - RBX);
        if (g->known >> reg & 1)
            continue;
        g->known |= 1u << reg;
        if (i >= pointers) {
            g->small |= 1u << reg;
            g->gpr[reg] = rng_percent(r, 90) ? rng_below(r, 12) * 64 : rng_below(r, 200);
        } else {
            g->gpr[reg] = g->base + 4096 + rng_below(r, 64) * 64 + (rng_percent(r, 6) ? rng_below(r, 64) : 0);
        }
        i++;
    }
    g->vindex = (u8)rng_below(r, xsave_bytes[7] ? 32 : 16);
}

static void begin_item(struct gen *g, u64 seed, u64 number)
{
    g->rng = rng_make(seed, number, g->nitems);
    g->item[g->nitems] = (struct item){(u16)g->n, 0, "skipped"};
}

static void end_item(struct gen *g, const char *what)
{
    g->item[g->nitems].what = what;
    g->item[g->nitems].len = (u16)(g->n - g->item[g->nitems].off);
    g->nitems++;
}

static const char *one_item(struct gen *g, u32 self, u32 nlabels, u32 nfunctions)
{
    u32 k = rng_below(&g->rng, 1000);
    if (k < 700)
        return insn_random(g) ? "instruction" : "none";
    if (k < 760)
        return insn_raw(g) ? "random bytes" : "none";
    if (k < 770)
        return insn_wild(g) ? "faulting operand" : "none";
    return special_item(g, self, nlabels, nfunctions);
}

static void put_item(struct gen *g, u64 seed, u64 number, u32 self, u32 nlabels, u32 nfunctions)
{
    const char *what = "skipped";
    begin_item(g, seed, number);
    if (!(g->skip >> g->nitems & 1) && g->n + MAX_ITEM < MAX_CODE)
        what = g->tmpl >= 0 ? (insn_from_template(g, g->tmpl) ? "instruction" : "none") : one_item(g, self, nlabels, nfunctions);
    end_item(g, what);
}

static void put_exit(struct gen *g)
{
    put8(g, 0xff);
    put8(g, 0x25);
    put32(g, g->base + EXIT_AT - (g->code + g->n + 4));
}

/* A return may go anywhere that the case put on its stack, also back: after FUEL of them the case ends. No flags change. */
static void put_fuel_check(struct gen *g)
{
    u64 fuel = g->base + FUEL_AT;
    put(g, "\x48\x89", 2); /* mov %rcx,saved; mov fuel,%rcx; lea -1(%rcx),%rcx */
    put_rip(g, RCX, fuel + 8, 0);
    put(g, "\x48\x8b", 2);
    put_rip(g, RCX, fuel, 0);
    put(g, "\x48\x8d\x49\xff", 4);
    put(g, "\xe3\x02\xeb\x06", 4); /* jrcxz to the exit, else over it */
    put_exit(g);
    put(g, "\x48\x89", 2);
    put_rip(g, RCX, fuel, 0);
    put(g, "\x48\x8b", 2);
    put_rip(g, RCX, fuel + 8, 0);
}

static void put_return(struct gen *g)
{
    put_fuel_check(g);
    switch (rng_below(&g->rng, 5)) {
    case 0:
        put8(g, 0xc2);
        put8(g, rng_below(&g->rng, 8) * 8);
        put8(g, 0);
        break;
    case 1:
        put8(g, 0xf3);
        put8(g, 0xc3);
        break;
    case 2: /* pop %rdx; jmp *%rdx */
        put(g, "\x5a\xff\xe2", 3);
        break;
    default:
        put8(g, 0xc3);
    }
}

/* Labels: 0..main_items are the items of the main sequence and its end; functions follow. */
static void put_body(struct gen *g, u64 seed, u64 number, struct rng *r)
{
    u32 nfunctions = g->tmpl < 0 ? rng_below(r, 4) : 0;
    u32 n = g->tmpl >= 0 ? 1 : rng_percent(r, 10) ? 1 + rng_below(r, 3) : 3 + rng_below(r, 20);
    g->main_items = n;
    for (u32 i = 0; i < n; i++) {
        g->label[i] = (u16)g->n;
        put_item(g, seed, number, i, n, nfunctions);
    }
    g->label[n] = (u16)g->n;
    put_exit(g);
    for (u32 f = 0; f < nfunctions; f++) {
        g->label[n + 1 + f] = (u16)g->n;
        for (u32 i = 0, k = 1 + rng_below(r, 4); i < k; i++)
            put_item(g, seed, number, n + 1 + f, 0, nfunctions - f - 1);
        g->rng = rng_make(seed, number, 500 + f);
        put_return(g);
    }
}

void gen_case(struct gen *g, u64 seed, u64 number, int tmpl, u64 skip)
{
    struct rng group = rng_make(seed, number / GROUP, 2000), r = rng_make(seed, number, 2001);
    memset(g, 0, offsetof(struct gen, code_buf));
    memset(g->ptr, 0, sizeof g->ptr);
    g->n = g->nfix = g->nptrs = g->nitems = 0;
    g->loop = false;
    g->align = rng_percent(&r, 3);
    g->tmpl = tmpl;
    g->skip = skip;
    g->rwx = rng_percent(&group, 25) || gen_all_rwx;
    g->base = rng_percent(&r, 40) ? LAYOUT_LOW : LAYOUT_HIGH;
    u64 off = rng_percent(&r, 30) ? CODE_SLOT - rng_below(&r, 64) : CODE_HEAD + 256 + rng_below(&r, CODE_SLOT - CODE_HEAD - 256);
    g->code = g->base + (g->rwx ? RWX_AT : CODE_AT) + number % GROUP * CODE_SLOT + off;
    pick_registers(g, &r);
    put_body(g, seed, number, &r);
    apply_fixes(g);
}
