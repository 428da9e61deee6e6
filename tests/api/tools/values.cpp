/* SPDX-License-Identifier: Apache-2.0
 * What the most used functions say of the instructions, blocks, traces, routines and the image of guests/values.S, against what its source says: values, not calls. */
#include "checks.h"

#include <map>
#include <unistd.h>

/* m: memory operands; each r and w says of one that it is read, written. Regs: those that are certainly read and written, and one that is not. */
struct Fact {
    const char *label;
    unsigned size;
    const char *opcode, *category;
    unsigned memory;
    bool reads, writes;
    unsigned bytes;
    char flow; /* - falls through, c call, r return, b conditional branch, j jump, s system call */
    const char *target;
    REG read, written, untouched;
};
static const Fact facts[] = {
    {"at_start", 5, "MOV", "DATAXFER", 0, false, false, 0, '-', 0, REG_INVALID(), REG_RCX, REG_RAX},
    {"at_loop", 5, "CALL_NEAR", "CALL", 1, false, true, 8, 'c', "at_leaf", REG_RSP, REG_RSP, REG_RCX},
    {"at_dec", 2, "DEC", "BINARY", 0, false, false, 0, '-', 0, REG_RCX, REG_RCX, REG_RAX},
    {"at_jnz", 2, "JNZ", "COND_BR", 0, false, false, 0, 'b', "at_loop", REG_RFLAGS, REG_RIP, REG_RCX},
    {"at_syscall", 2, "SYSCALL", "SYSCALL", 0, false, false, 0, 's', 0, REG_INVALID(), REG_RCX, REG_RBX},
    {"at_load", 7, "MOV", "DATAXFER", 1, true, false, 8, '-', 0, REG_RIP, REG_RAX, REG_RDX},
    {"at_update", 6, "ADD", "BINARY", 1, true, true, 4, '-', 0, REG_RAX, REG_RFLAGS, REG_RDX},
    {"at_byte", 7, "MOVZX", "DATAXFER", 1, true, false, 1, '-', 0, REG_RIP, REG_RDX, REG_RAX},
    {"at_push", 1, "PUSH", "PUSH", 1, false, true, 8, '-', 0, REG_RBX, REG_RSP, REG_RAX},
    {"at_pop", 1, "POP", "POP", 1, true, false, 8, '-', 0, REG_RSP, REG_RBX, REG_RAX},
    {"at_cmov", 8, "CMOVZ", "CMOV", 1, true, false, 8, '-', 0, REG_RFLAGS, REG_RDX, REG_RAX},
    {"at_stos", 1, "STOSB", "STRINGOP", 1, false, true, 1, '-', 0, REG_RDI, REG_RDI, REG_RSI},
    {"at_vector", 7, "MOVUPS", "DATAXFER", 1, true, false, 16, '-', 0, REG_RIP, REG_XMM5, REG_XMM4},
    {"at_lea", 5, "LEA", "MISC", 0, false, false, 0, '-', 0, REG_RBX, REG_RSI, REG_RAX},
    {"at_nop", 3, "NOP", "WIDENOP", 0, false, false, 0, '-', 0, REG_INVALID(), REG_INVALID(), REG_RCX},
    {"at_jump", 2, "JMP", "UNCOND_BR", 0, false, false, 0, 'j', "at_ret", REG_INVALID(), REG_RIP, REG_RAX},
    {"at_ret", 1, "RET_NEAR", "RET", 1, true, false, 8, 'r', 0, REG_RSP, REG_RIP, REG_RAX},
};
static std::map<ADDRINT, const Fact *> known;
static unsigned seen;

static bool Contains(REG (*get)(INS, UINT32), UINT32 n, INS ins, REG reg)
{
    for (UINT32 i = 0; i < n; i++)
        if (REG_FullRegName(get(ins, i)) == REG_FullRegName(reg))
            return true;
    return false;
}

static void Registers(INS ins, const Fact &f)
{
    if (REG_valid(f.read))
        TRUE_(Contains(INS_RegR, INS_MaxNumRRegs(ins), ins, f.read));
    if (REG_valid(f.written))
        TRUE_(Contains(INS_RegW, INS_MaxNumWRegs(ins), ins, f.written));
    FALSE_(Contains(INS_RegR, INS_MaxNumRRegs(ins), ins, f.untouched) || Contains(INS_RegW, INS_MaxNumWRegs(ins), ins, f.untouched));
}

static void Flow(INS ins, const Fact &f)
{
    EQUAL(INS_IsCall(ins), f.flow == 'c');
    EQUAL(INS_IsRet(ins), f.flow == 'r');
    EQUAL(INS_IsSyscall(ins), f.flow == 's');
    EQUAL(INS_IsBranch(ins), f.flow == 'b' || f.flow == 'j');
    EQUAL(INS_IsControlFlow(ins), strchr("crbj", f.flow) != 0);
    EQUAL(INS_HasFallThrough(ins), strchr("cbj", f.flow) ? f.flow == 'b' : f.flow != 'r');
    EQUAL(INS_IsDirectControlFlow(ins), f.target != 0);
    if (f.target)
        EQUAL(INS_DirectControlFlowTargetAddress(ins), at(f.target));
}

static void Check(INS ins, const Fact &f)
{
    ADDRINT pc = at(f.label);
    seen++;
    EQUAL(INS_Address(ins), pc);
    EQUAL(INS_Size(ins), f.size);
    EQUAL(INS_NextAddress(ins), pc + f.size);
    EQUAL(OPCODE_StringShort(INS_Opcode(ins)), std::string(f.opcode));
    EQUAL(INS_Mnemonic(ins), std::string(f.opcode));
    EQUAL(CATEGORY_StringShort(INS_Category(ins)), std::string(f.category));
    EQUAL(INS_MemoryOperandCount(ins), f.memory);
    EQUAL(INS_IsMemoryRead(ins), f.reads);
    EQUAL(INS_IsMemoryWrite(ins), f.writes);
    if (f.memory) {
        EQUAL(INS_MemoryOperandIsRead(ins, 0), f.reads);
        EQUAL(INS_MemoryOperandIsWritten(ins, 0), f.writes);
        EQUAL(INS_MemoryOperandSize(ins, 0), f.bytes);
    }
    bool stack = strchr("cr", f.flow) || !strcmp(f.opcode, "PUSH") || !strcmp(f.opcode, "POP");
    EQUAL(INS_IsStackRead(ins), stack && f.reads);
    EQUAL(INS_IsStackWrite(ins), stack && f.writes);
    EQUAL(INS_IsLea(ins), !strcmp(f.opcode, "LEA"));
    EQUAL(INS_IsNop(ins), !strcmp(f.opcode, "NOP"));
    EQUAL(INS_IsPredicated(ins), !strcmp(f.opcode, "CMOVZ"));
    Flow(ins, f);
    Registers(ins, f);
}

/* Parts that lie one behind the other, without a gap, and add up. */
static VOID Trace(TRACE trace, VOID *)
{
    ADDRINT next = TRACE_Address(trace);
    UINT32 blocks = 0, instructions = 0;
    BBL last = TRACE_BblTail(trace);
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); last = bbl, bbl = BBL_Next(bbl)) {
        UINT32 n = 0;
        USIZE bytes = 0;
        EQUAL(BBL_Address(bbl), next);
        EQUAL(BBL_Valid(BBL_Prev(bbl)), blocks++ > 0);
        for (INS ins = BBL_InsHead(bbl); INS_Valid(ins); ins = INS_Next(ins)) {
            EQUAL(INS_Address(ins), next);
            EQUAL(INS_Valid(INS_Prev(ins)), n > 0);
            TRUE_(INS_Valid(INS_Next(ins)) || ins == BBL_InsTail(bbl));
            next += INS_Size(ins), bytes += INS_Size(ins), n++;
            if (known.count(INS_Address(ins)))
                Check(ins, *known[INS_Address(ins)]);
        }
        EQUAL(BBL_NumIns(bbl), n);
        EQUAL(BBL_Size(bbl), bytes);
        instructions += n;
    }
    TRUE_(last == TRACE_BblTail(trace));
    EQUAL(TRACE_NumBbl(trace), blocks);
    EQUAL(TRACE_NumIns(trace), instructions);
    EQUAL(TRACE_Size(trace), next - TRACE_Address(trace));
    bool leaf = TRACE_Address(trace) >= at("at_leaf");
    EQUAL(RTN_Name(TRACE_Rtn(trace)), std::string(leaf ? "at_leaf" : "_start"));
}

static VOID Image(IMG img, VOID *)
{
    if (!IMG_IsMainExecutable(img))
        return;
    EQUAL(IMG_EntryAddress(img), at("at_start"));
    TRUE_(IMG_LowAddress(img) <= at("at_start") && IMG_HighAddress(img) >= at("at_bytes") + 15 && IMG_HighAddress(img) < at("at_bytes") + 4096);
    EQUAL(IMG_LoadOffset(img), 0);
    EQUAL(IMG_Type(img), IMG_TYPE_STATIC);
    TRUE_(IMG_FindByAddress(at("at_word")) == img && !IMG_Valid(IMG_FindByAddress(16)));
    RTN leaf = RTN_FindByName(img, "at_leaf");
    EQUAL(RTN_Address(leaf), at("at_leaf"));
    EQUAL(RTN_Size(leaf), at("at_leaf_end") - at("at_leaf"));
    EQUAL(SEC_Name(RTN_Sec(leaf)), std::string(".text"));
    EQUAL(RTN_FindNameByAddress(at("at_pop")), std::string("at_leaf"));
    RTN_Open(leaf);
    EQUAL(RTN_NumIns(leaf), 14);
    EQUAL(INS_Address(RTN_InsHead(leaf)), at("at_leaf"));
    EQUAL(INS_Address(RTN_InsTail(leaf)), at("at_ret"));
    RTN_Close(leaf);
    TRUE_(RTN_Valid(RTN_FindByName(img, "_start")) && !RTN_Valid(RTN_FindByName(img, "at_word")));
}

static PIN_LOCK lock;
static TLS_KEY keys[2];
static VOID Start(THREADID tid, CONTEXT *context, INT32 flags, VOID *arg)
{
    EQUAL(tid, 0);
    EQUAL(flags, 0);
    EQUAL(PIN_ThreadId(), tid);
    EQUAL(arg, (VOID *)keys);
    EQUAL(PIN_GetContextReg(context, REG_INST_PTR), at("at_start"));
    EQUAL(PIN_GetPid(), getpid());
    EQUAL(PIN_GetTid(), (OS_THREAD_ID)getpid());
    TRUE_(keys[0] != keys[1] && keys[0] >= 0 && keys[1] >= 0);
    TRUE_(PIN_SetThreadData(keys[0], &seen, tid) && PIN_SetThreadData(keys[1], &lock, tid));
    EQUAL(PIN_GetThreadData(keys[0], tid), (VOID *)&seen);
    EQUAL(PIN_GetThreadData(keys[1], tid), (VOID *)&lock);
    PIN_GetLock(&lock, 5);
    EQUAL(PIN_ReleaseLock(&lock), 5);
    FALSE_(PIN_IsProbeMode() || PIN_IsAttaching());
}

static VOID Fini(INT32 code, VOID *)
{
    EQUAL(code, 0);
    TRUE_(seen >= sizeof facts / sizeof facts[0]);
    EQUAL(known.size(), sizeof facts / sizeof facts[0]);
    Checked("values", 300);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    for (const Fact &f : facts)
        known[at(f.label)] = &f;
    PIN_InitLock(&lock);
    keys[0] = PIN_CreateThreadDataKey(0);
    keys[1] = PIN_CreateThreadDataKey(0);
    IMG_AddInstrumentFunction(Image, 0);
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_AddThreadStartFunction(Start, keys);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
