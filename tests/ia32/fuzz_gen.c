/* SPDX-License-Identifier: Apache-2.0
 * Makes the cases of the IA-32 fuzzer: a few instructions each, from random bytes that have the shape of instructions, with registers such that most of
 * the memory operands are in the case's own data. Writes them to the standard output, or with --text the instructions of one. Whatever is put together
 * is decoded, and left out if its result is not a function of the state before it, or if it leaves the case's own memory. Runs nothing. */
#include "fuzz.h"

#include <Zydis/Zydis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ZydisDecoder decoder;
static ZydisFormatter formatter;

struct gen {
    struct fuzz_case c;
    u64 rng;
    bool fixed[GPRS];   /* registers whose first value is decided */
    bool written[GPRS]; /* by instructions so far */
    u32 left;           /* items left out, by number */
    u32 nitems;
    u8 off[32], len[32];
    u8 rel[32], rel_bytes[32]; /* displacement of a branch; 0: it is none */
};

struct insn {
    u8 b[16];
    ZydisDecodedInstruction z;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
};

static bool decode(struct insn *i) { return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, i->b, 15, &i->z, i->op)); }

/* --- bytes -------------------------------------------------------------------------------------------------------- */

static u8 *put_prefixes(struct gen *g, u8 *p)
{
    static const u8 other[] = {0x26, 0x2e, 0x36, 0x3e}, repeat[] = {0xf2, 0xf3};
    if (rng_percent(&g->rng, 3))
        *p++ = other[rng_below(&g->rng, 4)];
    if (rng_percent(&g->rng, 7))
        *p++ = (u8)(0x64 + rng_below(&g->rng, 2));
    if (rng_percent(&g->rng, 3))
        *p++ = 0x67;
    if (rng_percent(&g->rng, 18))
        *p++ = 0x66;
    if (rng_percent(&g->rng, 3))
        *p++ = 0xf0;
    if (rng_percent(&g->rng, 10))
        *p++ = repeat[rng_below(&g->rng, 2)];
    return p;
}

/* Up to the opcode. */
static u8 *put_head(struct gen *g, u8 *p)
{
    u32 kind = rng_below(&g->rng, 100);
    u8 op = (u8)rng_next(&g->rng);
    if (kind < 78)
        p = put_prefixes(g, p);
    if (kind < 45) {
        *p++ = rng_percent(&g->rng, 6) ? (u8)(0xd8 + rng_below(&g->rng, 8)) : op;
    } else if (kind < 78) {
        *p++ = 0x0f;
        if (kind >= 68)
            *p++ = kind < 74 ? 0x38 : 0x3a;
        *p++ = op;
    } else if (kind < 92) {
        if (rng_percent(&g->rng, 8))
            *p++ = (u8)(0x64 + rng_below(&g->rng, 2));
        if (rng_percent(&g->rng, 50)) {
            *p++ = 0xc5;
            *p++ = (u8)(0xc0 | rng_next(&g->rng));
        } else {
            *p++ = 0xc4;
            *p++ = (u8)(0xc0 | rng_below(&g->rng, 2) << 5 | (1 + rng_below(&g->rng, 3)));
            *p++ = (u8)rng_next(&g->rng);
        }
        *p++ = op;
    } else {
        *p++ = 0x62;
        *p++ = (u8)(0xd0 | rng_below(&g->rng, 2) << 5 | (1 + rng_below(&g->rng, 3)));
        *p++ = (u8)(rng_next(&g->rng) | 4);
        *p++ = (u8)(rng_next(&g->rng) | (rng_percent(&g->rng, 80) ? 8 : 0));
        *p++ = op;
    }
    return p;
}

static void put_random(struct gen *g, u8 *p, const u8 *end)
{
    u64 r = rng_next(&g->rng), small = rng_next(&g->rng);
    u8 tail[16];
    memcpy(tail, &r, 8);
    memcpy(tail + 8, &small, 8);
    if (rng_percent(&g->rng, 55))
        tail[0] &= 0xbf; /* a memory operand */
    for (u32 i = 0; p < end; i++)
        *p++ = tail[i % 16];
}

/* --- what is left out --------------------------------------------------------------------------------------------- */

static bool is_unsteady(ZydisMnemonic m)
{
    static const u16 list[] = {
        ZYDIS_MNEMONIC_RDTSC, ZYDIS_MNEMONIC_RDTSCP, ZYDIS_MNEMONIC_RDRAND, ZYDIS_MNEMONIC_RDSEED, ZYDIS_MNEMONIC_CPUID, ZYDIS_MNEMONIC_RDPID,
        ZYDIS_MNEMONIC_RDPMC, ZYDIS_MNEMONIC_SYSENTER, ZYDIS_MNEMONIC_SYSCALL, ZYDIS_MNEMONIC_SYSEXIT, ZYDIS_MNEMONIC_SYSRET, ZYDIS_MNEMONIC_RDPRU,
        ZYDIS_MNEMONIC_XBEGIN, ZYDIS_MNEMONIC_XABORT, ZYDIS_MNEMONIC_XEND, ZYDIS_MNEMONIC_XTEST, ZYDIS_MNEMONIC_XSAVE, ZYDIS_MNEMONIC_XSAVEC,
        ZYDIS_MNEMONIC_XSAVEOPT, ZYDIS_MNEMONIC_XRSTOR, ZYDIS_MNEMONIC_FXSAVE, ZYDIS_MNEMONIC_FNSAVE, ZYDIS_MNEMONIC_FNSTENV, ZYDIS_MNEMONIC_MONITORX,
        ZYDIS_MNEMONIC_MWAITX, ZYDIS_MNEMONIC_VMMCALL, ZYDIS_MNEMONIC_VMCALL, ZYDIS_MNEMONIC_UD0, ZYDIS_MNEMONIC_UD1,
        ZYDIS_MNEMONIC_LAR, ZYDIS_MNEMONIC_LSL, ZYDIS_MNEMONIC_VERR, ZYDIS_MNEMONIC_VERW, /* of segments of a 64-bit process */
        /* the kernel emulates them, otherwise for 64-bit code */
        ZYDIS_MNEMONIC_SGDT, ZYDIS_MNEMONIC_SIDT, ZYDIS_MNEMONIC_SLDT, ZYDIS_MNEMONIC_STR, ZYDIS_MNEMONIC_SMSW,
    };
    for (u32 i = 0; i < sizeof list / sizeof *list; i++)
        if (m == list[i])
            return true;
    return false;
}

static bool is_bit_test(const ZydisDecodedInstruction *z)
{
    return z->opcode_map == ZYDIS_OPCODE_MAP_0F && z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY && (z->opcode & 0xe7) == 0xa3;
}

/* vpinsrd and vpextrd: with W, CPUs differ. */
static bool is_wide_lane(const ZydisDecodedInstruction *z)
{
    return (z->mnemonic == ZYDIS_MNEMONIC_VPINSRD || z->mnemonic == ZYDIS_MNEMONIC_VPEXTRD || z->mnemonic == ZYDIS_MNEMONIC_VPINSRQ ||
            z->mnemonic == ZYDIS_MNEMONIC_VPEXTRQ) && (z->raw.vex.W || z->raw.evex.W);
}

/* Segments of 64-bit code natively lead to it; the last selectors on the stack are random. */
static bool is_refused(struct insn *i)
{
    const ZydisDecodedInstruction *z = &i->z;
    static const u8 own[2] = {0x23, 0};
    for (u32 n = 0; n < z->operand_count; n++)
        if (z->address_width == 16 && i->op[n].type == ZYDIS_OPERAND_TYPE_MEMORY && z->attributes & ZYDIS_ATTRIB_HAS_MODRM &&
            (i->op[n].mem.segment == ZYDIS_REGISTER_FS || is_bit_test(z) || z->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX || z->raw.modrm.mod == 3))
            return true;
    if (z->address_width == 16 && (memchr(i->b, 0xf2, z->length - 2) || memchr(i->b, 0xf3, z->length - 2)) && (z->opcode & 0xfc) == 0xe0 &&
        z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT)
        return true; /* a loop, whose prefix means something to AMD's CPUs, and not to the VM */
    if (z->opcode == 0xca && z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR) /* CPUs look at what is left on the stack, or not */
        memset(i->b + z->length - 1, 0, 1), i->b[z->length - 2] &= 63;
    if (is_wide_lane(z))
        return true;
    for (u32 n = 0; n < z->operand_count; n++) /* addresses that wrap through FS are not done */
        if (is_bit_test(z) && i->op[n].type == ZYDIS_OPERAND_TYPE_MEMORY && i->op[n].mem.segment == ZYDIS_REGISTER_FS)
            return true;
    if (z->mnemonic == ZYDIS_MNEMONIC_INT)
        return z->raw.imm[0].value.u == 0x80;
    if (z->meta.branch_type != ZYDIS_BRANCH_TYPE_FAR || i->op[0].type != ZYDIS_OPERAND_TYPE_POINTER)
        return false;
    memcpy(i->b + z->length - 2, own, 2);
    if (z->operand_width == 32)
        i->b[z->length - 3] &= 0x1f;
    return false;
}

/* What these leave in some flags is the CPU's choice, and the VM's where it carries them out. */
static u32 undefined_flags(const struct insn *i)
{
    switch (i->z.mnemonic) {
    case ZYDIS_MNEMONIC_AAA: case ZYDIS_MNEMONIC_AAS: return 0x8c4;
    case ZYDIS_MNEMONIC_DAA: case ZYDIS_MNEMONIC_DAS: return 0x800;
    case ZYDIS_MNEMONIC_AAD: case ZYDIS_MNEMONIC_AAM: return 0x811;
    default: return 0;
    }
}

static int gpr_of(ZydisRegister r)
{
    ZydisRegister wide = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LEGACY_32, r);
    return wide >= ZYDIS_REGISTER_EAX && wide <= ZYDIS_REGISTER_EDI ? (int)(wide - ZYDIS_REGISTER_EAX) : -1;
}

static bool writes_segment(const struct insn *i)
{
    for (u32 n = 0; n < i->z.operand_count; n++)
        if (i->op[n].type == ZYDIS_OPERAND_TYPE_REGISTER && i->op[n].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
            ZydisRegisterGetClass(i->op[n].reg.value) == ZYDIS_REGCLASS_SEGMENT)
            return true;
    return false;
}

/* --- operands ----------------------------------------------------------------------------------------------------- */

static u32 pick_target(struct gen *g)
{
    u32 k = rng_below(&g->rng, 100);
    if (k < 3)
        return NONE_AT - rng_below(&g->rng, 24);
    if (k < 5)
        return RO_AT - rng_below(&g->rng, 64);
    return DATA_MIDDLE - 0x400 + rng_below(&g->rng, 24) * 64 + (k < 30 ? rng_below(&g->rng, 64) : 0);
}

static bool may_fix(const struct gen *g, int r) { return r >= 0 && r != ESP && !g->fixed[r] && !g->written[r]; }

static void fix(struct gen *g, int r, u32 v)
{
    g->c.gpr[r] = v;
    g->fixed[r] = true;
}

static bool is_known(const struct gen *g, int r) { return r < 0 || (!g->written[r] && (g->fixed[r] || r == ESP)); }

/* Makes the operand reach the target, by the first value of a register or by its displacement. */
static bool reach(struct gen *g, struct insn *i, const ZydisDecodedOperandMem *m, u32 target)
{
    int base = gpr_of(m->base), index = m->type == ZYDIS_MEMOP_TYPE_VSIB ? -1 : gpr_of(m->index);
    bool narrow = i->z.address_width == 16;
    if (m->segment == ZYDIS_REGISTER_FS || m->segment == ZYDIS_REGISTER_GS)
        target -= m->segment == ZYDIS_REGISTER_FS ? FS_AT : GS_AT;
    if (narrow) /* of the segment, if it has one */
        return base < 0 || rng_percent(&g->rng, 50);
    if (index >= 0 && may_fix(g, index) && index != base)
        fix(g, index, rng_percent(&g->rng, 80) ? rng_below(&g->rng, 64) : (u32)rng_next(&g->rng));
    if (base >= 0 && base != index && may_fix(g, base) && is_known(g, index)) {
        fix(g, base, target - (u32)m->disp.value - (index >= 0 ? g->c.gpr[index] * m->scale : 0));
        return true;
    }
    if (base == index && may_fix(g, base))
        fix(g, base, (u32)rng_next(&g->rng));
    if (i->z.raw.disp.size == 32 && is_known(g, base) && is_known(g, index)) {
        u32 disp = target - (base >= 0 ? g->c.gpr[base] : 0) - (index >= 0 ? g->c.gpr[index] * m->scale : 0);
        memcpy(i->b + i->z.raw.disp.offset, &disp, 4);
        return true;
    }
    return (base >= 0 && is_known(g, base) && index < 0) || rng_percent(&g->rng, 6);
}

static bool place_operands(struct gen *g, struct insn *i)
{
    for (u32 n = 0; n < i->z.operand_count; n++) {
        const ZydisDecodedOperand *o = &i->op[n];
        if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
            continue;
        if (o->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
            i->b[i->z.raw.modrm.offset + 1] = (u8)((i->b[i->z.raw.modrm.offset + 1] & 0xc7) | SMALL_INDEX << 3);
        if (!reach(g, i, &o->mem, pick_target(g)))
            return false;
    }
    if (i->z.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) {
        if (may_fix(g, ECX))
            fix(g, ECX, rng_below(&g->rng, 20));
        else if (!is_known(g, ECX) || g->c.gpr[ECX] > 64)
            return false;
    }
    return true;
}

/* Branches lead to a later instruction, or beyond all; one of 32 bits now and then to where nothing is. */
static void place_branches(struct gen *g)
{
    for (u32 n = 0; n < g->nitems; n++) {
        if (!g->rel_bytes[n] || g->left >> n & 1)
            continue;
        u32 to = n + 1 + rng_below(&g->rng, g->nitems - n), end = g->off[n] + g->len[n];
        u32 by = (to < g->nitems ? g->off[to] : g->c.ncode) - end;
        if (g->rel_bytes[n] == 4 && rng_percent(&g->rng, 5))
            by = (u32)rng_next(&g->rng) & 0x1fffffff;
        memcpy(g->c.code + g->off[n] + g->rel[n], &by, g->rel_bytes[n]);
    }
}

static void note_written(struct gen *g, const struct insn *i)
{
    for (u32 n = 0; n < i->z.operand_count; n++) {
        const ZydisDecodedOperand *o = &i->op[n];
        int r = o->type == ZYDIS_OPERAND_TYPE_REGISTER ? gpr_of(o->reg.value) : -1;
        if (r >= 0 && o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            g->written[r] = true;
    }
}

static bool put_insn(struct gen *g)
{
    struct insn i;
    const struct gen before = *g;
    u8 *p = put_head(g, i.b);
    put_random(g, p, i.b + sizeof i.b);
    bool known = decode(&i);
    if (!known) {
        if (!rng_percent(&g->rng, 1))
            return false;
        i.z.length = 15; /* a signal, most likely */
    } else {
        bool good = !is_unsteady(i.z.mnemonic) && !is_refused(&i) && !writes_segment(&i) && place_operands(g, &i);
        if (!good || !decode(&i)) {
            u64 rng = g->rng;
            *g = before;
            g->rng = rng;
            return false;
        }
        note_written(g, &i);
        g->c.undefined = undefined_flags(&i);
    }
    if (g->c.ncode + i.z.length + PAD > CODE_MAX)
        return false;
    g->rel_bytes[g->nitems] = known && i.z.raw.imm[0].is_relative ? i.z.raw.imm[0].size / 8 : 0;
    g->rel[g->nitems] = known ? i.z.raw.imm[0].offset : 0;
    g->off[g->nitems] = (u8)g->c.ncode;
    g->len[g->nitems] = i.z.length;
    if (g->left >> g->nitems & 1)
        memset(i.b, 0x90, i.z.length);
    g->nitems++;
    memcpy(g->c.code + g->c.ncode, i.b, i.z.length);
    g->c.ncode += i.z.length;
    return true;
}

static void make_case(struct gen *g, u64 seed, u32 number, u32 left)
{
    memset(g, 0, sizeof *g);
    g->rng = seed * 0xd1342543de82ef95ull + number * 0xaef17502108ef2d9ull;
    rng_next(&g->rng);
    g->left = left;
    g->c.number = number;
    g->c.seed = (u32)rng_next(&g->rng);
    g->c.at = CODE_AT + number % GROUP * SLOT + rng_below(&g->rng, SLOT - CODE_MAX);
    g->c.eflags = 0x202 | ((u32)rng_next(&g->rng) & 0x8d5) | (rng_percent(&g->rng, 15) ? 0x400 : 0);
    for (int r = 0; r < GPRS; r++)
        g->c.gpr[r] = rng_percent(&g->rng, 50) ? DATA_MIDDLE - 0x200 + rng_below(&g->rng, 0x400)
                      : rng_percent(&g->rng, 50) ? (u32)rng_next(&g->rng) : (u32)rng_next(&g->rng) >> rng_below(&g->rng, 32);
    g->c.gpr[ESP] = STACK_AT + (rng_percent(&g->rng, 80) ? 0 : rng_below(&g->rng, 64));
    u32 n = 1 + rng_below(&g->rng, rng_percent(&g->rng, 70) ? 3 : 8);
    for (u32 tries = 0; g->nitems < n && !g->c.undefined && tries < 2000; tries++)
        put_insn(g);
    place_branches(g);
    memset(g->c.code + g->c.ncode, 0xcc, CODE_MAX - g->c.ncode);
}

static void print_text(const struct gen *g)
{
    for (u32 n = 0; n < g->nitems; n++) {
        struct insn i = {.b = {0}};
        char text[160] = "(bytes)";
        memcpy(i.b, g->c.code + g->off[n], g->len[n]);
        if (decode(&i))
            ZydisFormatterFormatInstruction(&formatter, &i.z, i.op, ZYDIS_MAX_OPERAND_COUNT, text, sizeof text, g->c.at + g->off[n], NULL);
        printf("i %u %x ", n, g->c.at + g->off[n]);
        for (u32 k = 0; k < g->len[n]; k++)
            printf("%02x", i.b[k]);
        printf("  %s\n", text);
    }
    static const char *const name[GPRS] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};
    for (int r = 0; r < GPRS; r++)
        printf("b %s %08x\n", name[r], g->c.gpr[r]);
    printf("b eflags %08x\n", g->c.eflags);
}

int main(int argc, char **argv)
{
    bool text = argc > 1 && !strcmp(argv[1], "--text");
    if (argc != 5 + text) {
        fprintf(stderr, "usage: fuzz_gen [--text] SEED FROM TO LEFT_OUT\n");
        return 2;
    }
    argv += text;
    u64 seed = strtoull(argv[1], NULL, 0);
    u32 from = (u32)strtoul(argv[2], NULL, 0), to = (u32)strtoul(argv[3], NULL, 0), left = (u32)strtoul(argv[4], NULL, 0);
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);
    for (u32 n = from; n < to; n++) {
        struct gen g;
        make_case(&g, seed, n, n == to - 1 ? left : 0);
        if (!text)
            fwrite(&g.c, sizeof g.c, 1, stdout);
        else if (n == to - 1)
            print_text(&g);
    }
    return fflush(stdout) || ferror(stdout);
}
