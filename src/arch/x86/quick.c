/* SPDX-License-Identifier: Apache-2.0
 * See quick.h. It knows the prefixes 66, REX, F2 or F3 where they select an SSE instruction, and FS of an operand in
 * memory; everything else goes to the full decoder, as do opcodes that are invalid for some operand. Of IA-32 it
 * knows what is the same instruction in 64-bit code, the short inc and dec, and push, pop and leave.
 * tests/unit/test_quick.c compares with the full decoder. No state but a table that is made at start. */
#include "arch/x86/quick.h"

#include "arch/x86/cpu.h"
#include "arch/x86/transcode.h"

#include <string.h>

#include "arch/x86/quick_table.h"

enum { OP_GROUP5 = 0xff, PREFIX_ADDRESS = 0x67, MODRM_SIB = 4, SIB_NONE = 0x25 };

struct reader {
    struct insn *in;
    const struct opcode *op;
    u8 rex, prefix;     /* prefix: one of PREFIX_* */
    u8 seg;             /* 0 or FS */
    bool has_modrm;
    u8 mod, reg, rm;    /* reg, rm: with REX bits */
    u16 address;        /* registers of the address, one bit each */
    u8 at;              /* bytes read so far */
    bool longer;        /* by one byte than in the program */
};

static bool read_prefixes(struct reader *r, size_t avail)
{
    const u8 *b = r->in->bytes;
    bool osize = false;
    u8 rep = 0;
    if (b[0] == FS) {
        r->seg = FS;
        r->at++;
    } else if (b[0] == 0x66) {
        osize = true;
        r->at++;
    }
    if (b[r->at] == 0xf2 || b[r->at] == 0xf3)
        rep = b[r->at++];
    r->in->prefixes = r->at;
    r->in->rex_off = 0xff;
    if ((b[r->at] & 0xf0) == 0x40) {
        r->in->rex_off = r->at;
        r->rex = b[r->at++];
    }
    if (r->at + 2u > avail || (osize && rep))
        return false;
    r->prefix = rep == 0xf2 ? PREFIX_F2 : rep ? PREFIX_F3 : osize ? PREFIX_66 : PREFIX_NONE;
    return true;
}

/* IA-32. The short inc and dec get their long form. */
static bool read_prefixes_narrow(struct reader *r, size_t avail)
{
    u8 *b = r->in->bytes, prefix = prefix_kind[b[0]];
    r->prefix = prefix ?: PREFIX_NONE;
    r->at = prefix != 0;
    r->in->prefixes = r->at;
    r->in->rex_off = 0xff;
    if (r->at + 2u > avail)
        return false;
    r->longer = (b[r->at] & 0xf0) == 0x40;
    if (r->longer) {
        b[r->at + 1] = (u8)(0xc0 | (b[r->at] & 15));
        b[r->at] = OP_GROUP5;
    }
    return true;
}

/* What is not the same in both modes, or needs more care: arpl, bit tests. */
static bool is_same(const struct opcode *op) { return op != &one_byte[0x63] && op->form != BT; }

static bool read_opcode(struct reader *r)
{
    const u8 *b = r->in->bytes;
    if (b[r->at] == 0x0f) {
        r->op = &two_bytes[b[r->at + 1]];
        r->in->opcode = b[r->at + 1];
        r->at = (u8)(r->at + 2);
    } else {
        r->op = &one_byte[b[r->at]];
        r->in->opcode = b[r->at++];
    }
    if (UNLIKELY(cpu_guest32) && !is_same(r->op))
        return false;
    /* With REX.B, 90 is an exchange. */
    if (r->op->form == NOT_OURS || !(r->op->prefix & r->prefix) || (r->op->form == NOP && r->rex & 1))
        return false;
    /* With 66 and REX.W together, REX.W counts; rare enough for the full decoder. */
    return !(r->prefix == PREFIX_66 && r->rex & 8 && r->op->form < SSE);
}

static void read_sib(struct reader *r)
{
    u8 sib = r->in->bytes[r->at++], base = (u8)((sib & 7) | (r->rex & 1) << 3),
       index = (u8)((sib >> 3 & 7) | (r->rex & 2) << 2);
    if (index != RSP)
        r->address |= (u16)(1u << index);
    if ((sib & 7) == 5 && r->mod == 0)
        r->in->disp_bytes = 4;
    else
        r->address |= (u16)(1u << base);
}

static void read_modrm(struct reader *r)
{
    struct insn *in = r->in;
    u8 m = in->bytes[r->at];
    in->modrm_off = r->at++;
    in->op_off = (u8)(in->modrm_off - 1);
    r->mod = m >> 6;
    r->reg = (u8)((m >> 3 & 7) | (r->rex & 4) << 1);
    r->rm = (u8)((m & 7) | (r->rex & 1) << 3);
    in->high_byte = in->rex_off == 0xff && (m >> 3 & 7) >= 4;
    in->uses_memory &= r->mod != 3;
    if (r->mod == 3)
        return;
    if (r->mod)
        in->disp_bytes = r->mod == 1 ? 1 : 4;
    if ((m & 7) == 4) {
        read_sib(r);
    } else if (r->mod == 0 && (m & 7) == 5) {
        in->disp_bytes = 4;
        in->rip_relative = true;
    } else {
        r->address |= (u16)(1u << r->rm);
    }
    if (in->disp_bytes)
        in->disp_off = r->at;
    r->at = (u8)(r->at + in->disp_bytes);
}

/* False: with these operands the opcode means something else, or nothing. */
static bool valid(u8 form, u8 modrm)
{
    return digits[form] >> (modrm >> 3 & 7) & 1 && !(modrm >= 0xc0 && (form == LEA || form == NOP_RM));
}

static u8 class_of(u8 form, u8 digit)
{
    if (UNLIKELY(cpu_guest32) && (stack_form[form] || (form == GROUP5 && digit == 6)))
        return INSN_STACK32;
    return form == GROUP5 ? group5_class[digit] : form_class[form];
}

static u8 imm_bytes(const struct opcode *op, u8 prefix, u8 rex, u8 digit)
{
    if (op->imm == IMM_GROUP3 && (digit || op->byte))
        return !digit;
    return op->imm == IMM_V && rex & 8 ? 8 : imm_size[op->imm][prefix == PREFIX_66];
}

static void classify(struct reader *r)
{
    struct insn *in = r->in;
    in->cls = class_of(r->op->form, r->reg & 7);
    if (in->cls == INSN_JCC)
        in->cond = in->opcode & 15;
    if (in->cls == INSN_JCC || in->cls == INSN_JMP || in->cls == INSN_CALL) {
        const u8 *imm = in->bytes + r->at;
        s32 rel = (s8)imm[0];
        if (r->op->imm == IMM_Z)
            memcpy(&rel, imm, 4);
        in->target = in->pc + in->len + (u64)(s64)rel;
        if (UNLIKELY(cpu_guest32))
            in->target = (u32)in->target;
    }
}

/* --- effects -------------------------------------------------------------------------------------------------- */

static u16 bit(u8 r) { return (u16)(1u << r); }

/* The register that a register operand of one byte stands for: without REX, 4 to 7 are the high bytes of 0 to 3. */
static u8 owner(const struct reader *r, u8 n, bool byte)
{
    return byte && r->in->rex_off == 0xff && n >= 4 && n < 8 ? (u8)(n - 4) : n;
}

static void writes(const struct reader *r, struct effect *e, u8 n, bool byte)
{
    bool whole = !byte && r->prefix != PREFIX_66;
    n = owner(r, n, byte);
    e->writes |= bit(n);
    if (whole)
        e->kills |= bit(n);
    else
        e->reads |= bit(n);
}

static void touch_rm(const struct reader *r, struct effect *e, bool read, bool write, bool byte)
{
    if (r->mod != 3)
        return; /* the address is noted already */
    if (read)
        e->reads |= bit(owner(r, r->rm, byte));
    if (write)
        writes(r, e, r->rm, byte);
}

static void touch_reg(const struct reader *r, struct effect *e, bool read, bool write, bool byte)
{
    if (read)
        e->reads |= bit(owner(r, r->reg, byte));
    if (write)
        writes(r, e, r->reg, byte);
}

static void group_effects(const struct reader *r, struct effect *e)
{
    bool byte = r->op->byte;
    u8 digit = r->reg & 7;
    switch ((enum form)r->op->form) {
    case RM_I:
        touch_rm(r, e, true, digit != 7, byte);
        if (digit == 2 || digit == 3)
            e->flags_read = CF;
        break;
    case SHIFT_I: {
        u8 count = r->in->bytes[r->in->len - 1] & (r->rex & 8 && !byte ? 63 : 31);
        touch_rm(r, e, true, true, byte);
        e->flags_killed = count ? FLAG_SET_ALL & ~OF : 0;
        break;
    }
    case SHIFT_CL:
        e->reads |= bit(RCX);
        touch_rm(r, e, true, true, byte);
        break;
    case GROUP3:
        touch_rm(r, e, true, digit != 0, byte);
        if (digit == 2)
            e->flags_killed = 0;
        break;
    case GROUP5:
        touch_rm(r, e, true, digit < 2, byte);
        if (digit >= 2)
            e->flags_killed = 0;
        if (digit == 2 || digit == 6)
            e->reads |= bit(RSP), e->writes |= bit(RSP);
        break;
    default:
        touch_rm(r, e, true, true, byte);
    }
}

static void other_effects(const struct reader *r, struct effect *e)
{
    u8 low = (u8)((r->in->opcode & 7) | (r->rex & 1) << 3);
    bool byte = r->op->byte;
    switch ((enum form)r->op->form) {
    case ACC_I: e->reads |= bit(RAX); writes(r, e, RAX, byte); break;
    case TEST_ACC_I: e->reads |= bit(RAX); break;
    case PUSH_R: e->reads |= bit(low) | bit(RSP); e->writes |= bit(RSP); break;
    case POP_R: e->reads |= bit(RSP); e->kills |= bit(low); e->writes |= bit(RSP); break;
    case PUSH_I: case CALL: case RET: e->reads |= bit(RSP); e->writes |= bit(RSP); break;
    case MOV_R_I: writes(r, e, low, byte); break;
    case LEAVE: e->reads |= bit(RBP) | bit(RSP); e->kills |= bit(RBP); e->writes |= bit(RSP); break;
    case SIGN_A: e->reads |= bit(RAX); e->writes |= bit(RAX); break;
    case SIGN_D: e->reads |= bit(RAX); e->kills |= bit(RDX); break;
    case JCC: case SETCC: case CMOV: e->flags_read = cond_reads[r->in->opcode >> 1 & 7]; break;
    case BSWAP: e->reads |= bit(low); e->writes |= bit(low); break;
    default: break;
    }
    if (r->op->form == SETCC)
        touch_rm(r, e, false, true, true);
    if (r->op->form == CMOV) {
        touch_rm(r, e, true, false, false);
        touch_reg(r, e, true, true, false);
    }
}

static void effects(const struct reader *r, struct effect *e)
{
    bool byte = r->op->byte;
    *e = (struct effect){.known = true, .reads = r->address, .flags_read = r->op->reads, .flags_killed = r->op->kills};
    switch ((enum form)r->op->form) {
    case RM_R: touch_rm(r, e, true, true, byte); touch_reg(r, e, true, false, byte); break;
    case R_RM: case IMUL:
        touch_rm(r, e, true, false, byte);
        touch_reg(r, e, r->op->form == R_RM || !r->op->imm, true, byte);
        break;
    case CMP_RM_R: case CMP_R_RM: case BT: touch_rm(r, e, true, false, byte); touch_reg(r, e, true, false, byte); break;
    case MOV_RM_R: touch_rm(r, e, false, true, byte); touch_reg(r, e, true, false, byte); break;
    case MOV_R_RM: touch_rm(r, e, true, false, byte); touch_reg(r, e, false, true, byte); break;
    case EXTEND:
        touch_rm(r, e, true, false, !(r->in->opcode & 1) && r->in->opcode != 0x63);
        touch_reg(r, e, false, true, false);
        break;
    case LEA: touch_reg(r, e, false, true, false); break;
    case MOV_RM_I: touch_rm(r, e, false, true, byte); break;
    case RM_I: case SHIFT_I: case SHIFT_1: case SHIFT_CL: case GROUP3: case GROUP4:
    case GROUP5: group_effects(r, e); break;
    case SSE_FROM_RM: touch_rm(r, e, true, false, false); break;
    case SSE_TO_R: e->kills |= bit(r->reg); break;
    case SSE_MOVE_GPR:
        if (r->prefix == PREFIX_66 && r->mod == 3)
            e->kills |= bit(r->rm);
        break;
    case NOP_RM: e->reads = 0; break; /* accesses nothing */
    case SSE: case SSE_COMPARE: case NOP: case JMP: break;
    default: other_effects(r, e);
    }
    e->flags_touched = e->flags_read || e->flags_killed || r->op->form == SHIFT_I || r->op->form == SHIFT_CL;
    e->writes |= e->kills;
    e->kills &= (u16)~e->reads;
}

static bool read_insn(struct reader *r, gpc_t pc, size_t avail)
{
    struct insn *in = r->in;
    if (avail < 2 || !(UNLIKELY(cpu_guest32) ? read_prefixes_narrow : read_prefixes)(r, avail) || !read_opcode(r))
        return false;
    in->pc = pc;
    in->modrm_off = 0xff;
    in->disp_off = in->disp_bytes = in->vex = in->cond = 0;
    in->seg = r->seg;
    in->vvvv = 0xff;
    in->target = 0;
    in->rip_relative = in->wraps32 = in->addr16 = in->addr32 = in->high_byte = in->ends_trace = in->too_long = false;
    in->uses_memory = !decode_leaves_memory(r->op >= two_bytes && r->op < two_bytes + 256, in->opcode);
    in->op_off = in->rex_off == 0xff ? in->prefixes : (u8)(in->prefixes + 1);
    if (!without_modrm[r->op->form]) {
        r->has_modrm = true;
        read_modrm(r);
        if (!valid(r->op->form, in->bytes[in->modrm_off]))
            return false;
    }
    u32 len = r->at + (u32)imm_bytes(r->op, r->prefix, r->rex, r->reg & 7);
    if (len > avail || len > 15)
        return false;
    in->code_len = (u8)len;
    in->len = (u8)(len - r->longer);
    classify(r);
    /* Where it is no operand's, or one that is rare. */
    return !r->seg || (r->has_modrm && r->mod != 3 && in->cls == INSN_PLAIN && in->uses_memory && !in->rip_relative);
}

/* No instruction of the tables is a string instruction, has a GS prefix or ends a trace by what it is. */
static void classify_effect(struct insn *in)
{
    static const u8 cls[] = {[INSN_PLAIN] = EFFECT_PLAIN, [INSN_JCC] = EFFECT_BRANCH, [INSN_JMP] = EFFECT_JUMP,
        [INSN_CALL] = EFFECT_CALL, [INSN_JMP_IND] = EFFECT_JUMP_INDIRECT, [INSN_CALL_IND] = EFFECT_CALL_INDIRECT,
        [INSN_RET] = EFFECT_RETURN, [INSN_STACK32] = EFFECT_PLAIN};
    in->effect.cls = cls[in->cls];
    in->effect.copied = in->cls == INSN_PLAIN || in->cls == INSN_JCC;
    in->effect.in_steps = in->rip_relative || in->seg || in->cls == INSN_STACK32;
}

/* Makes room for a byte of the code. */
static void insert(struct insn *in, u8 at, u8 byte)
{
    memmove(in->bytes + at + 1, in->bytes + at, (size_t)(in->code_len - at));
    in->bytes[at] = byte;
    in->code_len++;
    if (in->disp_bytes && at <= in->disp_off)
        in->disp_off++;
    if (at <= in->modrm_off)
        in->modrm_off++;
    if (at <= in->op_off)
        in->op_off++;
}

/* IA-32: an operand in memory as 64-bit code has it (transcode.c). False: there is no room. */
static bool narrow_operand(struct insn *in, bool lea)
{
    u8 modrm = in->bytes[in->modrm_off];
    if (in->code_len + 2 > 15)
        return false;
    bool wraps = !lea && transcode_wraps(modrm, in->bytes[in->modrm_off + 1]);
    if (in->rip_relative) {
        in->bytes[in->modrm_off] = (u8)((modrm & 0xf8) | MODRM_SIB);
        insert(in, (u8)(in->modrm_off + 1), SIB_NONE);
        in->rip_relative = false;
    }
    if (wraps) {
        insert(in, in->prefixes, PREFIX_ADDRESS);
        in->prefixes++;
        in->addr32 = true;
    }
    return true;
}

bool quick_decode(struct insn *in, gpc_t pc, size_t avail, bool effect)
{
    struct reader r = {.in = in};
    if (!read_insn(&r, pc, avail))
        return false;
    if (effect)
        effects(&r, &in->effect);
    else
        in->effect = (struct effect){0};
    if (UNLIKELY(cpu_guest32) && r.has_modrm && r.mod != 3 && !narrow_operand(in, r.op->form == LEA))
        return false;
    if (in->cls == INSN_STACK32 && effect) { /* its scratch register (stack32.c) */
        in->effect.writes |= bit(R8);
        in->effect.kills |= bit(R8);
    }
    classify_effect(in);
    return true;
}

/* --- runs ------------------------------------------------------------------------------------------------------- */

/* The length of the instruction, of which all bytes can be read; 0: it is not a common one that is copied as it is, or
 * it may name the address of a section with 64 bits. */
static u32 copied_bytes(const u8 *bytes)
{
    const u8 *p = bytes;
    u8 prefix = prefix_kind[*p] ?: PREFIX_NONE, rex, digit = 0;
    p += prefix != PREFIX_NONE;
    rex = (*p & 0xf0) == 0x40 ? *p++ : 0;
    const struct opcode *op = *p == 0x0f ? &two_bytes[*++p] : &one_byte[*p];
    p++;
    if (!(op->prefix & prefix) || (prefix == PREFIX_66 && rex & 8 && op->form < SSE) || (op->form == NOP && rex & 1))
        return 0;
    if (!without_modrm[op->form]) {
        u8 modrm = *p++;
        if (modrm_more[modrm] == MODRM_RIP || !valid(op->form, modrm))
            return 0;
        if (modrm < 0x40 && (modrm & 7) == 4 && (*p & 7) == 5)
            p += 4;
        p += modrm_more[modrm];
        digit = modrm >> 3 & 7;
    }
    if (UNLIKELY(op->imm == IMM_V && rex & 8))
        return *p & 31 ? (u32)(p - bytes) + 8 : 0;
    return class_of(op->form, digit) == INSN_PLAIN ? (u32)(p - bytes) + imm_bytes(op, prefix, rex, digit) : 0;
}

/* Most instructions in a row have no prefix but REX, and a form of which one byte says all (enum shape). */
static u8 shape_of(const struct opcode *op)
{
    bool modrm = !without_modrm[op->form], lea = op->form == LEA;
    if (op->form == NOT_OURS || !(op->prefix & PREFIX_NONE) || op->form == NOP || op->imm == IMM_V ||
        op->imm == IMM_GROUP3 || op->form == GROUP5 || form_class[op->form] != INSN_PLAIN)
        return 0;
    if (modrm && (digits[op->form] != 0xff || op->form == NOP_RM))
        return 0;
    return (u8)(SHAPE_COPIED | (modrm ? SHAPE_MODRM : 0) | (lea ? SHAPE_LEA : 0) | imm_size[op->imm][0]);
}

void quick_init(void)
{
    for (u32 i = 0; i < 256; i++) {
        shape[0][i] = shape_of(&one_byte[i]);
        shape[1][i] = shape_of(&two_bytes[i]);
    }
}

/* As copied_bytes. */
static inline u32 shaped_bytes(const u8 *bytes)
{
    const u8 *p = bytes + ((*bytes & 0xf0) == 0x40);
    bool two = *p == 0x0f;
    p += two;
    u32 s = shape[two][*p++], len = (u32)(p - bytes) + (s & SHAPE_IMM);
    if (UNLIKELY(!(s & SHAPE_COPIED)))
        return copied_bytes(bytes);
    if (!(s & SHAPE_MODRM))
        return len;
    u32 modrm = *p, more = modrm_more[modrm];
    if (UNLIKELY(more == MODRM_RIP || (s & SHAPE_LEA && modrm >= 0xc0)))
        return 0;
    if (UNLIKELY(modrm < 0x40 && (modrm & 7) == 4 && (p[1] & 7) == 5))
        more += 4;
    return len + 1 + more;
}

/* As copied_bytes, of IA-32. */
static u32 narrow_bytes(const u8 *bytes)
{
    const u8 *p = bytes;
    u8 prefix = prefix_kind[*p] ?: PREFIX_NONE, digit = 0;
    p += prefix != PREFIX_NONE;
    const struct opcode *op = *p == 0x0f ? &two_bytes[*++p] : &one_byte[*p];
    p++;
    if (!(op->prefix & prefix) || !is_same(op))
        return 0;
    if (!without_modrm[op->form]) {
        u8 modrm = *p++;
        if (modrm_more[modrm] == MODRM_RIP || !valid(op->form, modrm) ||
            (op->form != LEA && transcode_wraps(modrm, *p)))
            return 0;
        if (modrm < 0x40 && (modrm & 7) == 4 && (*p & 7) == 5)
            p += 4;
        p += modrm_more[modrm];
        digit = modrm >> 3 & 7;
    }
    return class_of(op->form, digit) == INSN_PLAIN ? (u32)(p - bytes) + imm_bytes(op, prefix, 0, digit) : 0;
}

/* Programs below 2 GiB name addresses with 32 bits, the last ones of an instruction. */
static bool may_name(const u8 *end)
{
    u32 address;
    memcpy(&address, end - 4, 4);
    return !(address & 31) && address >= 0x10000 && address < 0x80000000;
}

static u32 finish_run(struct insn *in, gpc_t pc, size_t bytes, u32 n)
{
    in->pc = pc;
    in->len = (u8)bytes;
    in->cls = INSN_RUN;
    in->opcode = 0;
    in->ends_trace = false;
    in->effect = (struct effect){.cls = EFFECT_PLAIN};
    return n;
}

/* An IA-32 program has no restartable sequences, so no address matters. */
static u32 narrow_run(struct insn *in, gpc_t pc, const u8 *bytes, size_t end, u32 max)
{
    size_t at = 0;
    u32 n = 0;
    for (u32 len; n < max && end - at >= 15 && (len = narrow_bytes(bytes + at)); n++)
        at += len;
    return finish_run(in, pc, at, n);
}

u32 decode_run(struct insn *in, gpc_t pc, const u8 *bytes, size_t avail, u32 max)
{
    size_t end = avail < RUN_MAX_BYTES ? avail : RUN_MAX_BYTES, at = 0;
    u32 n = 0;
    if (UNLIKELY(cpu_guest32))
        return narrow_run(in, pc, bytes, end, max);
    for (u32 len; n < max && end - at >= 15 && (len = shaped_bytes(bytes + at)); n++) {
        if (UNLIKELY(pc < 0x80000000) && at + len > 4 && may_name(bytes + at + len))
            break;
        at += len;
    }
    return finish_run(in, pc, at, n);
}
