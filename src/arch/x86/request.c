/* SPDX-License-Identifier: Apache-2.0
 * Encodes what a tool asks for with XED's encoder, by Zydis'. Zydis takes the shortest form for a value; XED the one of
 * the width that was asked for. So each constant and displacement goes in as a value that has that width and no less,
 * and its bytes are put in afterwards. What comes out is decoded again and must be of the class and the widths that
 * were asked for. No state. */
#include "arch/x86/request.h"

#include "arch/x86/facts_internal.h"
#include "arch/x86/regs.h"
#include "arch/x86/xed_names.h"
#include "xed-iclass-enum.h"
#include "xed-reg-enum.h"

#include <Zydis/Zydis.h>
#include <string.h>


/* --- the mnemonic -------------------------------------------------------------------------------------- */

/* The class without its prefix, and the prefix. */
static u16 plain_iclass(u16 iclass, u64 *prefixes)
{
    u16 plain = xed_iclass_unrepeated(iclass);
    if (plain != iclass) {
        const char *name = xed_iclass_name(iclass);
        *prefixes |= !strncmp(name, "REPNE_", 6)  ? ZYDIS_ATTRIB_HAS_REPNE
                     : !strncmp(name, "REPE_", 5) ? ZYDIS_ATTRIB_HAS_REPE
                                                  : ZYDIS_ATTRIB_HAS_REP;
        return plain;
    }
    plain = xed_iclass_unlocked(iclass);
    if (plain != iclass)
        *prefixes |= ZYDIS_ATTRIB_HAS_LOCK;
    return plain;
}

static bool is_far(u16 iclass)
{
    return iclass == XED_ICLASS_CALL_FAR || iclass == XED_ICLASS_JMP_FAR || iclass == XED_ICLASS_RET_FAR;
}

/* --- the request --------------------------------------------------------------------------------------- */

/* Values of a width that no shorter form could hold, and (displacements of a byte) that every scale divides. */
static s64 stand_in(u32 bits)
{
    return bits == 8 ? 0x40 : bits == 16 ? 0x1234 : bits == 32 ? 0x12345678 : bits == 64 ? 0x123456789abcdef0 : 0;
}

static u64 segment_attribute(u16 seg)
{
    switch (seg) {
    case XED_REG_CS: return ZYDIS_ATTRIB_HAS_SEGMENT_CS;
    case XED_REG_DS: return ZYDIS_ATTRIB_HAS_SEGMENT_DS;
    case XED_REG_ES: return ZYDIS_ATTRIB_HAS_SEGMENT_ES;
    case XED_REG_FS: return ZYDIS_ATTRIB_HAS_SEGMENT_FS;
    case XED_REG_GS: return ZYDIS_ATTRIB_HAS_SEGMENT_GS;
    case XED_REG_SS: return ZYDIS_ATTRIB_HAS_SEGMENT_SS;
    }
    return 0;
}

static void put_memory(ZydisEncoderRequest *z, ZydisEncoderOperand *o, const struct request_operand *r)
{
    o->type = ZYDIS_OPERAND_TYPE_MEMORY;
    o->mem.base = (ZydisRegister)xed_reg_to_zydis(r->base);
    o->mem.index = (ZydisRegister)xed_reg_to_zydis(r->index);
    o->mem.scale = r->index ? (r->scale ? r->scale : 1) : 0;
    o->mem.displacement = stand_in(r->bits);
    o->mem.size = r->bytes;
    z->prefixes |= segment_attribute(r->seg);
}

/* exact: constants as they are, where the value decides which form there is. */
static void put_operand(ZydisEncoderRequest *z, const struct request_operand *r, bool exact)
{
    ZydisEncoderOperand *o = &z->operands[z->operand_count++];
    switch ((enum request_kind)r->kind) {
    case REQUEST_REG:
        o->type = ZYDIS_OPERAND_TYPE_REGISTER;
        o->reg.value = (ZydisRegister)xed_reg_to_zydis(r->reg);
        o->reg.is4 = r->in_constant;
        break;
    case REQUEST_MEM: put_memory(z, o, r); break;
    case REQUEST_POINTER:
        o->type = ZYDIS_OPERAND_TYPE_POINTER;
        o->ptr.segment = r->selector;
        o->ptr.offset = (u32)stand_in(r->bits);
        z->branch_width = r->bits == 16 ? ZYDIS_BRANCH_WIDTH_16 : ZYDIS_BRANCH_WIDTH_32;
        break;
    case REQUEST_BRANCH:
        o->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
        o->imm.s = stand_in(r->bits);
        z->branch_width = r->bits == 8    ? ZYDIS_BRANCH_WIDTH_8
                          : r->bits == 16 ? ZYDIS_BRANCH_WIDTH_16
                                          : ZYDIS_BRANCH_WIDTH_32;
        break;
    case REQUEST_IMM:
        o->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
        o->imm.u = exact || r->fixed ? r->value : (u64)stand_in(r->bits);
        break;
    }
}

static void put_vector(ZydisEncoderRequest *z, const struct request *r)
{
    static const u8 broadcasts[65] = {
        [2] = ZYDIS_BROADCAST_MODE_1_TO_2, [4] = ZYDIS_BROADCAST_MODE_1_TO_4, [8] = ZYDIS_BROADCAST_MODE_1_TO_8,
        [16] = ZYDIS_BROADCAST_MODE_1_TO_16, [32] = ZYDIS_BROADCAST_MODE_1_TO_32, [64] = ZYDIS_BROADCAST_MODE_1_TO_64,
    };
    z->allowed_encodings = r->evex  ? ZYDIS_ENCODABLE_ENCODING_EVEX
                           : r->vex ? ZYDIS_ENCODABLE_ENCODING_VEX
                           : r->xop ? ZYDIS_ENCODABLE_ENCODING_XOP
                                    : ZYDIS_ENCODABLE_ENCODING_DEFAULT;
    z->evex.zeroing_mask = r->zeroing;
    z->evex.sae = r->sae || r->rounding;
    z->evex.rounding = (ZydisRoundingMode)r->rounding; /* both count from 1 in the order of the encoding */
    z->evex.broadcast = r->broadcast < ARRAY_LEN(broadcasts) ? (ZydisBroadcastMode)broadcasts[r->broadcast] : 0;
}

static u32 hint(u32 bits) { return bits == 64 ? 3 : bits == 32 ? 2 : bits == 16 ? 1 : 0; }

/* F2, F3, 2E and 3E, where the instruction can have them. */
static u64 optional_prefixes(const struct request *r, u16 iclass, ZydisMnemonic mnemonic)
{
    bool locked = r->lock || xed_iclass_unlocked(r->iclass) != r->iclass || iclass == XED_ICLASS_XCHG;
    bool branch = mnemonic == ZYDIS_MNEMONIC_JMP || mnemonic == ZYDIS_MNEMONIC_CALL || mnemonic == ZYDIS_MNEMONIC_RET ||
                  (mnemonic >= ZYDIS_MNEMONIC_JB && mnemonic <= ZYDIS_MNEMONIC_JZ);
    u64 prefixes = 0;
    if (r->rep && xed_iclass_repeated(iclass, false) != iclass)
        prefixes |= r->rep == 2 ? ZYDIS_ATTRIB_HAS_REPNE : ZYDIS_ATTRIB_HAS_REP;
    else if (r->rep && locked)
        prefixes |= r->rep == 2 ? ZYDIS_ATTRIB_HAS_XACQUIRE : ZYDIS_ATTRIB_HAS_XRELEASE;
    else if (r->rep == 2 && branch)
        prefixes |= ZYDIS_ATTRIB_HAS_BND;
    if (r->hint == 2 && (mnemonic == ZYDIS_MNEMONIC_JMP || mnemonic == ZYDIS_MNEMONIC_CALL))
        prefixes |= ZYDIS_ATTRIB_HAS_NOTRACK;
    else if (r->hint && branch && mnemonic != ZYDIS_MNEMONIC_JMP && mnemonic >= ZYDIS_MNEMONIC_JB &&
             mnemonic <= ZYDIS_MNEMONIC_JZ)
        prefixes |= r->hint == 1 ? ZYDIS_ATTRIB_HAS_BRANCH_NOT_TAKEN : ZYDIS_ATTRIB_HAS_BRANCH_TAKEN;
    return prefixes;
}

static bool fill(ZydisEncoderRequest *z, const struct request *r, bool exact, bool sized)
{
    u64 prefixes = (r->lock ? ZYDIS_ATTRIB_HAS_LOCK : 0) | segment_attribute(r->seg);
    memset(z, 0, sizeof *z);
    u16 iclass = plain_iclass(r->iclass, &prefixes);
    z->machine_mode = r->mode == CODE_64   ? ZYDIS_MACHINE_MODE_LONG_64
                      : r->mode == CODE_32 ? ZYDIS_MACHINE_MODE_LEGACY_32
                                           : ZYDIS_MACHINE_MODE_LEGACY_16;
    z->mnemonic = (ZydisMnemonic)facts_mnemonic_of(iclass);
    if (!(prefixes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)))
        prefixes |= optional_prefixes(r, iclass, z->mnemonic);
    z->prefixes = prefixes;
    z->branch_type = is_far(iclass) ? ZYDIS_BRANCH_TYPE_FAR : ZYDIS_BRANCH_TYPE_NONE;
    z->address_size_hint = (ZydisAddressSizeHint)hint(r->address_bits);
    if (sized && r->operand_bits)
        z->operand_size_hint = (ZydisOperandSizeHint)(r->operand_bits == 8 ? 1 : hint(r->operand_bits) + 1);
    put_vector(z, r);
    for (u32 i = 0; i < r->noperands; i++)
        put_operand(z, &r->op[i], exact);
    return z->mnemonic != ZYDIS_MNEMONIC_INVALID;
}

/* --- the values ---------------------------------------------------------------------------------------- */

static void put_bytes(u8 *out, u32 at, u32 bits, u64 value)
{
    for (u32 i = 0; i < bits / 8; i++)
        out[at + i] = (u8)(value >> 8 * i);
}

static bool put_constant(const struct request_operand *r, const ZydisDecodedInstruction *z, u8 *out, u32 n)
{
    if (z->raw.imm[n].size != r->bits)
        return false;
    put_bytes(out, z->raw.imm[n].offset, r->bits, r->value);
    return true;
}

/* Puts the values in where their stand-ins are; false: the form has not the widths that were asked for. */
static bool put_values(const struct request *r, const ZydisDecodedInstruction *z, u8 *out)
{
    u32 n = 0;
    for (u32 i = 0; i < r->noperands; i++) {
        const struct request_operand *o = &r->op[i];
        switch ((enum request_kind)o->kind) {
        case REQUEST_REG: break;
        case REQUEST_MEM:
            /* An address without registers is extended by its sign, and with the prefix it would be by zeros. */
            if (o->bits && z->raw.disp.size != o->bits)
                return false;
            if (r->mode == CODE_64 && !o->base && !o->index && z->address_width != 64 && r->address_bits != 32)
                return false;
            put_bytes(out, z->raw.disp.offset, o->bits, o->value);
            break;
        case REQUEST_POINTER:
            if (z->raw.imm[0].size != o->bits)
                return false;
            put_bytes(out, z->raw.imm[0].offset, o->bits, o->value);
            break;
        case REQUEST_BRANCH: case REQUEST_IMM:
            if (!o->fixed && !put_constant(o, z, out, n++))
                return false;
            break;
        }
    }
    return true;
}

/* Is each register that was asked for an operand of what has come out? */
static bool has_registers(const struct request *r, const struct ins_facts *f)
{
    for (u32 i = 0; i < r->noperands; i++) {
        bool found = r->op[i].kind != REQUEST_REG || (f->iclass == XED_ICLASS_NOP);
        for (u32 k = 0; !found && k < f->noperands; k++)
            found = f->op[k].kind == FACT_REG && xed_reg_from_zydis(regs_to_zydis(f->op[k].reg)) == r->op[i].reg;
        if (!found)
            return false;
    }
    return true;
}

static bool is_asked_for(const struct request *r, const u8 *out, u32 n)
{
    struct ins_facts f;
    u64 prefixes = 0;
    return facts_decode(&f, 0, out, n, 0, r->mode) && f.len == n && has_registers(r, &f) &&
           (f.iclass == r->iclass || plain_iclass(f.iclass, &prefixes) == r->iclass);
}

static u32 encode(const struct request *r, u8 *out, bool exact, bool sized)
{
    ZydisEncoderRequest z;
    ZydisDecoder decoder;
    ZydisDecodedInstruction made;
    ZyanUSize n = 15;
    if (!fill(&z, r, exact, sized) || ZYAN_FAILED(ZydisEncoderEncodeInstruction(&z, out, &n)))
        return 0;
    ZydisDecoderInit(&decoder, z.machine_mode,
                     r->mode == CODE_64   ? ZYDIS_STACK_WIDTH_64
                     : r->mode == CODE_32 ? ZYDIS_STACK_WIDTH_32
                                          : ZYDIS_STACK_WIDTH_16);
    if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(&decoder, NULL, out, n, &made)) || !put_values(r, &made, out))
        return 0;
    return is_asked_for(r, out, (u32)n) ? (u32)n : 0;
}

static u32 encode_any(const struct request *r, u8 *out)
{
    for (u32 way = 0; way < 4; way++) {
        u32 n = encode(r, out, way & 1, !(way & 2));
        if (n)
            return n;
    }
    return 0;
}

/* An address that is only computed (lea, nop) has no size in XED, and one in Zydis. */
static u32 encode_sized(const struct request *r, u8 *out)
{
    static const u8 sizes[] = {8, 4, 2, 1, 16, 64, 0};
    struct request try = *r;
    u32 at = 0, n = encode_any(r, out);
    while (at < r->noperands && !(r->op[at].kind == REQUEST_MEM && r->op[at].address_only))
        at++;
    for (u32 i = 0; !n && at < r->noperands && i < ARRAY_LEN(sizes); i++) {
        try.op[at].bytes = sizes[i];
        n = encode_any(&try, out);
    }
    return n;
}

/* The last of four vector registers is in a constant, or the third is where the last is in memory: Zydis wants to be
 * told. */
static u32 encode_four(const struct request *r, u8 *out)
{
    struct request try = *r;
    u32 n = 0;
    for (u32 i = 0; i < r->noperands; i++)
        if (r->op[i].kind == REQUEST_IMM) /* the constant is shared: vpermil2ps */
            return 0;
    for (u32 i = 2; !n && r->noperands >= 4 && i < 4; i++) {
        if (try.op[i].kind != REQUEST_REG)
            continue;
        try.op[i].in_constant = true;
        n = encode_any(&try, out);
        try.op[i].in_constant = false;
    }
    return n;
}

/* The top of the x87's stack is an operand of XED's where the text of the instruction has it, and of Zydis' not. */
static u32 encode_without_top(const struct request *r, u8 *out)
{
    u32 n = 0;
    for (u32 i = 0; !n && i < r->noperands && i < 2; i++) {
        struct request try = *r;
        if (try.op[i].kind != REQUEST_REG || try.op[i].reg != XED_REG_ST0)
            continue;
        memmove(&try.op[i], &try.op[i + 1], (--try.noperands - i) * sizeof try.op[0]);
        n = encode_any(&try, out);
    }
    return n;
}

/* A no-operation with an address has a register, too, for Zydis. */
static u32 encode_nop(const struct request *r, u8 *out)
{
    struct request try = *r;
    if (r->iclass != XED_ICLASS_NOP || r->noperands != 1 || r->op[0].kind != REQUEST_MEM)
        return 0;
    try.op[try.noperands++] = (struct request_operand){
        .kind = REQUEST_REG,
        .reg = r->op[0].bytes == 8 ? XED_REG_RAX : r->op[0].bytes == 4 ? XED_REG_EAX : XED_REG_AX,
    };
    return encode_any(&try, out);
}

static u32 encode_all(const struct request *r, u8 *out)
{
    u32 n = encode_sized(r, out);
    n = n ? n : encode_four(r, out);
    n = n ? n : encode_without_top(r, out);
    return n ? n : encode_nop(r, out);
}

/* A prefix that the instruction cannot have does nothing, and is left out. */
u32 request_encode(const struct request *r, u8 *out)
{
    u32 n = encode_all(r, out);
    if (n || (!r->rep && !r->hint))
        return n;
    struct request plain = *r;
    plain.rep = plain.hint = 0;
    return encode_all(&plain, out);
}
