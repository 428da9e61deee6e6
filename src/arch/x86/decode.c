/* SPDX-License-Identifier: Apache-2.0
 * Guest instruction decoding: Zydis says whether the bytes are an instruction and how long it is; the encoding fields
 * that lowering changes are located here. No state but which maker's CPU it is. */
#include "arch/x86/decode.h"

#include "arch/x86/cpu.h"
#include "arch/x86/effect.h"
#include "arch/x86/quick.h"
#include "arch/x86/transcode.h"

#include <cpuid.h>
#include <string.h>

#include "arch/x86/decode_table.h"

static bool narrow_branches; /* AMD: an operand size prefix makes a near branch one of 16 bits; Intel ignores it */

bool decode_is_amd(void)
{
    u32 a, b = 0, c, d;
    __get_cpuid(0, &a, &b, &c, &d);
    return b == signature_AMD_ebx || b == 0x6f677948; /* Hygon */
}

void decode_init(void)
{
    narrow_branches = decode_is_amd();
    quick_init();
}

static void find_prefixes(struct insn *in)
{
    u8 n = 0;
    in->rex_off = 0xff;
    while (n < in->len) {
        u8 b = in->bytes[n];
        if (legacy_prefix[b])
            in->rex_off = 0xff; /* a REX before it has no effect */
        else if ((b & 0xf0) == 0x40)
            in->rex_off = n;
        else
            break;
        n++;
    }
    in->prefixes = in->rex_off == 0xff ? n : in->rex_off;
}

static u8 vex_vvvv(const struct insn *in)
{
    const u8 *b = in->bytes + in->prefixes;
    u8 field = in->vex == 2 ? b[1] : b[2];
    return in->vex ? (u8)(~field >> 3 & 15) : 0xff;
}

/* Transfers of control and segment loads of the default opcode map. */
static enum insn_class classify_one_byte(struct insn *in, u8 reg)
{
    in->ends_trace = one_byte_ends[in->opcode];
    if (in->opcode == 0x8e)
        return reg == 4 || reg == 5 ? INSN_EMULATE : INSN_PLAIN;
    return in->opcode == 0xff ? ff_class[reg] : one_byte_class[in->opcode];
}

static enum insn_class classify_0f(struct insn *in, const ZydisDecodedInstruction *z)
{
    bool fsbase = (z->mnemonic >= ZYDIS_MNEMONIC_RDFSBASE && z->mnemonic <= ZYDIS_MNEMONIC_RDGSBASE) ||
                  z->mnemonic == ZYDIS_MNEMONIC_WRFSBASE || z->mnemonic == ZYDIS_MNEMONIC_WRGSBASE;
    in->ends_trace = two_bytes_end[in->opcode];
    return in->opcode == 0xae && fsbase ? INSN_FSBASE : two_bytes_class[in->opcode];
}

static bool saves_fpu(ZydisMnemonic m)
{
    for (size_t i = 0; i < ARRAY_LEN(fpu_saves); i++)
        if (fpu_saves[i] == m)
            return true;
    return false;
}

/* Its result is the machine's choice: where it is recorded (os/record.h) the VM executes it. */
static bool chance_emulated;
void decode_chance_emulated(void) { chance_emulated = true; }

static bool is_chance(ZydisMnemonic m)
{
    return m == ZYDIS_MNEMONIC_RDTSC || m == ZYDIS_MNEMONIC_RDTSCP || m == ZYDIS_MNEMONIC_CPUID ||
           m == ZYDIS_MNEMONIC_RDRAND || m == ZYDIS_MNEMONIC_RDSEED || m == ZYDIS_MNEMONIC_RDPID ||
           m == ZYDIS_MNEMONIC_XGETBV;
}

static void classify(struct insn *in, const ZydisDecodedInstruction *z)
{
    in->cls = INSN_PLAIN;
    if (z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
        return;
    if (z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT)
        in->cls = (u8)classify_one_byte(in, z->raw.modrm.reg);
    else if (z->opcode_map == ZYDIS_OPCODE_MAP_0F)
        in->cls = (u8)classify_0f(in, z);
    if (in->cls == INSN_JCC)
        in->cond = in->opcode & 15;
    if (z->mnemonic == ZYDIS_MNEMONIC_XBEGIN)
        in->cls = INSN_EMULATE;
    if (saves_fpu(z->mnemonic))
        in->cls = INSN_FPU_SAVE;
    if (UNLIKELY(chance_emulated) && is_chance(z->mnemonic))
        in->cls = INSN_EMULATE;
    if (z->raw.imm[0].is_relative)
        in->target = in->pc + in->len + (u64)z->raw.imm[0].value.s;
    bool wide = in->rex_off != 0xff && (in->bytes[in->rex_off] & 8);
    if (narrow_branches && !wide && memchr(in->bytes, 0x66, in->prefixes))
        in->target &= 0xffff;
}

bool decode_leaves_memory(bool two_bytes, u8 op) { return two_bytes ? two_bytes_leave[op] : one_byte_leaves[op]; }

static void decode_fields(struct insn *in, const ZydisDecodedInstruction *z)
{
    find_prefixes(in);
    in->vex = in->bytes[in->prefixes] == 0xc5 && vex_kind[z->encoding] == 3 ? 2 : vex_kind[z->encoding];
    in->vvvv = vex_vvvv(in);
    in->opcode = z->opcode;
    in->addr32 = z->address_width == 32;
    if (z->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_FS)
        in->seg = 0x64;
    else if (z->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_GS)
        in->seg = 0x65;
    bool mem = false;
    if (z->attributes & ZYDIS_ATTRIB_HAS_MODRM) {
        in->modrm_off = z->raw.modrm.offset;
        in->op_off = (u8)(in->modrm_off - 1);
        mem = z->raw.modrm.mod != 3;
        /* The size of the displacement counts, too, because mov to control registers ignores mod. */
        in->rip_relative = z->raw.modrm.mod == 0 && z->raw.modrm.rm == 5 && z->raw.disp.size == 32;
        in->high_byte = !in->vex && in->rex_off == 0xff && z->raw.modrm.reg >= 4;
    } else {
        in->op_off = in->rex_off == 0xff ? in->prefixes : (u8)(in->prefixes + 1);
    }
    in->disp_off = z->raw.disp.offset;
    in->disp_bytes = z->raw.disp.size / 8;
    bool legacy = !in->vex && z->opcode_map <= ZYDIS_OPCODE_MAP_0F;
    in->uses_memory = (mem || !(z->attributes & ZYDIS_ATTRIB_HAS_MODRM)) &&
                      !(legacy && decode_leaves_memory(z->opcode_map == ZYDIS_OPCODE_MAP_0F, z->opcode));
}

static bool is_string(const struct insn *in)
{
    if (in->vex || in->modrm_off != 0xff || in->bytes[in->op_off] != in->opcode) /* 0F AA is rsm */
        return false;
    switch (in->opcode) {
    case 0x6c ... 0x6f: case 0xa4 ... 0xa7: case 0xaa ... 0xaf:
        return true;
    }
    return false;
}

static bool has_rep(const struct insn *in)
{
    return memchr(in->bytes, 0xf2, in->prefixes) || memchr(in->bytes, 0xf3, in->prefixes);
}

static u8 effect_class(const struct insn *in)
{
    if (in->cls == INSN_PLAIN && is_string(in) && has_rep(in))
        return EFFECT_REPEAT;
    /* The guest's GS base is not in place. */
    return (in->cls == INSN_JMP_IND || in->cls == INSN_CALL_IND) && in->seg == 0x65 ? EFFECT_VM : class_effect[in->cls];
}

static void classify_effect(struct insn *in)
{
    in->effect.cls = effect_class(in);
    in->effect.copied = (in->cls == INSN_PLAIN && !in->ends_trace && in->seg != 0x65) || in->cls == INSN_JCC;
    in->effect.in_steps = in->rip_relative || in->seg || in->cls == INSN_STACK32;
}

static bool no_quick;
void decode_no_quick(void) { no_quick = true; }

static bool decode(struct insn *in, gpc_t pc, const u8 *bytes, size_t avail, bool effect)
{
    size_t n = avail > 15 ? 15 : avail;
    memcpy(in->bytes, bytes, n);
    return (!no_quick && quick_decode(in, pc, n, effect)) ||
           decode_insn_fully(in, pc, bytes, n, effect);
}

bool decode_insn(struct insn *in, gpc_t pc, const u8 *bytes, size_t avail)
{
    return decode(in, pc, bytes, avail, false);
}

bool decode_insn_effect(struct insn *in, gpc_t pc, const u8 *bytes, size_t avail)
{
    return decode(in, pc, bytes, avail, true);
}

/* Bytes that are no instruction. Too long: the CPU faults on the bytes as they are. Otherwise the CPU does not know
 * them either, or only we do not. */
static void decode_bad(struct insn *in, size_t n, ZyanStatus why)
{
    in->cls = INSN_BAD;
    in->too_long = why == ZYDIS_STATUS_INSTRUCTION_TOO_LONG || why == ZYDIS_STATUS_NO_MORE_DATA;
    /* All bytes that were looked at: if one of them changes, it may be an instruction (E16). */
    in->len = in->code_len = (u8)n;
    in->ends_trace = true;
    in->effect.cls = EFFECT_BAD;
}

/* sysenter and syscall in an IA-32 program's vdso, before its int $0x80: what they would do to registers before the
 * call is that the sixth argument, which is on the stack, goes back to ebp. So they become that, and int $0x80 makes
 * the call. */
static const u8 *vdso_call(gpc_t pc, const u8 *bytes, size_t n)
{
    static const u8 from_frame[15] = {0x8b, 0x6d, 0x00}, from_stack[15] = {0x8b, 0x2c, 0x24};
    gpc_t to = cpu_guest32_call;
    if (LIKELY(!to) || pc >= to || to - pc > 16 || n < 2 || bytes[0] != 0x0f)
        return NULL;
    return bytes[1] == 0x34 ? from_frame : bytes[1] == 0x05 ? from_stack : NULL;
}

bool decode_insn_fully(struct insn *in, gpc_t pc, const u8 *bytes, size_t avail, bool effect)
{
    ZydisDecodedInstruction z;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    size_t n = avail > 15 ? 15 : avail;
    const u8 *instead = vdso_call(pc, bytes, n);
    if (UNLIKELY(instead != NULL)) {
        bool done = decode_insn_fully(in, 0, instead, 15, effect);
        in->pc = pc;
        in->len = 2;
        return done;
    }
    memset(in, 0, sizeof *in);
    in->pc = pc;
    in->modrm_off = 0xff;
    memcpy(in->bytes, bytes, n);
    ZyanStatus s = decoder_full(bytes, n, cpu_guest32 ? DECODER_32 : narrow_branches ? DECODER_AMD : 0, &z,
                                effect ? op : NULL);
    if (s == ZYDIS_STATUS_NO_MORE_DATA && n < 15)
        return false;
    if (ZYAN_FAILED(s)) {
        decode_bad(in, n, s);
        return true;
    }
    in->len = in->code_len = z.length;
    decode_fields(in, &z);
    if (UNLIKELY(cpu_guest32))
        transcode(in, &z);
    else
        classify(in, &z);
    if (effect)
        effect_decoded(&in->effect, &z, op);
    if (effect && (in->cls == INSN_STACK32 || (in->cls == INSN_LOOP && in->addr16))) { /* their scratch register */
        in->effect.writes |= 1u << R8;
        in->effect.kills |= 1u << R8;
    }
    classify_effect(in);
    return true;
}
