/* SPDX-License-Identifier: Apache-2.0
 * Objects and insertion: what tracers and profilers use. */
#include "pin.H"

#include <cstdio>
#include <list>
#include <map>
#include <string>

static FILE *trace_file;
static std::map<RTN, UINT64> by_routine;
static const char *kept_name;

static VOID PIN_FAST_ANALYSIS_CALL Ip(VOID *ip) { std::fprintf(trace_file, "%p\n", ip); }
static VOID Access(ADDRINT ip, ADDRINT ea, UINT32 bytes, BOOL write) { std::fprintf(trace_file, "%lx %lx %u %d\n", ip, ea, bytes, write); }
static ADDRINT Hot(UINT64 *counter) { return ++*counter > 1000; }
static VOID Rare(THREADID tid, const CONTEXT *ctxt) { std::fprintf(trace_file, "%u %lx\n", tid, PIN_GetContextReg(ctxt, REG_INST_PTR)); }
static VOID Partial(CONTEXT *ctxt) { PIN_SetContextReg(ctxt, REG_GAX, PIN_GetContextReg(ctxt, REG_GAX) + 1); }
static ADDRINT Scratch(ADDRINT v) { return v; }
static VOID Branch(BOOL taken, ADDRINT target) { if (taken) std::fprintf(trace_file, "%lx\n", target); }
static VOID Vector(PIN_REGISTER *reg, const UINT8 *bytes) { reg->qword[0] += bytes[0]; }
static VOID Multi(PIN_MULTI_MEM_ACCESS_INFO *info)
{
    for (UINT32 i = 0; i < info->numberOfMemops; i++)
        if (info->memop[i].maskOn && info->memop[i].memopType == PIN_MEMOP_LOAD)
            std::fprintf(trace_file, "%lx %u\n", info->memop[i].memoryAddress, info->memop[i].bytesAccessed);
}
static VOID Elements(IMULTI_ELEMENT_OPERAND *op)
{
    for (UINT32 i = 0; i < op->NumOfElements(); i++)
        if (op->ElementMaskValue(i) && op->ElementAccessType(i) == PIN_OP_ELEMENT_ACCESS_READ)
            std::fprintf(trace_file, "%lx\n", op->IsMemory() ? op->ElementAddress(i) : op->ElementOffset(i));
}
static VOID Rewrite(ISCATTERED_MEMORY_REWRITE *op) { op->SetElementAddress(0, op->ElementAddress(0)); }

static VOID Instruction(INS ins, VOID *)
{
    static UINT64 counter;
    static REGSET in, out;
    REGSET_Clear(in);
    REGSET_Insert(in, REG_GAX);
    out = in;
    if (INS_HasRealRep(ins) || INS_IsStandardMemop(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, (AFUNPTR)Ip, IARG_FAST_ANALYSIS_CALL, IARG_INST_PTR, IARG_END);
    for (UINT32 op = 0; op < INS_MemoryOperandCount(ins); op++) {
        if (INS_MemoryOperandIsRead(ins, op))
            INS_InsertPredicatedCall(ins, IPOINT_BEFORE, (AFUNPTR)Access, IARG_INST_PTR, IARG_MEMORYOP_EA, op, IARG_UINT32, INS_MemoryOperandSize(ins, op), IARG_BOOL, FALSE, IARG_END);
        if (INS_MemoryOperandIsWritten(ins, op))
            INS_InsertPredicatedCall(ins, IPOINT_BEFORE, (AFUNPTR)Access, IARG_INST_PTR, IARG_MEMORYOP_EA, op, IARG_MEMORYWRITE_SIZE, IARG_BOOL, TRUE, IARG_END);
    }
    INS_InsertIfCall(ins, IPOINT_BEFORE, (AFUNPTR)Hot, IARG_PTR, &counter, IARG_CALL_ORDER, CALL_ORDER_FIRST + 3, IARG_END);
    INS_InsertThenCall(ins, IPOINT_BEFORE, (AFUNPTR)Rare, IARG_THREAD_ID, IARG_CONST_CONTEXT, IARG_END);
    if (INS_IsControlFlow(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Branch), IARG_BRANCH_TAKEN, IARG_BRANCH_TARGET_ADDR, IARG_END);
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Partial), IARG_PARTIAL_CONTEXT, &in, &out, IARG_END);
    REG scratch = PIN_ClaimToolRegister();
    if (REG_valid(scratch))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Scratch), IARG_REG_VALUE, REG_STACK_PTR, IARG_RETURN_REGS, scratch, IARG_END);
    for (UINT32 i = 0; i < INS_OperandCount(ins); i++) {
        if (INS_OperandIsReg(ins, i) && REG_is_xmm(INS_OperandReg(ins, i)))
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Vector), IARG_REG_REFERENCE, INS_OperandReg(ins, i), IARG_REG_CONST_REFERENCE, REG_XMM0, IARG_END);
        if (INS_OperandHasElements(ins, i))
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Elements), IARG_MULTI_ELEMENT_OPERAND, i, IARG_END);
    }
    if (INS_IsVgather(ins)) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Multi), IARG_MULTI_MEMORYACCESS_EA, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Rewrite), IARG_REWRITE_SCATTERED_MEMOP, IARG_END);
    }
    if (INS_IsDirectControlFlow(ins))
        std::fprintf(trace_file, "%s %s\n", StringFromAddrint(INS_DirectControlFlowTargetAddress(ins)).c_str(), RTN_FindNameByAddress(INS_Address(ins)).c_str());
    INS next = INS_Next(ins), none;
    if (next == none || !next.is_valid() || INS_Next(ins) == INS_Invalid() || INS_Category(ins) != 0)
        std::fprintf(trace_file, "%s %s %s\n", INS_Disassemble(ins).c_str(), INS_Mnemonic(ins).c_str(), OPCODE_StringShort(INS_Opcode(ins)).c_str());
    UINT16 segment;
    UINT32 displacement;
    if (INS_IsDirectFarJump(ins))
        INS_GetFarPointer(ins, segment, displacement);
}

static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        BBL_InsertCall(bbl, IPOINT_ANYWHERE, AFUNPTR(Ip), IARG_PTR, reinterpret_cast<VOID *>(BBL_Address(bbl)), IARG_END);
        for (INS ins = BBL_InsHead(bbl); INS_Valid(ins); ins = INS_Next(ins))
            Instruction(ins, 0);
    }
    IARGLIST args = IARGLIST_Alloc();
    IARGLIST_AddArguments(args, IARG_INST_PTR, IARG_END);
    TRACE_InsertCall(trace, IPOINT_BEFORE, AFUNPTR(Ip), IARG_IARGLIST, args, IARG_END);
    IARGLIST_Free(args);
    if (RTN_Valid(TRACE_Rtn(trace)))
        by_routine[TRACE_Rtn(trace)] += TRACE_NumIns(trace);
}

static VOID Image(IMG img, VOID *)
{
    const std::string &name = IMG_Name(img);
    kept_name = IMG_Name(img).c_str(); /* stays good */
    for (SEC sec = IMG_SecHead(img); SEC_Valid(sec); sec = SEC_Next(sec))
        for (RTN rtn = SEC_RtnHead(sec); RTN_Valid(rtn); rtn = RTN_Next(rtn)) {
            RTN_Open(rtn);
            std::string undecorated = PIN_UndecorateSymbolName(RTN_Name(rtn), UNDECORATION_NAME_ONLY);
            if (undecorated == "malloc" && SEC_Name(sec) == ".text" && IMG_Type(img) == IMG_TYPE_SHAREDLIB)
                RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(Ip), IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_END);
            RTN_Close(rtn);
        }
    for (SYM sym = IMG_RegsymHead(img); SYM_Valid(sym); sym = SYM_Next(sym))
        std::fprintf(trace_file, "%s %s %lx\n", name.c_str(), SYM_Name(sym).c_str(), SYM_Value(sym));
    INT32 column, line;
    std::string file;
    PIN_GetSourceLocation(IMG_EntryAddress(img), &column, &line, &file);
    if (IMG_IsMainExecutable(img) && !RTN_Valid(RTN_FindByName(img, "main")))
        RTN_CreateAt(IMG_EntryAddress(img), "start");
}

int main(int argc, char *argv[])
{
    PIN_InitSymbols();
    if (PIN_InitSymbolsAlt(DEBUG_OR_EXPORT_SYMBOLS) || PIN_Init(argc, argv))
        return 1;
    trace_file = std::fopen("trace.out", "w");
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_CALLBACK c = TRACE_AddInstrumentFunction(Trace, 0);
    CALLBACK_SetExecutionOrder(c, CALL_ORDER_FIRST + 1);
    IMG_AddInstrumentFunction(Image, 0);
    PIN_StartProgram();
    return 0;
}
