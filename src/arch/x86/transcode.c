/* SPDX-License-Identifier: Apache-2.0
 * See transcode.h. What both modes have is copied, with an address size of 32 bits where its address may wrap as it
 * does in IA-32 (transcode_wraps); absolute addresses get the form that is not relative to rip; inc and dec get their
 * long form; the displacement of FS and GS is one with a sign, because addresses wrap there, too, and their prefixes
 * change places, because a program's TLS is at GS there and at FS in 64-bit programs (E1). What uses the stack is
 * lowered by stack32.c, what 64-bit mode does not have is left to the VM (emulate32.c). No state. */
#include "arch/x86/transcode.h"

#include <string.h>

enum {
    OP_INC = 0x40, OP_DEC_END = 0x4f, OP_GROUP5 = 0xff, PREFIX_FS = 0x64, PREFIX_GS = 0x65, PREFIX_OPERAND = 0x66,
    PREFIX_ADDRESS = 0x67, MODRM_SIB = 4, SIB_NONE = 0x25, OP_MOFFS = 0xa0, OP_GROUP1 = 0x80, OP_GROUP1_ALIAS = 0x82,
    OP_LEA = 0x8d, OP_LOOPNE = 0xe0, PREFIX_CS = 0x2e, OP_LEAVE = 0xc9, OP_CONTROL = 0x20,
    XOP_VECTORS = 0x80,   /* of the maps 9 and 10, from here on */
    XOP_CONSTANTS = 0xc0, /* of map 8: from here on the last byte is one */
    CODE_MAX = 15,
};

#include "arch/x86/transcode_table.h"

/* The prefixes of an instruction that count. */
struct prefixes {
    u8 n;          /* how many bytes they are */
    u8 seg;        /* the last one */
    u8 repeat;     /* F2 or F3, the last one */
    bool lock, operand, address;
};

static struct prefixes read_prefixes(const struct insn *in)
{
    struct prefixes p = {0};
    for (; p.n < in->len; p.n++)
        switch (in->bytes[p.n]) {
        case 0x26: case 0x2e: case 0x36: case 0x3e: case PREFIX_FS: case PREFIX_GS: p.seg = in->bytes[p.n]; break;
        case PREFIX_OPERAND: p.operand = true; break;
        case PREFIX_ADDRESS: p.address = true; break;
        case 0xf0: p.lock = true; break;
        case 0xf2: case 0xf3: p.repeat = in->bytes[p.n]; break;
        default: return p;
        }
    return p;
}

static enum insn_class class_one_byte(const struct insn *in, u8 reg, bool in_memory)
{
    switch (in->opcode) {
    case 0xff: return (enum insn_class)ff_class32[reg];
    case 0x8f: return in_memory ? INSN_EMULATE : INSN_STACK32;
    default: return (enum insn_class)one_byte_class32[in->opcode];
    }
}

static bool saves_fpu(ZydisMnemonic m)
{
    return m == ZYDIS_MNEMONIC_FNSTENV || m == ZYDIS_MNEMONIC_FNSAVE || m == ZYDIS_MNEMONIC_FXSAVE ||
           m == ZYDIS_MNEMONIC_XSAVE || m == ZYDIS_MNEMONIC_XSAVEOPT || m == ZYDIS_MNEMONIC_XSAVEC;
}

static enum insn_class class_of(const struct insn *in, const ZydisDecodedInstruction *z)
{
    bool in_memory = z->attributes & ZYDIS_ATTRIB_HAS_MODRM && z->raw.modrm.mod != 3;
    if (z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
        return INSN_PLAIN;
    if (z->mnemonic == ZYDIS_MNEMONIC_XBEGIN)
        return INSN_EMULATE;
    if (saves_fpu(z->mnemonic))
        return INSN_FPU_SAVE;
    if (z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT)
        return class_one_byte(in, z->raw.modrm.reg, in_memory);
    return z->opcode_map == ZYDIS_OPCODE_MAP_0F ? (enum insn_class)two_bytes_class32[in->opcode] : INSN_PLAIN;
}

static bool has_memory_operand(const ZydisDecodedInstruction *z)
{
    bool control = z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY && z->opcode_map == ZYDIS_OPCODE_MAP_0F &&
                   (z->opcode & 0xfc) == OP_CONTROL; /* mov to and from such a register ignores mod */
    return z->attributes & ZYDIS_ATTRIB_HAS_MODRM && z->raw.modrm.mod != 3 && !control;
}

/* Does its address, or a count, depend on the address size? */
static bool uses_address(const struct insn *in, const ZydisDecodedInstruction *z)
{
    if (has_memory_operand(z))
        return true;
    if (z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
        return z->mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU;
    if (z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT)
        return one_byte_addresses[in->opcode];
    return z->mnemonic == ZYDIS_MNEMONIC_MASKMOVQ || z->mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU ||
           z->mnemonic == ZYDIS_MNEMONIC_CLZERO || z->mnemonic == ZYDIS_MNEMONIC_MONITOR ||
           z->mnemonic == ZYDIS_MNEMONIC_MONITORX;
}

static bool is_lea(const struct insn *in, const ZydisDecodedInstruction *z)
{
    return z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY && z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
           in->opcode == OP_LEA;
}

/* Of a bit whose number is in a register, which is added to the address. */
static bool is_bit_test(const struct insn *in, const ZydisDecodedInstruction *z)
{
    return z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY && z->opcode_map == ZYDIS_OPCODE_MAP_0F &&
           (in->opcode & 0xe7) == 0xa3;
}

/* The same, and is a prefix needed to make it one of 32 bits? lea only computes it, and takes 32 bits of it. A bit test
 * adds a register to it; what is not in the first two maps may scale its displacement, or have another address. */
static bool wraps(const struct insn *in, const ZydisDecodedInstruction *z)
{
    bool legacy = z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
    if (!uses_address(in, z) || is_lea(in, z))
        return false;
    bool in_modrm = has_memory_operand(z);
    if (!legacy || z->opcode_map > ZYDIS_OPCODE_MAP_0F || is_bit_test(in, z) || !in_modrm)
        return true;
    return transcode_wraps(in->bytes[z->raw.modrm.offset], in->bytes[z->raw.modrm.offset + 1]);
}

/* The width of its general register is what W says in 64-bit mode; in IA-32 it is 32 bits. */
static bool has_width(const struct insn *in, const ZydisDecodedInstruction *z)
{
    switch (z->opcode_map) {
    case ZYDIS_OPCODE_MAP_0F: /* packed ones with these numbers have none */
        return width_0f[in->opcode] && ((in->opcode & 0xfc) != 0x78 || in->bytes[in->prefixes + 2] & 2);
    case ZYDIS_OPCODE_MAP_0F38: return width_0f38[in->opcode];
    case ZYDIS_OPCODE_MAP_0F3A: return width_0f3a[in->opcode];
    default: return in->vex == 8 && z->opcode_map != ZYDIS_OPCODE_MAP_XOP8 && in->opcode < XOP_VECTORS;
    }
}

/* The bits of VEX and its kin that name registers from 8 on mean nothing in IA-32: those that are not fixed there. */
static void clear_extensions(struct insn *in, const ZydisDecodedInstruction *z)
{
    u8 *b = in->bytes + in->prefixes;
    if (in->vex > 2 && has_width(in, z))
        b[2] &= 0x7f;
    if ((in->vex == 3 && z->opcode_map == ZYDIS_OPCODE_MAP_0F3A && fourth_register[in->opcode]) ||
        (in->vex == 8 && z->opcode_map == ZYDIS_OPCODE_MAP_XOP8 && in->opcode < XOP_CONSTANTS))
        in->bytes[in->code_len - 1] &= 0x7f;
    if (in->vex == 4) {
        b[1] |= 0x30;
        b[2] |= 0x40;
    } else if (in->vex == 3 || in->vex == 8) {
        b[1] |= 0x20;
        b[2] |= 0x40;
    } else if (in->vex == 2) {
        b[1] |= 0x40;
    }
}

/* Its address is a vector's. */
static bool has_many_addresses(const struct insn *in, const ZydisDecodedInstruction *z)
{
    return in->vex && z->opcode_map == ZYDIS_OPCODE_MAP_0F38 && (in->opcode & 0xe0) != 0xe0 &&
           ((in->opcode & 0xfc) == 0x90 || (in->opcode & 0xfc) == 0xa0 || (in->opcode & 0xfe) == 0xc6);
}

/* Writes the instruction anew behind its prefixes. False: there is no room. */
static bool rewrite(struct insn *in, const ZydisDecodedInstruction *z, const struct prefixes *p)
{
    u8 out[32], n = 0;
    bool narrow = p->address && has_memory_operand(z);
    bool absolute = !narrow && has_memory_operand(z) && z->raw.modrm.mod == 0 && z->raw.modrm.rm == 5;
    u8 modrm = z->attributes & ZYDIS_ATTRIB_HAS_MODRM ? z->raw.modrm.offset : 0;
    if (p->lock)
        out[n++] = 0xf0;
    if (p->repeat)
        out[n++] = p->repeat;
    if (p->operand)
        out[n++] = PREFIX_OPERAND;
    if (p->seg == PREFIX_FS || p->seg == PREFIX_GS)
        out[n++] = p->seg ^ PREFIX_FS ^ PREFIX_GS;
    bool segment = n && (out[n - 1] == PREFIX_FS || out[n - 1] == PREFIX_GS);
    bool moves = in->opcode >= OP_MOFFS && in->opcode < OP_MOFFS + 4 && z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
                 z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
    in->addr16 = narrow || (p->address && in->cls == INSN_LOOP);
    in->wraps32 = narrow || (segment && !absolute && has_memory_operand(z) && !has_many_addresses(in, z));
    if (segment ? !absolute && !moves && uses_address(in, z) : wraps(in, z)) {
        out[n++] = PREFIX_ADDRESS;
        in->addr32 = true;
    }
    in->prefixes = n;
    bool step = in->opcode >= OP_INC && in->opcode <= OP_DEC_END && z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
                z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
    if (step) { /* inc and dec: the number of the register and of the operation are where ModRM has them */
        out[n++] = OP_GROUP5;
        out[n++] = (u8)(0xc0 | (in->opcode & 15));
        in->opcode = OP_GROUP5;
        in->uses_memory = false;
        in->modrm_off = (u8)(n - 1);
    }
    if (moves) { /* of the accumulator: the form that has ModRM */
        static const u8 form[4] = {0x8a, 0x8b, 0x88, 0x89};
        in->opcode = form[in->opcode - OP_MOFFS];
        out[n++] = in->opcode;
        in->modrm_off = n;
        out[n++] = MODRM_SIB;
        out[n++] = SIB_NONE;
        in->disp_off = n;
        in->disp_bytes = 4;
        memset(out + n, 0, 4);
        memcpy(out + n, in->bytes + in->len - (p->address ? 2 : 4), p->address ? 2 : 4);
        n += 4;
    }
    if (in->opcode == OP_GROUP1_ALIAS && z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
        z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY)
        in->opcode = in->bytes[p->n] = OP_GROUP1;
    for (u8 i = p->n; i < in->len && !step && !moves; i++) {
        if (modrm && i == modrm)
            in->modrm_off = n;
        if (z->raw.disp.size && i == z->raw.disp.offset)
            in->disp_off = n;
        out[n++] = in->bytes[i];
        if (modrm && i == modrm && absolute) {
            out[n - 1] = (u8)((out[n - 1] & 0xf8) | MODRM_SIB);
            out[n++] = SIB_NONE;
        }
    }
    in->op_off = in->modrm_off != 0xff ? (u8)(in->modrm_off - 1) : in->prefixes;
    in->code_len = n;
    if (n > CODE_MAX)
        return false;
    memcpy(in->bytes, out, n);
    clear_extensions(in, z);
    return true;
}

/* Does it write through CS? That faults, and is rare enough to be left to the VM; long forms of nop have CS, too. */
static bool writes_through_cs(const struct insn *in, const ZydisDecodedInstruction *z, u8 seg)
{
    ZydisDecodedInstruction again;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    if (LIKELY(seg != PREFIX_CS) || !uses_address(in, z) ||
        !ZYAN_SUCCESS(decoder_full(in->bytes, in->len, DECODER_32, &again, op)) ||
        again.meta.category == ZYDIS_CATEGORY_VTX || again.meta.category == ZYDIS_CATEGORY_MPX ||
        again.meta.category == ZYDIS_CATEGORY_CET) /* these do not get that far */
        return false;
    for (u32 i = 0; i < again.operand_count; i++)
        if (op[i].type == ZYDIS_OPERAND_TYPE_MEMORY && op[i].mem.segment == ZYDIS_REGISTER_CS &&
            op[i].mem.type != ZYDIS_MEMOP_TYPE_AGEN && op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            return true;
    return false;
}

/* Strings and xlat, with the base of a segment or addresses of 16 bits; branches with an operand size
 * of 16 bits, but those that only have another target; vectors that have no room for what their address needs. */
static bool needs_vm(const struct insn *in, const ZydisDecodedInstruction *z, const struct prefixes *p)
{
    bool one_byte = z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY && z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT,
         based = p->seg == PREFIX_FS || p->seg == PREFIX_GS, addresses = uses_address(in, z),
         transfer = in->cls >= INSN_CALL && in->cls <= INSN_RET;
    if (p->operand && transfer)
        return true;
    if (writes_through_cs(in, z, p->seg) || (p->operand && in->cls == INSN_STACK32 && in->opcode == OP_LEAVE))
        return true;
    if (!addresses || has_memory_operand(z))
        return p->address && addresses &&
               ((p->seg == PREFIX_FS && !is_lea(in, z)) || is_bit_test(in, z) ||
                (in->vex == 4 && in->disp_bytes == 1));
    if (!one_byte) /* maskmovq and its kin */
        return p->address;
    bool moves = in->opcode >= OP_MOFFS && in->opcode < OP_MOFFS + 4, port = in->opcode < OP_MOFFS,
         to_es = in->opcode >= 0xaa && in->opcode <= 0xaf && (in->opcode & 0xfe) != 0xac,
         loop = in->opcode >= OP_LOOPNE;
    return !moves && !port && !loop && (p->address || (based && !to_es));
}

void transcode(struct insn *in, const ZydisDecodedInstruction *z)
{
    const struct prefixes p = read_prefixes(in);
    in->rip_relative = in->addr32 = in->addr16 = false;
    in->rex_off = 0xff;
    in->prefixes = p.n;
    in->code_len = in->len;
    in->cond = 0;
    in->target = 0;
    in->cls = (u8)class_of(in, z);
    in->ends_trace = in->cls == INSN_PLAIN && z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
                     (z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT ? one_byte_ends32[in->opcode]
                      : z->opcode_map == ZYDIS_OPCODE_MAP_0F    ? two_bytes_end32[in->opcode]
                                                                : false);
    if (in->cls == INSN_JCC)
        in->cond = in->opcode & 15;
    if (z->raw.imm[0].is_relative)
        in->target = (u32)(in->pc + in->len + (u64)z->raw.imm[0].value.s);
    if (p.operand)
        in->target &= 0xffff;
    if (needs_vm(in, z, &p))
        in->cls = INSN_EMULATE;
    /* The program's TLS is at GS: for lowering that is what FS is in a 64-bit program. */
    bool based = (p.seg == PREFIX_GS || p.seg == PREFIX_FS) && uses_address(in, z) && !is_lea(in, z);
    in->seg = based ? p.seg ^ PREFIX_FS ^ PREFIX_GS : 0;
    if (in->cls == INSN_EMULATE)
        return;
    if (!rewrite(in, z, &p))
        in->cls = INSN_EMULATE;
}
