/* SPDX-License-Identifier: Apache-2.0
 * What one instruction does, by its bytes and the registers in front of it: the addresses that it accesses, whether its condition holds, where it
 * goes. Zydis decodes; what that leaves open (the stack, implicit operands) is said here. No engine code. */
#include "truth.h"

#include <Zydis/Zydis.h>
#include <cpuid.h>

enum { RAX, RCX, RDX, RBX, RSP };

static ZydisDecoder decoder;
static bool is_amd;

void truth_init(void)
{
    unsigned a, b = 0, c, d;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    __get_cpuid(0, &a, &b, &c, &d);
    is_amd = b == signature_AMD_ebx || b == 0x6f677948; /* Hygon */
    ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_AMD_BRANCHES, is_amd);
}

static bool condition(unsigned code, word flags)
{
    bool cf = flags & 1, pf = flags & 4, zf = flags & 0x40, sf = flags & 0x80, of = flags & 0x800, holds;
    switch (code >> 1 & 7) {
    case 0: holds = of; break;
    case 1: holds = cf; break;
    case 2: holds = zf; break;
    case 3: holds = cf || zf; break;
    case 4: holds = sf; break;
    case 5: holds = pf; break;
    case 6: holds = sf != of; break;
    default: holds = zf || sf != of;
    }
    return holds != (code & 1);
}

/* --- accesses ----------------------------------------------------------------------------------------------------------- */
static word value_of(const struct truth_facts *f, ZydisRegister r)
{
    ZydisRegister big = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
    if (r == ZYDIS_REGISTER_RIP || r == ZYDIS_REGISTER_EIP)
        return f->next;
    if (big < ZYDIS_REGISTER_RAX || big > ZYDIS_REGISTER_R15)
        return 0;
    return f->gpr[big - ZYDIS_REGISTER_RAX];
}

static bool is_push(ZydisMnemonic m)
{
    return m == ZYDIS_MNEMONIC_PUSH || m == ZYDIS_MNEMONIC_PUSHF || m == ZYDIS_MNEMONIC_PUSHFQ || m == ZYDIS_MNEMONIC_CALL;
}

/* bt, bts, btr, btc with the number of a bit in a register: the word that has the bit. */
static word bit_offset(const struct truth_facts *f, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *number)
{
    bool bits = z->mnemonic == ZYDIS_MNEMONIC_BT || z->mnemonic == ZYDIS_MNEMONIC_BTS || z->mnemonic == ZYDIS_MNEMONIC_BTR || z->mnemonic == ZYDIS_MNEMONIC_BTC;
    if (!bits || number->type != ZYDIS_OPERAND_TYPE_REGISTER)
        return 0;
    word v = value_of(f, number->reg.value);
    int64_t n = number->size == 16 ? (int16_t)v : number->size == 32 ? (int32_t)v : (int64_t)v;
    int64_t words = n / number->size - (n % number->size < 0);
    return (word)(words * (number->size / 8));
}

static word address_of(const struct truth_facts *f, const struct user_regs_struct *r, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *o)
{
    word ea = value_of(f, o->mem.base) + value_of(f, o->mem.index) * o->mem.scale + (word)o->mem.disp.value;
    bool hidden = o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
    if (o->mem.base == ZYDIS_REGISTER_RSP && hidden)
        ea = f->gpr[RSP] - (is_push(z->mnemonic) ? o->size / 8u : 0);
    else if (o->mem.base == ZYDIS_REGISTER_RSP && z->mnemonic == ZYDIS_MNEMONIC_POP)
        ea += o->size / 8u; /* by rsp as it is then */
    if (z->mnemonic == ZYDIS_MNEMONIC_XLAT)
        ea = value_of(f, o->mem.base) + (f->gpr[RAX] & 0xff);
    ea += bit_offset(f, z, o + 1);
    if (z->address_width == 32 && !(o->mem.base == ZYDIS_REGISTER_RSP && hidden))
        ea = (uint32_t)ea;
    if (o->mem.segment == ZYDIS_REGISTER_FS)
        ea += r->fs_base;
    if (o->mem.segment == ZYDIS_REGISTER_GS)
        ea += r->gs_base;
    return ea;
}

/* Those whose accesses are no list of operands. */
static bool has_plain_accesses(const ZydisDecodedInstruction *z)
{
    switch (z->meta.category) {
    case ZYDIS_CATEGORY_XSAVE: case ZYDIS_CATEGORY_XSAVEOPT: case ZYDIS_CATEGORY_PADLOCK: case ZYDIS_CATEGORY_AMX_TILE:
        return false;
    default:
        break;
    }
    switch (z->mnemonic) {
    case ZYDIS_MNEMONIC_ENTER: case ZYDIS_MNEMONIC_IRET: case ZYDIS_MNEMONIC_IRETD: case ZYDIS_MNEMONIC_IRETQ:
        return false;
    default:
        return z->meta.branch_type != ZYDIS_BRANCH_TYPE_FAR;
    }
}

static bool is_prefetch(const ZydisDecodedInstruction *z) { return z->meta.category == ZYDIS_CATEGORY_PREFETCH || z->mnemonic == ZYDIS_MNEMONIC_PREFETCHWT1; }

static uint32_t size_of(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *o)
{
    if (is_prefetch(z))
        return 64; /* a line */
    if (z->mnemonic == ZYDIS_MNEMONIC_MOVSXD && z->operand_width == 16)
        return 2;
    return o->size / 8;
}

static void note_accesses(struct truth_facts *f, const struct user_regs_struct *r, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
    f->accesses = has_plain_accesses(z);
    if (z->mnemonic == ZYDIS_MNEMONIC_NOP)
        return;
    for (unsigned i = 0; i < z->operand_count; i++) {
        const ZydisDecodedOperand *o = &op[i];
        if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type == ZYDIS_MEMOP_TYPE_AGEN || !o->actions)
            continue;
        if (o->mem.type != ZYDIS_MEMOP_TYPE_MEM || f->nmem == TRUTH_ACCESSES) {
            f->accesses = false;
            return;
        }
        f->mem[f->nmem].ea = address_of(f, r, z, o);
        f->mem[f->nmem].size = size_of(z, o);
        f->mem[f->nmem].read = o->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
        f->mem[f->nmem++].write = o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    }
    f->accesses &= f->nmem > 0;
}

/* --- transfers ------------------------------------------------------------------------------------------------------------ */
static bool loop_taken(const struct truth_facts *f, const ZydisDecodedInstruction *z)
{
    word count = z->address_width == 32 ? (uint32_t)f->gpr[RCX] : f->gpr[RCX], left = z->address_width == 32 ? (uint32_t)(count - 1) : count - 1;
    bool zf = f->flags & 0x40;
    switch (z->mnemonic) {
    case ZYDIS_MNEMONIC_JRCXZ: case ZYDIS_MNEMONIC_JECXZ: return !count;
    case ZYDIS_MNEMONIC_LOOP: return left;
    case ZYDIS_MNEMONIC_LOOPE: return left && zf;
    default: return left && !zf;
    }
}

static void note_target(struct truth_facts *f, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
    ZyanU64 to;
    f->target = 0;
    if (z->mnemonic == ZYDIS_MNEMONIC_RET)
        truth_read(&f->target, f->gpr[RSP], 8);
    else if (op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(z, &op[0], f->pc, &to)))
        f->target = to;
    else if (op[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
        f->target = value_of(f, op[0].reg.value);
    else if (op[0].type == ZYDIS_OPERAND_TYPE_MEMORY)
        truth_read(&f->target, f->mem[0].ea, 8);
    bool narrow = z->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE && !(z->raw.rex.W);
    if (op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && narrow && is_amd && z->mnemonic != ZYDIS_MNEMONIC_RET)
        f->target &= 0xffff; /* Intel's CPUs ignore the prefix */
}

static void note_transfer(struct truth_facts *f, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
    bool near = z->meta.branch_type == ZYDIS_BRANCH_TYPE_SHORT || z->meta.branch_type == ZYDIS_BRANCH_TYPE_NEAR;
    f->branch = (near || z->mnemonic == ZYDIS_MNEMONIC_RET) && z->meta.branch_type != ZYDIS_BRANCH_TYPE_FAR && z->mnemonic != ZYDIS_MNEMONIC_XBEGIN;
    if (!f->branch)
        return;
    note_target(f, z, op);
    bool narrow_map = z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
    if ((narrow_map && (z->opcode & 0xf0) == 0x70) || (!narrow_map && (z->opcode & 0xf0) == 0x80))
        f->taken = condition(z->opcode & 15, f->flags);
    else if (narrow_map && z->opcode >= 0xe0 && z->opcode <= 0xe3)
        f->taken = loop_taken(f, z);
    else
        f->taken = f->always = true;
}

/* --- the instruction -------------------------------------------------------------------------------------------------------- */
static void note_predicate(struct truth_facts *f, const ZydisDecodedInstruction *z)
{
    f->rep = z->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
    f->executing = true;
    f->compares = z->meta.category == ZYDIS_CATEGORY_STRINGOP && ((z->opcode & 0xfe) == 0xa6 || (z->opcode & 0xfe) == 0xae);
    if (f->rep)
        f->executing = z->address_width == 32 ? (uint32_t)f->gpr[RCX] : f->gpr[RCX];
    else if (z->meta.category == ZYDIS_CATEGORY_CMOV)
        f->executing = condition(z->opcode & 15, f->flags);
    else if (z->meta.category == ZYDIS_CATEGORY_FCMOV) {
        static const unsigned code[] = {2, 4, 6, 10}; /* b, e, be, u; not those: db */
        f->executing = condition(code[z->raw.modrm.reg & 3] | (z->opcode == 0xdb), f->flags);
    }
}

/* Steps go wrong at these: the kernel takes popf and iret for a program's own stepping, and those that it emulates do not trap. */
static bool is_unsteady(ZydisMnemonic m)
{
    switch (m) {
    case ZYDIS_MNEMONIC_POPF: case ZYDIS_MNEMONIC_POPFQ: case ZYDIS_MNEMONIC_IRET: case ZYDIS_MNEMONIC_IRETD: case ZYDIS_MNEMONIC_IRETQ:
    case ZYDIS_MNEMONIC_SMSW: case ZYDIS_MNEMONIC_STR: case ZYDIS_MNEMONIC_SLDT: case ZYDIS_MNEMONIC_SGDT: case ZYDIS_MNEMONIC_SIDT:
        return true;
    default:
        return false;
    }
}

static void note_kind(struct truth_facts *f, const ZydisDecodedInstruction *z)
{
    f->system_call = z->mnemonic == ZYDIS_MNEMONIC_SYSCALL;
    f->pushes_flags = z->mnemonic == ZYDIS_MNEMONIC_PUSHF || z->mnemonic == ZYDIS_MNEMONIC_PUSHFQ;
    f->interrupt = z->meta.category == ZYDIS_CATEGORY_INTERRUPT || z->mnemonic == ZYDIS_MNEMONIC_INT1 || z->mnemonic == ZYDIS_MNEMONIC_INT3;
    f->unsteady = is_unsteady(z->mnemonic);
    f->after = !f->branch && !f->interrupt && z->meta.branch_type == ZYDIS_BRANCH_TYPE_NONE && z->meta.category != ZYDIS_CATEGORY_RET;
}

bool truth_decode(struct truth_facts *f, const struct user_regs_struct *r, const struct truth_facts *last)
{
    ZydisDecodedInstruction z;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    uint8_t bytes[15];
    size_t n = truth_read(bytes, r->rip, sizeof bytes);
    memset(f, 0, sizeof *f);
    if (!n || ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, bytes, n, &z, op)))
        return false;
    f->pc = r->rip;
    f->next = r->rip + z.length;
    f->flags = r->eflags;
    truth_gprs(f->gpr, r);
    note_predicate(f, &z);
    f->first = f->rep && f->executing && !(last->went_on && last->pc == f->pc);
    note_accesses(f, r, &z, op);
    note_transfer(f, &z, op);
    note_kind(f, &z);
    f->goes_to = f->next;
    if (z.meta.category == ZYDIS_CATEGORY_RET && !f->branch)
        truth_read(&f->goes_to, f->gpr[RSP], 8);
    return true;
}
