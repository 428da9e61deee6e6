/* SPDX-License-Identifier: Apache-2.0
 * What the INS functions say of every instruction of the routine `shown`, whether it is ever executed or not (setting mode=...): kinds (all that is true), operands, memory, registers, texts. Rule A51. */
#include "golden.h"

static void Word(bool yes, const char *name)
{
    if (yes)
        std::printf(" %s", name);
}
#define IS(name) Word(INS_##name(ins), #name)

static void Kinds(INS ins)
{
    IS(IsBranch), IS(IsCall), IS(IsRet), IS(IsControlFlow), IS(IsBranchOrCall), IS(IsDirectControlFlow), IS(IsDirectBranchOrCall), IS(IsDirectBranch), IS(IsDirectCall);
    IS(IsIndirectControlFlow), IS(IsIndirectBranchOrCall), IS(IsFarCall), IS(IsFarJump), IS(IsDirectFarJump), IS(IsFarRet), IS(IsIRet), IS(IsPcMaterialization), IS(IsProcedureCall);
    IS(IsValidForIpointTakenBranch);
    Word(!INS_HasFallThrough(ins), "no-fall-through"), Word(!INS_IsValidForIpointAfter(ins), "no-ipoint-after");
    IS(IsSyscall), IS(IsSysenter), IS(IsSysret), IS(IsInterrupt), IS(IsHalt), IS(IsXbegin), IS(IsXend), IS(IsRDTSC);
    IS(RepPrefix), IS(RepnePrefix), IS(AddressSizePrefix), IS(OperandSizePrefix), IS(LockPrefix), IS(SegmentPrefix), IS(BranchTakenPrefix), IS(BranchNotTakenPrefix);
    IS(SegPrefixIsMemoryRead), IS(SegPrefixIsMemoryWrite), IS(HasRealRep), IS(Stutters);
    IS(IsPredicated), IS(IsAtomicUpdate), IS(IsPrefetch), IS(IsLea), IS(IsMov), IS(IsXchg), IS(IsMovdir64b), IS(IsAmx), IS(IsStringop), IS(IsVgather), IS(IsVscatter), IS(IsNop), IS(IsSub);
    IS(IsMaskMov), IS(IsCacheLineFlush), IS(IsMovFullRegRegSame), IS(IsAddedForFunctionReplacement);
    Word(!INS_IsOriginal(ins), "not-original");
    if (INS_IsDirectControlFlow(ins))
        std::printf(" to %+ld", (long)(INS_DirectControlFlowTargetAddress(ins) - INS_Address(ins)));
    if (INS_IsDirectBranchOrCall(ins) && INS_DirectBranchOrCallTargetAddress(ins) != INS_DirectControlFlowTargetAddress(ins))
        std::printf(" targets differ");
    if (INS_SegmentRegPrefix(ins) != REG_INVALID_)
        std::printf(" prefix %s", REG_StringShort(INS_SegmentRegPrefix(ins)).c_str());
    if (INS_RepCountRegister(ins) != REG_INVALID_)
        std::printf(" count %s", REG_StringShort(INS_RepCountRegister(ins)).c_str());
    if (INS_GetPredicate(ins) != PREDICATE_ALWAYS_TRUE)
        std::printf(" predicate %d", INS_GetPredicate(ins));
    if (INS_SyscallStd(ins) != SYSCALL_STANDARD_INVALID)
        std::printf(" syscall %d", INS_SyscallStd(ins));
}

static const char *Name(REG reg)
{
    static std::string text[4];
    static int n;
    return (text[n = (n + 1) % 4] = reg == REG_INVALID_ ? std::string("-") : REG_StringShort(reg)).c_str();
}

static void Address(INS ins, UINT32 i)
{
    std::printf("[%s:%s+%s*%u%+ld]", Name(INS_OperandMemorySegmentReg(ins, i)), Name(INS_OperandMemoryBaseReg(ins, i)), Name(INS_OperandMemoryIndexReg(ins, i)), INS_OperandMemoryScale(ins, i),
                (long)INS_OperandMemoryDisplacement(ins, i));
}

static void Operands(INS ins)
{
    for (UINT32 i = 0; i < INS_OperandCount(ins); i++) {
        std::printf(" {");
        if (INS_OperandIsReg(ins, i))
            std::printf("%s%s", Name(INS_OperandReg(ins, i)), INS_OperandIsSegmentReg(ins, i) ? " segment" : "");
        else if (INS_OperandIsMemory(ins, i))
            Address(ins, i), Word(INS_OperandIsFixedMemop(ins, i), "fixed");
        else if (INS_OperandIsAddressGenerator(ins, i))
            std::printf("address "), Address(ins, i);
        else if (INS_OperandIsImmediate(ins, i))
            std::printf("%#lx", (unsigned long)INS_OperandImmediate(ins, i));
        else if (INS_OperandIsBranchDisplacement(ins, i))
            std::printf("branch %+ld", (long)INS_OperandImmediate(ins, i));
        else
            std::printf("?");
        bool rw = INS_OperandReadAndWritten(ins, i), r = INS_OperandReadOnly(ins, i), w = INS_OperandWrittenOnly(ins, i);
        if (r + w + rw > 1 || INS_OperandRead(ins, i) != (r || rw) || INS_OperandWritten(ins, i) != (w || rw))
            std::printf(" access differs");
        std::printf(" %s %u", rw ? "rw" : r ? "r" : w ? "w" : "-", INS_OperandWidth(ins, i));
        if (INS_OperandSize(ins, i) != (INS_OperandWidth(ins, i) + 7) / 8)
            std::printf(" size %u", INS_OperandSize(ins, i));
        if (INS_OperandHasElements(ins, i))
            std::printf(" %ux%u", INS_OperandElementCount(ins, i), (UINT32)INS_OperandElementSize(ins, i));
        Word(INS_OperandIsImplicit(ins, i), "implicit");
        std::printf("}");
    }
    if (INS_MaskRegister(ins) != REG_INVALID_)
        std::printf(" mask %s", Name(INS_MaskRegister(ins)));
}

static void Memory(INS ins)
{
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++) {
        std::printf(" {operand %u %s%s %u", INS_MemoryOperandIndexToOperandIndex(ins, i), INS_MemoryOperandIsRead(ins, i) ? "r" : "", INS_MemoryOperandIsWritten(ins, i) ? "w" : "",
                    (UINT32)INS_MemoryOperandSize(ins, i));
        if (INS_MemoryOperandElementCount(ins, i) > 1)
            std::printf(" %ux%u", INS_MemoryOperandElementCount(ins, i), (UINT32)INS_MemoryOperandElementSize(ins, i));
        std::printf("}");
    }
    if (INS_IsMemoryRead(ins))
        std::printf(" reads %u", (UINT32)INS_MemoryReadSize(ins));
    if (INS_IsMemoryWrite(ins))
        std::printf(" writes %u", (UINT32)INS_MemoryWriteSize(ins));
    IS(HasMemoryRead2), IS(IsStackRead), IS(IsStackWrite), IS(IsIpRelRead), IS(IsIpRelWrite), IS(HasMemoryVector), IS(HasScatteredMemoryAccess), IS(IsStandardMemop);
    if (INS_HasExplicitMemoryReference(ins))
        std::printf(" explicit %s+%s*%u%+ld", Name(INS_MemoryBaseReg(ins)), Name(INS_MemoryIndexReg(ins)), INS_MemoryScale(ins), (long)INS_MemoryDisplacement(ins));
    if (INS_MemoryOperandCount(ins) && INS_EffectiveAddressWidth(ins) != 64)
        std::printf(" width %u", INS_EffectiveAddressWidth(ins));
    static const IARG_TYPE iargs[] = {IARG_MEMORYREAD_EA, IARG_MEMORYREAD2_EA, IARG_MEMORYWRITE_EA, IARG_BRANCH_TAKEN, IARG_FIRST_REP_ITERATION, IARG_SYSCALL_NUMBER};
    static const char *const names[] = {"read-ea", "read2-ea", "write-ea", "taken", "first-rep", "syscall-number"};
    for (int i = 0; i < 6; i++)
        if (INS_IsValidForIarg(ins, iargs[i]))
            std::printf(" %s", names[i]);
}

static void Registers(INS ins)
{
    std::printf(" reads");
    for (UINT32 i = 0; i < INS_MaxNumRRegs(ins); i++) {
        REG r = INS_RegR(ins, i);
        std::printf(" %s%s", Name(r), INS_RegRContain(ins, r) && INS_FullRegRContain(ins, REG_FullRegName(r)) ? "" : "?");
        Word(INS_RegIsImplicit(ins, r), "(implicit)");
    }
    std::printf(", writes");
    for (UINT32 i = 0; i < INS_MaxNumWRegs(ins); i++) {
        REG r = INS_RegW(ins, i);
        std::printf(" %s%s", Name(r), INS_RegWContain(ins, r) && INS_FullRegWContain(ins, REG_FullRegName(r)) ? "" : "?");
    }
    if (INS_RegRContain(ins, REG_R15) || INS_RegWContain(ins, REG_R15) || INS_FullRegRContain(ins, REG_R15) || INS_FullRegWContain(ins, REG_R15))
        std::printf(" r15"); /* the guest does not use it */
}

static void Texts(INS ins)
{
    std::printf(" %s %s %s %s", INS_Mnemonic(ins).c_str(), OPCODE_StringShort(INS_Opcode(ins)).c_str(), CATEGORY_StringShort(INS_Category(ins)).c_str(),
                EXTENSION_StringShort(INS_Extension(ins)).c_str());
    PIN_SetSyntaxATT();
    std::string att = INS_Disassemble(ins);
    if (INS_IsMov(ins) || INS_IsLea(ins))
        std::printf(" | %s", att.c_str());
    if (INS_IsCall(ins) || INS_IsRet(ins)) /* their size is in AT&T's names */
        std::printf(" | %s", att.substr(0, att.find(' ')).c_str());
    PIN_SetSyntaxXED();
    std::string xed = INS_Disassemble(ins);
    PIN_SetSyntaxIntel();
    Word(xed.substr(0, xed.find(' ')) != INS_Mnemonic(ins), "no text");
}

static VOID Image(IMG img, VOID *)
{
    RTN rtn = RTN_FindByName(img, "shown");
    if (!RTN_Valid(rtn))
        return;
    std::string mode = option("mode");
    RTN_Open(rtn);
    UINT32 n = 0;
    INS last = RTN_InsTail(rtn), prev = INS_Invalid();
    for (INS ins = RTN_InsHead(rtn); INS_Valid(ins); prev = ins, ins = INS_Next(ins), n++) {
        std::printf("%s:", INS_Disassemble(ins).c_str());
        if (mode == "kinds")
            Kinds(ins);
        else if (mode == "operands")
            Operands(ins);
        else if (mode == "memory")
            Memory(ins);
        else if (mode == "registers")
            Registers(ins);
        else
            Texts(ins);
        std::printf("\n");
        if (INS_Prev(ins) != prev || INS_Rtn(ins) != rtn || INS_NextAddress(ins) != INS_Address(ins) + INS_Size(ins))
            std::printf("neighbours are wrong\n");
    }
    std::printf("%u instructions%s\n", n, n == RTN_NumIns(rtn) && prev == last ? "" : ", but RTN_NumIns or RTN_InsTail differ");
    RTN_Close(rtn);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, 0);
    PIN_StartProgram();
}
