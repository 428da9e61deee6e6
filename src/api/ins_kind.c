/* SPDX-License-Identifier: Apache-2.0
 * INS_*: what kind of instruction it is. Called from instrumentation callbacks, under jit_lock. */
#include "api/ins_facts.h"
#include "linchpin/iarg.h"
#include "xed-category-enum.h"
#include "xed-iclass-enum.h"

static bool has(INS ins, u32 flags, const char *call) { return ins_facts(ins, call)->flags & flags; }
#define HAS(ins, flags) has(ins, flags, __func__)
#define CONTROL (FACT_FLAG_BRANCH | FACT_FLAG_CALL | FACT_FLAG_RET)

/* --- control flow ------------------------------------------------------------------------------------------- */

BOOL INS_IsBranch(INS ins) { return HAS(ins, FACT_FLAG_BRANCH); }
BOOL INS_IsCall(INS ins) { return HAS(ins, FACT_FLAG_CALL); }
BOOL INS_IsRet(INS ins) { return HAS(ins, FACT_FLAG_RET); }
BOOL INS_IsControlFlow(INS ins) { return HAS(ins, CONTROL); }
BOOL INS_IsBranchOrCall(INS ins) { return HAS(ins, CONTROL); }
BOOL INS_IsDirectControlFlow(INS ins) { return HAS(ins, FACT_FLAG_DIRECT); }
BOOL INS_IsDirectBranchOrCall(INS ins) { return HAS(ins, FACT_FLAG_DIRECT); }
BOOL INS_IsDirectBranch(INS ins) { return HAS(ins, FACT_FLAG_DIRECT) && HAS(ins, FACT_FLAG_BRANCH); }
BOOL INS_IsDirectCall(INS ins) { return HAS(ins, FACT_FLAG_DIRECT) && HAS(ins, FACT_FLAG_CALL); }
BOOL INS_IsIndirectControlFlow(INS ins) { return HAS(ins, CONTROL) && !HAS(ins, FACT_FLAG_DIRECT); }
BOOL INS_IsIndirectBranchOrCall(INS ins) { return HAS(ins, CONTROL) && !HAS(ins, FACT_FLAG_DIRECT); }
BOOL INS_HasFallThrough(INS ins) { return !HAS(ins, FACT_FLAG_NO_FALL_THROUGH); }
BOOL INS_IsFarCall(INS ins) { return HAS(ins, FACT_FLAG_FAR) && HAS(ins, FACT_FLAG_CALL); }
BOOL INS_IsFarJump(INS ins) { return HAS(ins, FACT_FLAG_FAR) && HAS(ins, FACT_FLAG_BRANCH); }
BOOL INS_IsDirectFarJump(INS ins) { return INS_IsFarJump(ins) && HAS(ins, FACT_FLAG_DIRECT); }
BOOL INS_IsFarRet(INS ins) { return FACTS(ins)->iclass == XED_ICLASS_RET_FAR; }
/* A system call is not, as with Pin: its exit functions are for that. A call inserted after it runs all the same. */
BOOL INS_IsValidForIpointAfter(INS ins) { return INS_HasFallThrough(ins) && !INS_IsSyscall(ins); }
BOOL INS_IsValidForIpointTakenBranch(INS ins) { return HAS(ins, CONTROL); }

BOOL INS_IsIRet(INS ins)
{
    u16 c = FACTS(ins)->iclass;
    return c == XED_ICLASS_IRET || c == XED_ICLASS_IRETD || c == XED_ICLASS_IRETQ;
}

static ADDRINT direct_target(INS ins, const char *call)
{
    const struct ins_facts *f = ins_facts(ins, call);
    if (!(f->flags & FACT_FLAG_DIRECT))
        api_misuse(call, NULL, 0, "the instruction at 0x%lx is not a direct branch or call", f->pc);
    return f->target;
}

ADDRINT INS_DirectControlFlowTargetAddress(INS ins) { return direct_target(ins, __func__); }
ADDRINT INS_DirectBranchOrCallTargetAddress(INS ins) { return direct_target(ins, __func__); }

/* call to the next instruction: how position-independent code of 32 bits finds its own address */
BOOL INS_IsPcMaterialization(INS ins)
{
    const struct ins_facts *f = FACTS(ins);
    return INS_IsDirectCall(ins) && f->target == f->pc + f->len;
}

BOOL INS_IsProcedureCall(INS ins) { return INS_IsCall(ins) && !INS_IsPcMaterialization(ins); }

VOID INS_GetFarPointer(INS ins, UINT16 *segment, UINT32 *displacement)
{
    const struct ins_facts *f = FACTS(ins);
    if (!f->noperands || f->op[0].kind != FACT_POINTER)
        api_misuse(__func__, NULL, 0, "the instruction at 0x%lx has no far pointer", f->pc);
    *segment = f->op[0].seg_selector;
    *displacement = (UINT32)f->op[0].imm;
}

/* --- system ------------------------------------------------------------------------------------------------- */

BOOL INS_IsSyscall(INS ins) { return HAS(ins, FACT_FLAG_SYSCALL); }
BOOL INS_IsSysenter(INS ins) { return FACTS(ins)->iclass == XED_ICLASS_SYSENTER; }
BOOL INS_IsSysret(INS ins) { return FACTS(ins)->category == XED_CATEGORY_SYSRET; }
BOOL INS_IsInterrupt(INS ins) { return FACTS(ins)->category == XED_CATEGORY_INTERRUPT; }
BOOL INS_IsHalt(INS ins) { return FACTS(ins)->iclass == XED_ICLASS_HLT; }
BOOL INS_IsXbegin(INS ins) { return FACTS(ins)->iclass == XED_ICLASS_XBEGIN; }
BOOL INS_IsXend(INS ins) { return FACTS(ins)->iclass == XED_ICLASS_XEND; }

BOOL INS_IsRDTSC(INS ins)
{
    u16 c = FACTS(ins)->iclass;
    return c == XED_ICLASS_RDTSC || c == XED_ICLASS_RDTSCP;
}

SYSCALL_STANDARD INS_SyscallStd(INS ins)
{
    const struct ins_facts *f = FACTS(ins);
    if (!(f->flags & FACT_FLAG_SYSCALL))
        return SYSCALL_STANDARD_INVALID;
    return f->iclass == XED_ICLASS_SYSCALL ? SYSCALL_STANDARD_IA32E_LINUX : SYSCALL_STANDARD_IA32_LINUX;
}

/* --- prefixes ----------------------------------------------------------------------------------------------- */

static bool has_prefix(INS ins, u8 prefix, const char *call)
{
    return (ins_facts(ins, call)->prefixes & prefix) == prefix;
}
#define PREFIX(ins, prefix) has_prefix(ins, prefix, __func__)

BOOL INS_RepPrefix(INS ins) { return PREFIX(ins, FACT_PREFIX_F3); }
BOOL INS_RepnePrefix(INS ins) { return PREFIX(ins, FACT_PREFIX_F2); }
BOOL INS_AddressSizePrefix(INS ins) { return PREFIX(ins, FACT_PREFIX_67); }
BOOL INS_OperandSizePrefix(INS ins) { return PREFIX(ins, FACT_PREFIX_66); }
BOOL INS_LockPrefix(INS ins) { return PREFIX(ins, FACT_PREFIX_F0); }
BOOL INS_SegmentPrefix(INS ins) { return FACTS(ins)->seg_prefix != REG_INVALID_; }
REG INS_SegmentRegPrefix(INS ins) { return FACTS(ins)->seg_prefix; }
BOOL INS_BranchTakenPrefix(INS ins) { return PREFIX(ins, FACT_PREFIX_3E) && HAS(ins, FACT_FLAG_CONDITIONAL); }
BOOL INS_BranchNotTakenPrefix(INS ins) { return PREFIX(ins, FACT_PREFIX_2E) && HAS(ins, FACT_FLAG_CONDITIONAL); }
BOOL INS_SegPrefixIsMemoryRead(INS ins) { return INS_SegmentPrefix(ins) && INS_IsMemoryRead(ins); }
BOOL INS_SegPrefixIsMemoryWrite(INS ins) { return INS_SegmentPrefix(ins) && INS_IsMemoryWrite(ins); }
BOOL INS_HasRealRep(INS ins) { return HAS(ins, FACT_FLAG_REP | FACT_FLAG_REPNE); }
BOOL INS_Stutters(INS ins) { return INS_HasRealRep(ins); }

REG INS_RepCountRegister(INS ins)
{
    if (!INS_HasRealRep(ins))
        return REG_INVALID_;
    u8 bits = FACTS(ins)->address_bits;
    return bits == 64 ? REG_RCX : bits == 32 ? REG_ECX : REG_CX;
}

/* --- the rest ----------------------------------------------------------------------------------------------- */

BOOL INS_IsPredicated(INS ins) { return HAS(ins, FACT_FLAG_PREDICATED); }
PREDICATE INS_GetPredicate(INS ins) { return (PREDICATE)FACTS(ins)->predicate; }
BOOL INS_IsAtomicUpdate(INS ins) { return HAS(ins, FACT_FLAG_ATOMIC); }
BOOL INS_IsPrefetch(INS ins) { return HAS(ins, FACT_FLAG_PREFETCH); }
BOOL INS_IsLea(INS ins) { return FACTS(ins)->iclass == XED_ICLASS_LEA; }
BOOL INS_IsMov(INS ins) { return FACTS(ins)->iclass == XED_ICLASS_MOV; }
BOOL INS_IsXchg(INS ins) { return FACTS(ins)->iclass == XED_ICLASS_XCHG; }
BOOL INS_IsMovdir64b(INS ins) { return FACTS(ins)->iclass == XED_ICLASS_MOVDIR64B; }
BOOL INS_IsAmx(INS ins) { return FACTS(ins)->category == XED_CATEGORY_AMX_TILE; }
BOOL INS_IsStringop(INS ins)
{
    return FACTS(ins)->category == XED_CATEGORY_STRINGOP || FACTS(ins)->category == XED_CATEGORY_IOSTRINGOP;
}
BOOL INS_IsVgather(INS ins) { return HAS(ins, FACT_FLAG_GATHER) && !HAS(ins, FACT_FLAG_PREFETCH); }
BOOL INS_IsVscatter(INS ins) { return HAS(ins, FACT_FLAG_SCATTER); }
REG INS_MaskRegister(INS ins) { return FACTS(ins)->mask_reg; }

BOOL INS_IsNop(INS ins) { return facts_is_nop(FACTS(ins)); }

BOOL INS_IsSub(INS ins)
{
    u16 c = FACTS(ins)->iclass;
    return c == XED_ICLASS_SUB || c == XED_ICLASS_SUB_LOCK;
}

BOOL INS_IsMaskMov(INS ins)
{
    u16 c = FACTS(ins)->iclass;
    return c == XED_ICLASS_MASKMOVQ || c == XED_ICLASS_MASKMOVDQU || c == XED_ICLASS_VMASKMOVDQU;
}

BOOL INS_IsCacheLineFlush(INS ins)
{
    u16 c = FACTS(ins)->iclass;
    return c == XED_ICLASS_CLFLUSH || c == XED_ICLASS_CLFLUSHOPT || c == XED_ICLASS_CLWB;
}

BOOL INS_IsMovFullRegRegSame(INS ins)
{
    const struct ins_facts *f = FACTS(ins);
    return f->iclass == XED_ICLASS_MOV && f->op[0].kind == FACT_REG && f->op[1].kind == FACT_REG &&
           f->op[0].reg == f->op[1].reg && f->op[0].bits == 64;
}

/* What may be asked for in an analysis call of this instruction. */
BOOL INS_IsValidForIarg(INS ins, IARG_TYPE iarg)
{
    switch ((int)iarg) {
    case IARG_MEMORYREAD_EA: case IARG_MEMORYREAD_SIZE: case IARG_MEMORYREAD_PTR:
        return INS_IsMemoryRead(ins);
    case IARG_MEMORYREAD2_EA: case IARG_MEMORYREAD2_PTR:
        return INS_HasMemoryRead2(ins);
    case IARG_MEMORYWRITE_EA: case IARG_MEMORYWRITE_SIZE: case IARG_MEMORYWRITE_PTR:
        return INS_IsMemoryWrite(ins);
    case IARG_MEMORYOP_EA: case IARG_MEMORYOP_PTR: case IARG_MEMORYOP_SIZE: case IARG_MEMORYOP_MASKED_ON:
    case IARG_MULTI_MEMORYACCESS_EA:
        return FACTS(ins)->nmem != 0;
    case IARG_EXPLICIT_MEMORY_EA:
        return INS_HasExplicitMemoryReference(ins);
    case IARG_BRANCH_TAKEN:
        return HAS(ins, CONTROL | FACT_FLAG_SYSCALL);
    case IARG_BRANCH_TARGET_ADDR:
        return HAS(ins, CONTROL);
    case IARG_FALLTHROUGH_ADDR:
        return INS_HasFallThrough(ins) || HAS(ins, FACT_FLAG_CALL);
    case IARG_FIRST_REP_ITERATION:
        return INS_HasRealRep(ins);
    case IARG_REWRITE_SCATTERED_MEMOP:
        return INS_HasScatteredMemoryAccess(ins);
    case IARG_SYSCALL_NUMBER: case IARG_SYSARG_VALUE: case IARG_SYSARG_REFERENCE:
        return HAS(ins, FACT_FLAG_SYSCALL);
    case IARG_INVALID:
        return false;
    }
    return true;
}
