/* SPDX-License-Identifier: Apache-2.0
 * Makes single instructions: from a template or from random bytes, with operands such that memory accesses stay in the case's own buffers.
 * Whatever was put together is decoded again and judged (fuzz_judge.c), so an encoder mistake can only cost an attempt. Knows nothing of
 * control flow, which fuzz_special.c makes. */
#include "fuzz_insn.h"

#include <signal.h>
#include <string.h>

static ZydisDecoder decoder;
static u32 *by_mnemonic;                                  /* template numbers, grouped by mnemonic */
static u32 mnemonic_first[ZYDIS_MNEMONIC_MAX_VALUE + 2];
static u16 present[ZYDIS_MNEMONIC_MAX_VALUE + 1];         /* mnemonics with templates that run */
static u32 npresent;
static u32 *legacy, nlegacy;                              /* templates of the two oldest maps that run */

void put(struct gen *g, const void *p, size_t n)
{
    memcpy(g->code_buf + g->n, p, n);
    g->n += (u32)n;
}
void put32(struct gen *g, u64 v) { put(g, &v, 4); }
void put64(struct gen *g, u64 v) { put(g, &v, 8); }

void put_rip(struct gen *g, u32 reg, u64 at, u32 tail)
{
    put8(g, 5 | (reg & 7) << 3);
    put32(g, at - (g->code + g->n + 4 + tail));
}

void put_mov(struct gen *g, u32 reg, u64 v)
{
    if (v <= 0x7fffffff && rng_percent(&g->rng, 50)) {
        if (reg & 8)
            put8(g, 0x41);
        put8(g, 0xb8 | (reg & 7));
        put32(g, v);
        return;
    }
    put8(g, 0x48 | reg >> 3);
    put8(g, 0xb8 | (reg & 7));
    put64(g, v);
}

/* --- addresses ------------------------------------------------------------------------------------------- */
u64 data_target(struct gen *g)
{
    u64 off = 4096 + rng_below(&g->rng, 64) * 64;
    return g->base + off + (rng_percent(&g->rng, 6) ? rng_below(&g->rng, 64) : 0);
}

/* An address that faults for reading, for writing, or for both, or that crosses into such a page. */
static u64 wild_target(struct gen *g)
{
    static const u32 page[] = {RO_AT, RO_AT, NONE_AT, BUS_AT};
    if (rng_percent(&g->rng, 20)) /* just before the case's own code: readable, and writable in the RWX arena */
        return g->code - 256 + rng_below(&g->rng, 128);
    u64 at = g->base + page[rng_below(&g->rng, ARRAY_LEN(page))];
    if (rng_percent(&g->rng, 30))
        return at - 1 - rng_below(&g->rng, 16);
    return at + rng_below(&g->rng, 64) * 32;
}

static u32 pick_known(struct gen *g, bool small)
{
    for (;;) {
        u32 r = rng_below(&g->rng, GPRS);
        if ((g->known >> r & 1) && (g->small >> r & 1) == small && r != RSP)
            return r;
    }
}

struct address { u8 modrm, sib, x, b, v; bool has_sib; u8 disp_bytes; s32 disp; };

static void set_base(struct address *a, u32 base, s64 disp, bool force32)
{
    a->b = (u8)(base >> 3);
    a->disp = (s32)disp;
    a->disp_bytes = force32 || disp != (s8)disp ? 4 : disp || (base & 7) == 5 ? 1 : 0;
    a->modrm |= (u8)((a->disp_bytes == 4 ? 0x80 : a->disp_bytes ? 0x40 : 0) | (a->has_sib ? 4 : base & 7));
    if (a->has_sib) {
        a->sib |= base & 7;
    } else if ((base & 7) == 4) {
        a->has_sib = true;
        a->sib = 0x20 | (base & 7);
    }
}

static void set_index(struct address *a, u32 index, u32 scale)
{
    a->has_sib = true;
    a->sib = (u8)(scale << 6 | (index & 7) << 3);
    a->x = index >> 3 & 1;
    a->v = (u8)(index >> 4);
}

static void set_no_base(struct address *a, s32 disp)
{
    if (!a->has_sib)
        a->sib = 0x20;
    a->has_sib = true;
    a->modrm |= 4;
    a->sib |= 5;
    a->disp = disp;
    a->disp_bytes = 4;
}

/* A ModRM memory operand that reaches `target`, or something near it. */
static void pick_address(struct gen *g, struct address *a, const struct tmpl *t, u64 target, bool segment, bool evex)
{
    bool low = g->base == LAYOUT_LOW;
    u32 kind = rng_below(&g->rng, 100);
    if (t->flags & TMPL_VSIB) {
        set_index(a, g->vindex, rng_below(&g->rng, 4));
        set_base(a, pick_known(g, false), evex ? 0 : (s64)rng_below(&g->rng, 100), rng_percent(&g->rng, 20));
    } else if (segment) {
        if (kind < 40)
            set_index(a, pick_known(g, true), rng_below(&g->rng, 2));
        if (kind < 70)
            set_base(a, pick_known(g, true), rng_below(&g->rng, 100) & ~15u, evex);
        else
            set_no_base(a, (s32)rng_below(&g->rng, 1000) & ~15);
    } else if (kind < 25) {
        a->modrm |= 5; /* RIP: the displacement is set when the place is known */
        a->disp_bytes = 4;
    } else if (kind < 35 && low) {
        if (kind < 30)
            set_index(a, pick_known(g, true), rng_below(&g->rng, 4));
        set_no_base(a, (s32)target);
    } else if (kind < 55) {
        u32 base = pick_known(g, false);
        set_index(a, pick_known(g, true), rng_below(&g->rng, 3));
        set_base(a, base, (s64)(target - g->gpr[base]), true);
    } else if (kind < 75) {
        u32 base = pick_known(g, false);
        set_base(a, base, (s64)(target - g->gpr[base]), true);
    } else if (kind < 82) {
        set_base(a, RSP, (s64)rng_below(&g->rng, 60) * 8 - 256, evex);
    } else {
        set_base(a, pick_known(g, false), kind < 88 ? (s64)rng_below(&g->rng, 32) - 16 : 0, false);
    }
}

/* --- emission -------------------------------------------------------------------------------------------- */
/* mov $0 of the given size to an address near the code: takes out instruction pointers that x87 state saved there. */
static void put_clear(struct gen *g, u64 at, u32 bytes)
{
    if (bytes == 2)
        put8(g, 0x66);
    if (bytes == 8)
        put8(g, 0x48);
    put8(g, 0xc7);
    put_rip(g, 0, at, bytes == 2 ? 2 : 4);
    put(g, "\0\0\0", bytes == 2 ? 2 : 4);
}

static void put_cleanup(struct gen *g, const struct attempt *a)
{
    switch (a->z.mnemonic) {
    case ZYDIS_MNEMONIC_FXSAVE: case ZYDIS_MNEMONIC_FXSAVE64:
        put_clear(g, a->ea + 6, 2);
        put_clear(g, a->ea + 8, 8);
        put_clear(g, a->ea + 16, 8);
        break;
    case ZYDIS_MNEMONIC_FNSTENV: case ZYDIS_MNEMONIC_FNSAVE:
        for (u32 off = a->z.operand_width == 16 ? 6 : 12, step = a->z.operand_width == 16 ? 2 : 4; off < 7 * step; off += step)
            put_clear(g, a->ea + off, step);
        break;
    default:
        break;
    }
}

static void emit_attempt(struct gen *g, struct attempt *a)
{
    for (u32 i = 0; i < a->nsetup; i++)
        put_mov(g, a->setup[i].reg, a->setup[i].value);
    bool rip = (a->z.attributes & ZYDIS_ATTRIB_HAS_MODRM) && a->z.raw.modrm.mod == 0 && a->z.raw.modrm.rm == 5
        && a->z.raw.disp.size == 32; /* mov to and from control registers ignores mod */
    if (rip) {
        s32 disp = (s32)(a->rip_target - (g->code + g->n + a->z.length));
        memcpy(a->b + a->z.raw.disp.offset, &disp, 4);
    }
    put(g, a->b, a->z.length);
    if (!gen_strict)
        put_cleanup(g, a);
    for (u32 i = 0; i < a->nsetup; i++)
        if (a->setup[i].restore)
            put_mov(g, a->setup[i].reg, g->gpr[a->setup[i].reg]);
}

static bool decode(struct attempt *a)
{
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, a->b, 15, &a->z, a->op));
}

/* --- encoding from a template -------------------------------------------------------------------------------- */
static void put_legacy_head(struct gen *g, struct attempt *a, const struct tmpl *t, const struct address *ad, u8 r, u8 segment)
{
    static const u8 prefix[] = {0, 0x66, 0xf3, 0xf2}, idle[] = {0x2e, 0x3e, 0x26, 0x36};
    u8 *p = a->b;
    if (segment)
        *p++ = segment;
    else if (rng_percent(&g->rng, 3))
        *p++ = idle[rng_below(&g->rng, 4)];
    if (rng_percent(&g->rng, g->base == LAYOUT_LOW ? 4 : 1))
        *p++ = 0x67;
    if (rng_percent(&g->rng, 6) && t->form == FORM_MEM)
        *p++ = 0xf0;
    if (t->pp)
        *p++ = prefix[t->pp];
    u8 rex = (u8)(t->w << 3 | r << 2 | ad->x << 1 | ad->b);
    if (rex || rng_percent(&g->rng, 10))
        *p++ = 0x40 | rex;
    if (t->map)
        *p++ = 0x0f;
    if (t->map > 1)
        *p++ = t->map == 2 ? 0x38 : 0x3a;
    *p++ = t->enc == ENC_3DNOW ? 0x0f : t->op;
    a->len = (u32)(p - a->b);
}

static void put_vex_head(struct gen *g, struct attempt *a, const struct tmpl *t, const struct address *ad, u8 r, u8 segment)
{
    u8 *p = a->b;
    u8 vvvv = rng_percent(&g->rng, 60) ? (u8)rng_below(&g->rng, 16) : 0;
    if (segment)
        *p++ = segment;
    if (rng_percent(&g->rng, g->base == LAYOUT_LOW ? 4 : 1))
        *p++ = 0x67;
    if (t->enc == ENC_VEX && t->map == 1 && !t->w && !ad->x && !ad->b && rng_percent(&g->rng, 50)) {
        *p++ = 0xc5;
        *p++ = (u8)(!r << 7 | (~vvvv & 15) << 3 | t->l << 2 | t->pp);
    } else {
        *p++ = t->enc == ENC_VEX ? 0xc4 : 0x8f;
        *p++ = (u8)(!r << 7 | !ad->x << 6 | !ad->b << 5 | t->map);
        *p++ = (u8)(t->w << 7 | (~vvvv & 15) << 3 | t->l << 2 | t->pp);
    }
    *p++ = t->op;
    a->len = (u32)(p - a->b);
}

static void put_evex_head(struct gen *g, struct attempt *a, const struct tmpl *t, const struct address *ad, u8 r, u8 segment)
{
    u8 *p = a->b;
    struct rng *rng = &g->rng;
    u8 vvvv = rng_percent(rng, 60) ? (u8)rng_below(rng, 32) : 0, high_r = rng_percent(rng, 40);
    u8 v = ad->has_sib && (t->flags & TMPL_VSIB) ? ad->v : vvvv >> 4;
    u8 aaa = (t->flags & TMPL_MASKED) || rng_percent(rng, 40) ? (u8)rng_below(rng, 8) : 0;
    u8 z = aaa && rng_percent(rng, 40), broadcast = rng_percent(rng, 25);
    if (segment)
        *p++ = segment;
    *p++ = 0x62;
    *p++ = (u8)(!r << 7 | !ad->x << 6 | !ad->b << 5 | !high_r << 4 | t->map);
    *p++ = (u8)(t->w << 7 | (~vvvv & 15) << 3 | 4 | t->pp);
    *p++ = (u8)(z << 7 | t->l << 5 | broadcast << 4 | !v << 3 | aaa);
    *p++ = t->op;
    a->len = (u32)(p - a->b);
}

static void put_tail(struct gen *g, struct attempt *a, const struct tmpl *t, const struct address *ad)
{
    u8 *p = a->b + a->len;
    if (t->form != FORM_NONE)
        *p++ = ad->modrm;
    if (ad->has_sib)
        *p++ = ad->sib;
    memcpy(p, &ad->disp, 4);
    p += ad->disp_bytes;
    if (t->enc == ENC_3DNOW)
        *p++ = t->op;
    u64 imm = rng_percent(&g->rng, 30) ? rng_below(&g->rng, 16) : rng_next(&g->rng);
    if (t->enc == ENC_LEGACY && t->map == 0 && t->op >= 0xa0 && t->op <= 0xa3)
        imm = data_target(g); /* mov moffs */
    size_t room = (size_t)(a->b + sizeof a->b - p);
    memcpy(p, &imm, room < 8 ? room : 8);
}

static bool attempt_template(struct gen *g, struct attempt *a, const struct tmpl *t)
{
    struct address ad = {0};
    u8 segment = t->form == FORM_MEM && rng_percent(&g->rng, 6) ? (u8)(0x64 + rng_below(&g->rng, 2)) : 0;
    u8 reg = (u8)(t->reg >= 0 ? t->reg : (s8)rng_below(&g->rng, 8)), rm = (u8)(t->rm >= 0 ? t->rm : (s8)rng_below(&g->rng, 8));
    u8 r = rng_percent(&g->rng, 30);
    memset(a->b, 0, sizeof a->b);
    a->rip_target = a->wild ? wild_target(g) : data_target(g);
    ad.modrm = (u8)(reg << 3);
    if (t->form == FORM_MEM) {
        pick_address(g, &ad, t, a->rip_target, segment, t->enc == ENC_EVEX);
    } else {
        ad.modrm |= (u8)(0xc0 | rm);
        ad.b = rng_percent(&g->rng, 30);
        ad.x = t->enc == ENC_EVEX && rng_percent(&g->rng, 30);
    }
    if (t->enc == ENC_EVEX)
        put_evex_head(g, a, t, &ad, r, segment);
    else if (t->enc == ENC_VEX || t->enc == ENC_XOP)
        put_vex_head(g, a, t, &ad, r, segment);
    else
        put_legacy_head(g, a, t, &ad, r, segment);
    put_tail(g, a, t, &ad);
    return decode(a) && judge(g, a);
}

static bool from_template(struct gen *g, int n, bool wild)
{
    struct attempt a;
    a.wild = wild;
    for (int tries = 0; tries < (wild ? 8 : 60); tries++)
        if (attempt_template(g, &a, &fuzz_templates[n])) {
            emit_attempt(g, &a);
            return true;
        }
    return false;
}

bool insn_from_template(struct gen *g, int n) { return from_template(g, n, false); }

static int pick_template(struct gen *g)
{
    if (rng_percent(&g->rng, 55))
        return (int)legacy[rng_below(&g->rng, nlegacy)];
    u32 m = present[rng_below(&g->rng, npresent)], first = mnemonic_first[m];
    return (int)by_mnemonic[first + rng_below(&g->rng, mnemonic_first[m + 1] - first)];
}

/* What always faults ends the case: rarely wanted. */
static bool wanted(struct gen *g, int n)
{
    if (fuzz_supported[n] == SIGILL)
        return rng_below(&g->rng, 1000) == 0;
    return fuzz_supported[n] == 0 || rng_percent(&g->rng, 4);
}

static bool insn_any(struct gen *g, bool wild)
{
    for (int tries = 0; tries < 50; tries++) {
        int n = pick_template(g);
        if (wanted(g, n) && from_template(g, n, wild))
            return true;
    }
    return false;
}

bool insn_random(struct gen *g) { return insn_any(g, false); }
bool insn_wild(struct gen *g) { return insn_any(g, true); }

/* AMD CPUs run some VEX encodings that the manuals and the decoder call invalid (mask registers with numbers above 7). */
static bool may_have_vex(const u8 *b) { return memchr(b, 0xc4, 8) || memchr(b, 0xc5, 8); }

/* Random bytes with a taste for prefixes. Some that the decoder refuses are let through: they fault, or it does not know them. */
bool insn_raw(struct gen *g)
{
    static const u8 prefix[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x48, 0x41, 0x0f, 0x0f, 0xc5, 0xc4, 0x62};
    struct attempt a;
    a.wild = false;
    for (int tries = 0; tries < 300; tries++) {
        u64 r[3] = {rng_next(&g->rng), rng_next(&g->rng), rng_next(&g->rng)};
        memcpy(a.b, r, sizeof a.b);
        for (u32 i = 0, n = rng_below(&g->rng, 4); i < n; i++)
            a.b[i] = prefix[rng_below(&g->rng, ARRAY_LEN(prefix))];
        a.rip_target = data_target(g);
        if (decode(&a)) {
            if (!judge(g, &a) || a.z.mnemonic == ZYDIS_MNEMONIC_UD2)
                continue;
            emit_attempt(g, &a);
            return true;
        }
        if (rng_below(&g->rng, 1000) < 3 && (gen_strict || !may_have_vex(a.b))) {
            put(g, a.b, 15);
            return true;
        }
    }
    return false;
}

void insn_init(void)
{
    static u32 order[1 << 16], old[1 << 16];
    u32 n = 0;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (u32 i = 0; i < fuzz_ntemplates; i++)
        mnemonic_first[fuzz_templates[i].mnemonic + 1]++;
    for (u32 m = 0; m <= ZYDIS_MNEMONIC_MAX_VALUE; m++)
        mnemonic_first[m + 1] += mnemonic_first[m];
    static u32 fill[ZYDIS_MNEMONIC_MAX_VALUE + 1];
    static bool runs[ZYDIS_MNEMONIC_MAX_VALUE + 1];
    for (u32 i = 0; i < fuzz_ntemplates; i++) {
        u32 m = fuzz_templates[i].mnemonic;
        order[mnemonic_first[m] + fill[m]++] = i;
        runs[m] |= fuzz_supported[i] == 0;
        if (fuzz_templates[i].enc == ENC_LEGACY && fuzz_templates[i].map < 2 && fuzz_supported[i] == 0)
            old[n++] = i;
    }
    for (u32 m = 0; m <= ZYDIS_MNEMONIC_MAX_VALUE; m++)
        if (runs[m])
            present[npresent++] = (u16)m;
    by_mnemonic = order;
    legacy = old;
    nlegacy = n;
}
