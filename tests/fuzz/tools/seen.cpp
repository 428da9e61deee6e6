/* SPDX-License-Identifier: Apache-2.0
 * The fuzzer's tool: probes of all forms (probes.h) at the instructions of cases; for each case a line of what they saw. The guest says where cases
 * begin and end by fuzz_mark, whose replacement is the VM's business: it is no analysis call, which would end optimisations that only counters get. */
#include "arena.h"
#include "probes.h"

#include <cstddef>
#include <cstdlib>
#include <string>

static KNOB<std::string> out_name(KNOB_MODE_WRITEONCE, "pintool", "o", "", "file for the results");
static KNOB<std::string> groups(KNOB_MODE_WRITEONCE, "pintool", "groups", "cifs", "groups of probes (probes.h)");
static KNOB<UINT64> seed(KNOB_MODE_WRITEONCE, "pintool", "seed", "1", "of the plan");
static KNOB<UINT64> density(KNOB_MODE_WRITEONCE, "pintool", "density", "40", "percent of the probes that an instruction may have");

static const REG wide[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
static const REG narrow[3][16] = {
    {REG_EAX, REG_ECX, REG_EDX, REG_EBX, REG_ESP, REG_EBP, REG_ESI, REG_EDI, REG_R8D, REG_R9D, REG_R10D, REG_R11D, REG_R12D, REG_R13D, REG_R14D, REG_R15D},
    {REG_AX, REG_CX, REG_DX, REG_BX, REG_SP, REG_BP, REG_SI, REG_DI, REG_R8W, REG_R9W, REG_R10W, REG_R11W, REG_R12W, REG_R13W, REG_R14W, REG_R15W},
    {REG_AL, REG_CL, REG_DL, REG_BL, REG_SPL, REG_BPL, REG_SIL, REG_DIL, REG_R8B, REG_R9B, REG_R10B, REG_R11B, REG_R12B, REG_R13B, REG_R14B, REG_R15B},
};

static FILE *out;
static BUFFER_ID buffer;
static const seen_record *consumed; /* up to here records were taken */
static REG tool_register;
static ADDRINT register_before;
static TLS_KEY key;
static word *word_of_table(word pc) { return &seen.table0 + plan_number(pc, PROBE_TABLE, 1) % 4; }

/* --- routines that only a tool can have ------------------------------------------------------------------------------- */
static VOID Data(THREADID thread) { ++*static_cast<word *>(PIN_GetThreadData(key, thread)); }
static ADDRINT Register(ADDRINT v) { return v + 1; }

static VOID Registers(word *digest, const CONTEXT *c)
{
    word reg[18];
    for (int i = 0; i < 16; i++)
        reg[i] = PIN_GetContextReg(c, wide[i]);
    reg[16] = PIN_GetContextReg(c, REG_RFLAGS);
    reg[17] = PIN_GetContextReg(c, REG_INST_PTR);
    see_registers(digest, reg);
}
static VOID Context(const CONTEXT *c) { Registers(&seen.context, c); }
static VOID Changeable(CONTEXT *c)
{
    Registers(&seen.changeable, c);
    PIN_SetContextReg(c, REG_RAX, 0x1234); /* of a copy */
}

/* --- trace records ----------------------------------------------------------------------------------------------------- */
static VOID Consume(const seen_record *end)
{
    while (consumed < end)
        see_record(consumed++);
}

static VOID *Full(BUFFER_ID, THREADID, const CONTEXT *, VOID *start, UINT64 n, VOID *)
{
    Consume(static_cast<seen_record *>(start) + n);
    consumed = static_cast<seen_record *>(start);
    return start;
}

/* --- what is inserted -------------------------------------------------------------------------------------------------- */
#define NUMBER(probe, which) plan_number(INS_Address(ins), PROBE_##probe, which)
#define RANDOM_REG(probe) wide[NUMBER(probe, 1) % 16]

static bool HasAccesses(INS ins)
{
    if (!INS_MemoryOperandCount(ins) || INS_HasScatteredMemoryAccess(ins) || INS_Category(ins) == XED_CATEGORY_VIA_PADLOCK || INS_Category(ins) == XED_CATEGORY_AMX_TILE)
        return false;
    std::string m = INS_Mnemonic(ins);
    static const char *const odd[] = {"XSAVE", "XRSTOR", "ENTER", "RET_FAR", "CALL_FAR", "JMP_FAR", "IRET"};
    for (const char *o : odd)
        if (m.compare(0, std::string(o).size(), o) == 0)
            return false;
    return true;
}

static UINT32 How(INS ins, UINT32 i) { return INS_MemoryOperandIsRead(ins, i) + 2 * INS_MemoryOperandIsWritten(ins, i); }

static VOID Accesses(INS ins, unsigned probe)
{
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++) {
        UINT32 size = INS_MemoryOperandSize(ins, i);
        if (probe == PROBE_ACCESS)
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(see_access), IARG_MEMORYOP_EA, i, IARG_UINT32, size, IARG_UINT32, How(ins, i), IARG_END);
        else if (probe == PROBE_EXECUTED)
            INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(see_executed), IARG_MEMORYOP_EA, i, IARG_MEMORYOP_SIZE, i, IARG_INST_PTR, IARG_END);
        else if (probe == PROBE_FILL)
            INS_InsertFillBuffer(ins, IPOINT_BEFORE, buffer, IARG_MEMORYOP_EA, i, offsetof(seen_record, ea), IARG_INST_PTR, offsetof(seen_record, pc), IARG_UINT32, size, offsetof(seen_record, size),
                                 IARG_UINT32, 0, offsetof(seen_record, kind), IARG_END);
        else if (probe == PROBE_FILL_EXECUTED)
            INS_InsertFillBufferPredicated(ins, IPOINT_BEFORE, buffer, IARG_MEMORYOP_EA, i, offsetof(seen_record, ea), IARG_INST_PTR, offsetof(seen_record, pc), IARG_UINT32, size,
                                           offsetof(seen_record, size), IARG_UINT32, 0, offsetof(seen_record, kind), IARG_END);
    }
}

static bool IsNearTransfer(INS ins) { return INS_IsControlFlow(ins) && !INS_IsFarRet(ins) && !INS_IsFarCall(ins) && !INS_IsFarJump(ins) && !INS_IsIRet(ins) && INS_Mnemonic(ins) != "XBEGIN"; }
static bool HasPlainAfter(INS ins) { return (INS_IsValidForIpointAfter(ins) || INS_IsSyscall(ins)) && !INS_IsControlFlow(ins) && !INS_IsInterrupt(ins); }
static bool IsRead(INS ins) { return HasAccesses(ins) && INS_IsMemoryRead(ins) && !INS_HasMemoryRead2(ins); }

static VOID Counter(INS ins, unsigned probe)
{
    switch (probe) {
    case PROBE_COUNT: INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(see_count), IARG_END); break;
    case PROBE_TABLE: INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(see_table), IARG_PTR, word_of_table(INS_Address(ins)), IARG_UINT32, UINT32(NUMBER(TABLE, 2) % 1000), IARG_END); break;
    case PROBE_THREAD: INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(see_thread), IARG_THREAD_ID, IARG_UINT32, UINT32(NUMBER(THREAD, 1) % 5), IARG_END); break;
    case PROBE_DATA: INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Data), IARG_THREAD_ID, IARG_END); break;
    case PROBE_REGISTER: INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Register), IARG_REG_VALUE, tool_register, IARG_RETURN_REGS, tool_register, IARG_END); break;
    case PROBE_ANYWHERE: INS_InsertCall(ins, IPOINT_ANYWHERE, AFUNPTR(see_anywhere), IARG_UINT32, UINT32(INS_Size(ins)), IARG_END); break;
    case PROBE_PREDICATED: INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(see_predicated), IARG_END); break;
    case PROBE_PAST:
        if (HasPlainAfter(ins))
            INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(see_past), IARG_UINT32, UINT32(NUMBER(PAST, 1) % 9), IARG_END);
        break;
    case PROBE_TAKEN:
        if (IsNearTransfer(ins))
            INS_InsertCall(ins, IPOINT_TAKEN_BRANCH, AFUNPTR(see_taken), IARG_UINT32, UINT32(NUMBER(TAKEN, 1) % 9), IARG_END);
    }
}

static VOID Inlined(INS ins, unsigned probe)
{
    switch (probe) {
    case PROBE_VALUE: INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(see_value), IARG_INST_PTR, IARG_REG_VALUE, RANDOM_REG(VALUE), IARG_END); break;
    case PROBE_NARROW: INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(see_value), IARG_INST_PTR, IARG_REG_VALUE, narrow[NUMBER(NARROW, 2) % 3][NUMBER(NARROW, 1) % 16], IARG_END); break;
    case PROBE_FLAGS: INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(see_flags), IARG_REG_VALUE, REG_RFLAGS, IARG_UINT32, UINT32(NUMBER(FLAGS, 1)), IARG_END); break;
    case PROBE_ACCESS: case PROBE_EXECUTED: case PROBE_FILL: case PROBE_FILL_EXECUTED:
        if (HasAccesses(ins))
            Accesses(ins, probe);
        break;
    case PROBE_FOLD:
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(see_fold), IARG_REG_VALUE, RANDOM_REG(FOLD), IARG_UINT32, UINT32(NUMBER(FOLD, 2) % 64), IARG_UINT32, UINT32(NUMBER(FOLD, 3)), IARG_ADDRINT,
                       ADDRINT(NUMBER(FOLD, 4)), IARG_END);
        break;
    case PROBE_LOOP:
        if (IsRead(ins))
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(see_loop), IARG_INST_PTR, IARG_MEMORYREAD_EA, IARG_MEMORYREAD_SIZE, IARG_END);
        break;
    case PROBE_PARTIAL: INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(see_partial), IARG_REG_VALUE, RANDOM_REG(PARTIAL), IARG_UINT32, UINT32(NUMBER(PARTIAL, 2) % 4), IARG_INST_PTR, IARG_END); break;
    case PROBE_BRANCH:
        if (IsNearTransfer(ins))
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(see_branch), IARG_INST_PTR, IARG_BRANCH_TARGET_ADDR, IARG_BRANCH_TAKEN, IARG_FALLTHROUGH_ADDR, IARG_END);
        break;
    case PROBE_IF:
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(see_if), IARG_REG_VALUE, RANDOM_REG(IF), IARG_UINT32, UINT32(NUMBER(IF, 2) % 64), IARG_END);
        INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(see_then), IARG_INST_PTR, IARG_REG_VALUE, wide[NUMBER(IF, 3) % 16], IARG_END);
    }
}

static VOID State(INS ins, unsigned probe)
{
    switch (probe) {
    case PROBE_CONTEXT: INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Context), IARG_CONST_CONTEXT, IARG_END); break;
    case PROBE_CHANGEABLE: INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Changeable), IARG_CONTEXT, IARG_END); break;
    case PROBE_MANY:
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(see_many), IARG_INST_PTR, IARG_REG_VALUE, RANDOM_REG(MANY), IARG_REG_VALUE, wide[NUMBER(MANY, 2) % 16], IARG_REG_VALUE, REG_RFLAGS, IARG_ADDRINT,
                       ADDRINT(NUMBER(MANY, 3)), IARG_UINT32, UINT32(NUMBER(MANY, 4)), IARG_EXECUTING, IARG_THREAD_ID, IARG_REG_VALUE, wide[NUMBER(MANY, 5) % 16], IARG_UINT32, UINT32(INS_Size(ins)),
                       IARG_END);
        break;
    case PROBE_REFERENCE: INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(see_reference), IARG_REG_REFERENCE, RANDOM_REG(REFERENCE), IARG_INST_PTR, IARG_END); break;
    case PROBE_VECTOR:
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(see_vector), IARG_REG_CONST_REFERENCE, REG(REG_XMM0 + NUMBER(VECTOR, 1) % 16), IARG_UINT32, UINT32(NUMBER(VECTOR, 1) % 16), IARG_END);
        break;
    case PROBE_REPEAT:
        if (INS_HasRealRep(ins))
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(see_repeat), IARG_INST_PTR, IARG_FIRST_REP_ITERATION, IARG_EXECUTING, IARG_REG_VALUE, REG_RCX, IARG_END);
        break;
    case PROBE_AFTER:
        if (HasPlainAfter(ins))
            INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(see_after), IARG_INST_PTR, IARG_REG_VALUE, RANDOM_REG(AFTER), IARG_REG_VALUE, REG_RFLAGS, IARG_END);
        break;
    case PROBE_ARRIVED:
        if (IsNearTransfer(ins))
            INS_InsertCall(ins, IPOINT_TAKEN_BRANCH, AFUNPTR(see_arrived), IARG_INST_PTR, IARG_BRANCH_TARGET_ADDR, IARG_END);
        break;
    case PROBE_READ:
        if (IsRead(ins))
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(see_read), IARG_MEMORYREAD_EA, IARG_MEMORYREAD_SIZE, IARG_INST_PTR, IARG_END);
        break;
    case PROBE_WRITE:
        if (HasAccesses(ins) && INS_IsMemoryWrite(ins))
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(see_write), IARG_MEMORYWRITE_EA, IARG_MEMORYWRITE_SIZE, IARG_INST_PTR, IARG_END);
    }
}

static VOID Fill(INS ins, unsigned probe)
{
    if (probe == PROBE_FILL_VALUE)
        INS_InsertFillBuffer(ins, IPOINT_BEFORE, buffer, IARG_REG_VALUE, RANDOM_REG(FILL_VALUE), offsetof(seen_record, value), IARG_INST_PTR, offsetof(seen_record, pc), IARG_ADDRINT,
                             ADDRINT(NUMBER(FILL_VALUE, 2)), offsetof(seen_record, ea), IARG_UINT32, UINT32(INS_Size(ins)), offsetof(seen_record, size), IARG_UINT32, 1, offsetof(seen_record, kind), IARG_END);
    else if (probe == PROBE_FILL_THEN) {
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(see_if), IARG_REG_VALUE, RANDOM_REG(FILL_THEN), IARG_UINT32, UINT32(NUMBER(FILL_THEN, 2) % 64), IARG_END);
        INS_InsertFillBufferThen(ins, IPOINT_BEFORE, buffer, IARG_REG_VALUE, wide[NUMBER(FILL_THEN, 3) % 16], offsetof(seen_record, value), IARG_INST_PTR, offsetof(seen_record, pc), IARG_ADDRINT, ADDRINT(0),
                                 offsetof(seen_record, ea), IARG_UINT32, 0, offsetof(seen_record, size), IARG_UINT32, 2, offsetof(seen_record, kind), IARG_END);
    }
}

static VOID Instruction(INS ins, VOID *)
{
    if (INS_Category(ins) == XED_CATEGORY_INVALID)
        return;
    for (unsigned probe = 0; probe < PROBE_COUNT_; probe++) {
        if (!plan_has(INS_Address(ins), probe))
            continue;
        Counter(ins, probe);
        Inlined(ins, probe);
        State(ins, probe);
        Fill(ins, probe);
    }
}

/* --- cases --------------------------------------------------------------------------------------------------------------- */
static VOID Mark(CONTEXT *c, word number, word code)
{
    word *data = static_cast<word *>(PIN_GetThreadData(key, PIN_ThreadId()));
    Consume(static_cast<seen_record *>(PIN_GetBufferPointer(c, buffer)));
    if (code) {
        seen_begin();
        *data = 0;
        register_before = PIN_GetContextReg(c, tool_register);
        return;
    }
    seen.data = *data;
    seen.reg = PIN_GetContextReg(c, tool_register) - register_before;
    seen_end(out, number);
    std::fflush(out);
}

static VOID Image(IMG img, VOID *)
{
    RTN rtn = RTN_FindByName(img, "fuzz_mark");
    if (!RTN_Valid(rtn))
        return;
    PROTO p = PROTO_Allocate(PIN_PARG(void), CALLINGSTD_DEFAULT, "fuzz_mark", PIN_PARG(word), PIN_PARG(word), PIN_PARG_END());
    RTN_ReplaceSignature(rtn, AFUNPTR(Mark), IARG_PROTOTYPE, p, IARG_CONTEXT, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_FUNCARG_ENTRYPOINT_VALUE, 1, IARG_END);
}

static VOID Start(THREADID thread, CONTEXT *c, INT32, VOID *)
{
    PIN_SetThreadData(key, new word(0), thread);
    consumed = static_cast<seen_record *>(PIN_GetBufferPointer(c, buffer));
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    if (PIN_Init(argc, argv) || !(out = std::fopen(out_name.Value().c_str(), "w")))
        return 1;
    plan_seed = seed;
    plan_density = density;
    std::snprintf(plan_groups, sizeof plan_groups, "%s", groups.Value().c_str());
    buffer = PIN_DefineTraceBuffer(sizeof(seen_record), 1, Full, 0);
    key = PIN_CreateThreadDataKey(0);
    tool_register = PIN_ClaimToolRegister();
    IMG_AddInstrumentFunction(Image, 0);
    PIN_AddThreadStartFunction(Start, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}
