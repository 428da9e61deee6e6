/* SPDX-License-Identifier: Apache-2.0
 * Says whether a decoded instruction may be part of a case: it must give the same result in every run, leave the registers alone that must stay,
 * and touch memory only where the case has its own. For operands in fixed registers (strings) it says what has to be set before. */
#include "fuzz_insn.h"

/* Results that no two runs share, doors to the kernel or the hypervisor, and what optimises by hidden state. */
static const u16 excluded[] = {
    ZYDIS_MNEMONIC_RDTSC, ZYDIS_MNEMONIC_RDTSCP, ZYDIS_MNEMONIC_RDRAND, ZYDIS_MNEMONIC_RDSEED, ZYDIS_MNEMONIC_CPUID,
    ZYDIS_MNEMONIC_RDPID, ZYDIS_MNEMONIC_RDPMC, ZYDIS_MNEMONIC_RDPRU, ZYDIS_MNEMONIC_SYSCALL, ZYDIS_MNEMONIC_SYSENTER,
    ZYDIS_MNEMONIC_XBEGIN, ZYDIS_MNEMONIC_XSAVEOPT, ZYDIS_MNEMONIC_XSAVEOPT64, ZYDIS_MNEMONIC_VMCALL, ZYDIS_MNEMONIC_VMMCALL,
    ZYDIS_MNEMONIC_VMFUNC, ZYDIS_MNEMONIC_LSL, ZYDIS_MNEMONIC_WRFSBASE, ZYDIS_MNEMONIC_WRGSBASE, ZYDIS_MNEMONIC_POPF,
    ZYDIS_MNEMONIC_POPFD, ZYDIS_MNEMONIC_POPFQ, ZYDIS_MNEMONIC_IRET, ZYDIS_MNEMONIC_IRETD, ZYDIS_MNEMONIC_IRETQ,
    ZYDIS_MNEMONIC_WRPKRU, ZYDIS_MNEMONIC_LEAVE, ZYDIS_MNEMONIC_ENTER, ZYDIS_MNEMONIC_UMWAIT, ZYDIS_MNEMONIC_TPAUSE,
    ZYDIS_MNEMONIC_XSAVE, ZYDIS_MNEMONIC_XSAVE64, ZYDIS_MNEMONIC_XSAVEC, ZYDIS_MNEMONIC_XSAVEC64, /* fuzz_special.c has them */
    ZYDIS_MNEMONIC_MWAITX, ZYDIS_MNEMONIC_MWAIT, ZYDIS_MNEMONIC_UIRET,
};

static int gpr_of(ZydisRegister r)
{
    ZydisRegister big = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
    return big >= ZYDIS_REGISTER_RAX && big <= ZYDIS_REGISTER_R15 ? (int)(big - ZYDIS_REGISTER_RAX) : -1;
}

static bool is_known(const struct gen *g, ZydisRegister r)
{
    int n = gpr_of(r);
    return n >= 0 && (g->known >> n & 1);
}

static u64 mem_ea(const struct gen *g, const struct attempt *a, const ZydisDecodedOperand *o)
{
    u64 ea = (u64)o->mem.disp.value;
    if (o->mem.base == ZYDIS_REGISTER_RIP || o->mem.base == ZYDIS_REGISTER_EIP)
        ea = a->rip_target;
    else if (o->mem.base)
        ea += g->gpr[gpr_of(o->mem.base)];
    if (o->mem.index && o->mem.type != ZYDIS_MEMOP_TYPE_VSIB)
        ea += g->gpr[gpr_of(o->mem.index)] * o->mem.scale;
    if (a->z.address_width == 32)
        ea = (u32)ea;
    if (o->mem.segment == ZYDIS_REGISTER_FS)
        ea += g->base + FS_AT;
    if (o->mem.segment == ZYDIS_REGISTER_GS)
        ea += g->base + GS_AT;
    return ea;
}

/* The operand that ModRM names. */
static bool judge_modrm_memory(struct gen *g, struct attempt *a, const ZydisDecodedOperand *o)
{
    if (o->mem.type == ZYDIS_MEMOP_TYPE_AGEN || o->mem.type == ZYDIS_MEMOP_TYPE_MIB)
        return true;
    bool rip = o->mem.base == ZYDIS_REGISTER_RIP || o->mem.base == ZYDIS_REGISTER_EIP;
    if (!rip && o->mem.base && !is_known(g, o->mem.base))
        return false;
    if (o->mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
        if (ZydisRegisterGetId(o->mem.index) != g->vindex)
            return false;
    } else if (o->mem.index && !is_known(g, o->mem.index)) {
        return false;
    }
    a->ea = mem_ea(g, a, o);
    a->on_stack = gpr_of(o->mem.base) == RSP;
    if (a->on_stack)
        return a->z.address_width == 64 && o->mem.segment != ZYDIS_REGISTER_FS && o->mem.segment != ZYDIS_REGISTER_GS
            && a->ea >= g->base + STACK_AT && a->ea < g->base + STACK_AT + STACK_BYTES - 4096;
    if (a->wild) /* near the case's own mappings, or in the first page, which nobody has */
        return (a->ea >= g->base && a->ea < g->base + DATA_END) || (a->ea >= g->code - 256 && a->ea < g->code - 64) || a->ea < 4096 - 64;
    return a->ea >= g->base + 1024 && a->ea < g->base + DATA_BYTES - 4096;
}

static void add_setup(struct gen *g, struct attempt *a, u32 reg, u64 value)
{
    for (u32 i = 0; i < a->nsetup; i++)
        if (a->setup[i].reg == reg)
            return;
    a->setup[a->nsetup++] = (struct setup){(u8)reg, g->known >> reg & 1, value};
}

/* An operand addressed by a fixed register (strings, xlat): the register is set before. */
static bool judge_other_memory(struct gen *g, struct attempt *a, const ZydisDecodedOperand *o)
{
    int reg = gpr_of(o->mem.base);
    if (reg == RSP)
        return true;
    if (reg < 0 || (o->mem.index && o->mem.index != ZYDIS_REGISTER_AL) || (a->z.address_width == 32 && g->base != LAYOUT_LOW))
        return false;
    u64 value = data_target(g);
    if (o->mem.segment == ZYDIS_REGISTER_FS || o->mem.segment == ZYDIS_REGISTER_GS)
        value = 64 + rng_below(&g->rng, 200);
    add_setup(g, a, (u32)reg, value);
    return true;
}

static bool is_set_up(const struct attempt *a, int reg)
{
    for (u32 i = 0; i < a->nsetup; i++)
        if (a->setup[i].reg == reg)
            return true;
    return false;
}

static bool judge_write(const struct gen *g, const struct attempt *a, const ZydisDecodedOperand *o)
{
    ZydisRegister r = o->reg.value;
    int gpr = gpr_of(r);
    if (gpr == RSP)
        return o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
    if (gpr >= 0)
        return !(g->known >> gpr & 1) || is_set_up(a, gpr);
    switch (ZydisRegisterGetClass(r)) {
    case ZYDIS_REGCLASS_XMM: case ZYDIS_REGCLASS_YMM: case ZYDIS_REGCLASS_ZMM:
        return ZydisRegisterGetId(r) != g->vindex;
    case ZYDIS_REGCLASS_SEGMENT: /* any interrupt makes a null selector with a privilege level 0 */
        return false;
    default:
        return true;
    }
}

static bool judge_mnemonic(const struct gen *g, const struct attempt *a)
{
    const ZydisDecodedInstruction *z = &a->z;
    for (size_t i = 0; i < ARRAY_LEN(excluded); i++)
        if (z->mnemonic == excluded[i])
            return false;
    if (z->meta.branch_type != ZYDIS_BRANCH_TYPE_NONE)
        return false;
    switch (z->mnemonic) {
    case ZYDIS_MNEMONIC_INT: /* the 32-bit system call */
        return z->raw.imm[0].value.u != 0x80;
    case ZYDIS_MNEMONIC_FXRSTOR: case ZYDIS_MNEMONIC_FXRSTOR64:
        return g->vindex >= 16;
    case ZYDIS_MNEMONIC_BT: case ZYDIS_MNEMONIC_BTS: case ZYDIS_MNEMONIC_BTR: case ZYDIS_MNEMONIC_BTC:
        if (a->op[0].type == ZYDIS_OPERAND_TYPE_MEMORY && a->op[1].type == ZYDIS_OPERAND_TYPE_REGISTER)
            return is_known(g, a->op[1].reg.value) && (g->small >> gpr_of(a->op[1].reg.value) & 1) && !a->wild;
        return true;
    default:
        return true;
    }
}

/* x87 state with instruction and data pointers. */
bool saves_pointers(const ZydisDecodedInstruction *z)
{
    return z->mnemonic == ZYDIS_MNEMONIC_FXSAVE || z->mnemonic == ZYDIS_MNEMONIC_FXSAVE64 || z->mnemonic == ZYDIS_MNEMONIC_FNSTENV
        || z->mnemonic == ZYDIS_MNEMONIC_FNSAVE;
}

/* An EVEX register operand rsp with X set (which means nothing there): AMD CPUs read the value from before the last pushes, pops and calls,
 * depending on what else is in flight. */
static bool reads_stale_stack_pointer(const struct attempt *a)
{
    if (a->z.encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX || a->z.raw.modrm.mod != 3)
        return false;
    for (u32 i = 0; i < a->z.operand_count; i++)
        if (a->op[i].type == ZYDIS_OPERAND_TYPE_REGISTER && gpr_of(a->op[i].reg.value) == RSP)
            return true;
    return false;
}

/* Without privilege these fault, and the kernel does them in its own way: what it cannot write to it reports as unmapped. */
static bool is_kernel_emulated(ZydisMnemonic m)
{
    return m == ZYDIS_MNEMONIC_STR || m == ZYDIS_MNEMONIC_SLDT || m == ZYDIS_MNEMONIC_SMSW || m == ZYDIS_MNEMONIC_SGDT || m == ZYDIS_MNEMONIC_SIDT;
}

static bool is_repeated(const ZydisDecodedInstruction *z)
{
    return z->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

bool judge(struct gen *g, struct attempt *a)
{
    bool memory = false;
    a->nsetup = 0;
    a->ea = 0;
    a->on_stack = false;
    if (!judge_mnemonic(g, a) || reads_stale_stack_pointer(a) || ((gen_steps || (a->wild && !gen_strict)) && is_kernel_emulated(a->z.mnemonic)))
        return false;
    for (u32 i = 0; i < a->z.operand_count; i++) {
        const ZydisDecodedOperand *o = &a->op[i];
        if (o->type != ZYDIS_OPERAND_TYPE_MEMORY)
            continue;
        bool modrm = o->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM;
        if (o->encoding == ZYDIS_OPERAND_ENCODING_DISP16_32_64) { /* mov moffs */
            a->ea = mem_ea(g, a, o);
            if (a->ea < g->base + 1024 || a->ea >= g->base + DATA_BYTES - 4096)
                return false;
        } else if (!(modrm ? judge_modrm_memory(g, a, o) : judge_other_memory(g, a, o))) {
            return false;
        }
        memory |= modrm && o->mem.type == ZYDIS_MEMOP_TYPE_MEM;
    }
    /* neither they nor the cleaning up after them may fault, and what is cleaned up is at one address */
    if (saves_pointers(&a->z) && !gen_strict && (a->wild || a->on_stack || (a->ea & 7) || g->loop))
        return false;
    if (a->z.mnemonic == ZYDIS_MNEMONIC_XGETBV) /* register 1 is as unsteady as XSTATE_BV */
        add_setup(g, a, RCX, 0);
    if ((is_repeated(&a->z) || a->z.mnemonic == ZYDIS_MNEMONIC_XGETBV) && g->loop)
        return false;
    if (is_repeated(&a->z))
        add_setup(g, a, RCX, rng_below(&g->rng, 20));
    for (u32 i = 0; i < a->z.operand_count; i++)
        if (a->op[i].type == ZYDIS_OPERAND_TYPE_REGISTER && (a->op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            && !judge_write(g, a, &a->op[i]))
            return false;
    return memory || !a->wild;
}
