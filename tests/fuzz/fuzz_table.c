/* SPDX-License-Identifier: Apache-2.0
 * Build-time program: walks every opcode map under every mandatory prefix, W and vector length through the Zydis decoder and prints a C
 * table of encoding templates, from which the fuzzer makes instructions. It runs nothing that it decodes. */
#include "fuzz.h"

#include <Zydis/Zydis.h>
#include <stdio.h>
#include <string.h>

static ZydisDecoder decoder;
static unsigned count;

enum { NONE = 0xffff };

struct probe { u16 mnemonic; u8 flags; bool modrm; };

/* Bytes up to the opcode; returns their number. vvvv and aaa are the fields that some instructions demand. */
static unsigned put_head(u8 *p, const struct tmpl *t, u8 vvvv, u8 aaa)
{
    static const u8 prefix[] = {0, 0x66, 0xf3, 0xf2};
    unsigned n = 0;
    switch (t->enc) {
    case ENC_LEGACY:
    case ENC_3DNOW:
        if (t->pp)
            p[n++] = prefix[t->pp];
        if (t->w)
            p[n++] = 0x48;
        if (t->map)
            p[n++] = 0x0f;
        if (t->map > 1)
            p[n++] = t->map == 2 ? 0x38 : 0x3a;
        p[n++] = t->enc == ENC_3DNOW ? 0x0f : t->op;
        break;
    case ENC_VEX:
    case ENC_XOP: /* X clear: index register 13 */
        p[n++] = t->enc == ENC_VEX ? 0xc4 : 0x8f;
        p[n++] = (u8)(0xa0 | t->map);
        p[n++] = (u8)(t->w << 7 | (~vvvv & 15) << 3 | t->l << 2 | t->pp);
        p[n++] = t->op;
        break;
    case ENC_EVEX:
        p[n++] = 0x62;
        p[n++] = (u8)(0xb0 | t->map);
        p[n++] = (u8)(t->w << 7 | (~vvvv & 15) << 3 | 4 | t->pp);
        p[n++] = (u8)(t->l << 5 | 8 | aaa);
        p[n++] = t->op;
        break;
    }
    return n;
}

static bool decode_one(struct probe *out, const struct tmpl *t, u8 modrm, u8 vvvv, u8 aaa)
{
    u8 b[24] = {0};
    ZydisDecodedInstruction z;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    unsigned n = put_head(b, t, vvvv, aaa);
    b[n] = modrm;
    if (modrm < 0xc0) {
        b[n + 1] = 0x28; /* SIB: base 0, index 5 (13 with X) */
        b[n + 2] = t->enc == ENC_3DNOW ? t->op : 0;
    } else if (t->enc == ENC_3DNOW) {
        b[n + 1] = t->op;
    }
    if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, b, 15, &z, op)))
        return false;
    out->mnemonic = (u16)z.mnemonic;
    out->modrm = z.attributes & ZYDIS_ATTRIB_HAS_MODRM;
    out->flags = aaa ? TMPL_MASKED : 0;
    for (unsigned i = 0; i < z.operand_count; i++)
        if (op[i].type == ZYDIS_OPERAND_TYPE_MEMORY && op[i].mem.type == ZYDIS_MEMOP_TYPE_VSIB)
            out->flags |= TMPL_VSIB;
    return true;
}

static struct probe probe(const struct tmpl *t, u8 modrm)
{
    static const u8 vvvv[] = {0, 7, 8}, aaa[] = {0, 1};
    struct probe out = {NONE, 0, true};
    unsigned masks = t->enc == ENC_EVEX ? 2 : 1, regs = t->enc == ENC_LEGACY || t->enc == ENC_3DNOW ? 1 : 3;
    for (unsigned a = 0; a < masks; a++)
        for (unsigned v = 0; v < regs; v++)
            if (decode_one(&out, t, modrm, vvvv[v], aaa[a]))
                return out;
    return out;
}

static void print(const struct tmpl *t, struct probe p, enum tmpl_form form, int reg, int rm)
{
    if (p.mnemonic == NONE)
        return;
    printf("{%u,%u,%u,0x%02x,%u,%u,%u,%u,%d,%d,%u},\n", p.mnemonic, t->enc, t->map, t->op, t->pp, t->w, t->l, form, reg, rm, p.flags);
    count++;
}

static bool all_same(const struct probe *p, unsigned n, unsigned stride)
{
    for (unsigned i = 1; i < n; i++)
        if (p[i * stride].mnemonic != p[0].mnemonic)
            return false;
    return true;
}

static void walk_registers(const struct tmpl *t)
{
    struct probe p[64];
    for (unsigned i = 0; i < 64; i++)
        p[i] = probe(t, (u8)(0xc0 | i));
    if (all_same(p, 64, 1)) {
        print(t, p[0], FORM_REG, -1, -1);
        return;
    }
    for (int reg = 0; reg < 8; reg++) {
        if (all_same(p + reg * 8, 8, 1))
            print(t, p[reg * 8], FORM_REG, reg, -1);
        else
            for (int rm = 0; rm < 8; rm++)
                print(t, p[reg * 8 + rm], FORM_REG, reg, rm);
    }
}

static void walk_opcode(const struct tmpl *t)
{
    struct probe p[8];
    for (unsigned reg = 0; reg < 8; reg++)
        p[reg] = probe(t, (u8)(reg << 3 | 4));
    if (!p[0].modrm) {
        print(t, p[0], FORM_NONE, -1, -1);
        return;
    }
    if (all_same(p, 8, 1))
        print(t, p[0], FORM_MEM, -1, -1);
    else
        for (int reg = 0; reg < 8; reg++)
            print(t, p[reg], FORM_MEM, reg, -1);
    walk_registers(t);
}

static bool is_prefix_or_escape(const struct tmpl *t)
{
    static const u8 skip[] = {0x0f, 0x26, 0x2e, 0x36, 0x3e, 0x62, 0x64, 0x65, 0x66, 0x67, 0xc4, 0xc5, 0xf0, 0xf2, 0xf3};
    if (t->enc != ENC_LEGACY || t->map > 1)
        return false;
    if (t->map == 1)
        return t->op == 0x38 || t->op == 0x3a || t->op == 0x0f;
    return memchr(skip, t->op, sizeof skip) || (t->op & 0xf0) == 0x40;
}

static void walk_map(u8 enc, u8 map, unsigned lengths)
{
    unsigned prefixes = enc == ENC_3DNOW ? 1 : 4, widths = enc == ENC_3DNOW ? 1 : 2;
    for (unsigned op = 0; op < 256; op++)
        for (unsigned pp = 0; pp < prefixes; pp++)
            for (unsigned w = 0; w < widths; w++)
                for (unsigned l = 0; l < lengths; l++) {
                    struct tmpl t = {.enc = enc, .map = map, .op = (u8)op, .pp = (u8)pp, .w = (u8)w, .l = (u8)l};
                    if (!is_prefix_or_escape(&t))
                        walk_opcode(&t);
                }
}

int main(void)
{
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    printf("/* made by fuzz_table.c */\nconst struct tmpl fuzz_templates[] = {\n");
    for (u8 map = 0; map < 4; map++)
        walk_map(ENC_LEGACY, map, 1);
    walk_map(ENC_3DNOW, 1, 1);
    for (u8 map = 1; map < 4; map++)
        walk_map(ENC_VEX, map, 2);
    for (u8 map = 1; map < 7; map++)
        if (map != 4)
            walk_map(ENC_EVEX, map, 3);
    for (u8 map = 8; map < 11; map++)
        walk_map(ENC_XOP, map, 2);
    printf("};\nconst unsigned fuzz_ntemplates = %u;\n", count);
    return count < 1000; /* the decoder must have known something */
}
