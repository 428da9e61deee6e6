/* SPDX-License-Identifier: Apache-2.0
 * A table of mistakes (setting what=NAME): each ends the process with one message that names the call, the reason and, where a list of arguments was given, the line of the tool. Rule A6. */
#include "golden.h"

static VOID Nothing(...) {} // takes what it is given: the mistakes are others
#define AT(ins, ...) INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Nothing), __VA_ARGS__, IARG_END)
#define AFTER(ins, ...) INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Nothing), __VA_ARGS__, IARG_END)

#define EIGHT IARG_INST_PTR, IARG_INST_PTR, IARG_INST_PTR, IARG_INST_PTR, IARG_INST_PTR, IARG_INST_PTR, IARG_INST_PTR, IARG_INST_PTR

static INS kept;
static VOID UseKept() { INS_InsertCall(kept, IPOINT_BEFORE, AFUNPTR(Nothing), IARG_END); }
static VOID AskKept() { INS_Disassemble(kept); }
static VOID Elements(IMULTI_ELEMENT_OPERAND *o) { o->ElementAddress(99); }
static RTN Here(INS ins) { return RTN_FindByAddress(INS_Address(ins)); }

static VOID SetConst(CONTEXT *c) { PIN_SetContextReg(c, REG_RAX, 0); }
static VOID SetConstState(CONTEXT *c)
{
    static FPSTATE state;
    PIN_GetContextFPState(c, &state);
    PIN_SetContextFPState(c, &state);
}
static VOID Long() { std::puts("not inlined"); }
static ADDRINT Same(PIN_MEM_TRANS_INFO *info, VOID *) { return info->addr; }

struct mistake {
    const char *name, *where; /* a label of the guest */
    VOID (*make)(INS ins);
};

static const mistake mistakes[] = {
    {"read", "at_here", [](INS ins) { AT(ins, IARG_MEMORYREAD_EA); }},
    {"read2_ptr", "at_store", [](INS ins) { AT(ins, IARG_MEMORYREAD2_PTR); }},
    {"read2", "at_store", [](INS ins) { AT(ins, IARG_MEMORYREAD2_EA); }},
    {"write", "at_lea", [](INS ins) { AT(ins, IARG_MEMORYWRITE_EA); }},
    {"write_ptr", "at_lea", [](INS ins) { AT(ins, IARG_MEMORYWRITE_PTR); }},
    {"op", "at_store", [](INS ins) { AT(ins, IARG_MEMORYOP_EA, 3); }},
    {"op_size", "at_here", [](INS ins) { AT(ins, IARG_MEMORYOP_SIZE, 0); }},
    {"op_after", "at_store", [](INS ins) { AFTER(ins, IARG_MEMORYOP_EA, 0); }},
    {"ptr_after", "at_store", [](INS ins) { AFTER(ins, IARG_MEMORYOP_PTR, 0); }},
    {"gather_ea", "at_gather", [](INS ins) { AT(ins, IARG_MEMORYREAD_EA); }},
    {"masked", "at_here", [](INS ins) { AT(ins, IARG_MEMORYOP_MASKED_ON, 0); }},
    {"masked_after", "at_gather", [](INS ins) { AFTER(ins, IARG_MEMORYOP_MASKED_ON, 0); }},
    {"multi", "at_here", [](INS ins) { AT(ins, IARG_MULTI_MEMORYACCESS_EA); }},
    {"multi_after", "at_gather", [](INS ins) { AFTER(ins, IARG_MULTI_MEMORYACCESS_EA); }},
    {"element", "at_here", [](INS ins) { AT(ins, IARG_MULTI_ELEMENT_OPERAND, 9); }},
    {"element_number", "at_gather", [](INS ins) { INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Elements), IARG_MULTI_ELEMENT_OPERAND, 1, IARG_END); }},
    {"explicit", "at_here", [](INS ins) { AT(ins, IARG_EXPLICIT_MEMORY_EA); }},
    {"explicit_after", "at_lea", [](INS ins) { AFTER(ins, IARG_EXPLICIT_MEMORY_EA); }},
    {"target", "at_here", [](INS ins) { AT(ins, IARG_BRANCH_TARGET_ADDR); }},
    {"reserved", "at_here", [](INS ins) { AT(ins, IARG_REG_OUTPUT_FRAME_VALUE); }},
    {"memory_value", "at_here", [](INS ins) { AT(ins, IARG_MEMORY_VALUE); }},
    {"memory_value_gather", "at_gather", [](INS ins) { AT(ins, IARG_MEMORY_VALUE); }},
    {"scattered", "at_gather", [](INS ins) { AT(ins, IARG_REWRITE_SCATTERED_MEMOP); }},
    {"scattered_after", "at_gather", [](INS ins) { INS_RewriteScatteredMemoryOperand(ins, 0); AFTER(ins, IARG_REWRITE_SCATTERED_MEMOP); }},
    {"scattered_plain", "at_store", [](INS ins) { INS_RewriteScatteredMemoryOperand(ins, 0); }},
    {"scattered_none", "at_here", [](INS ins) { INS_RewriteScatteredMemoryOperand(ins, 0); }},
    {"itanium", "at_here", [](INS ins) { AT(ins, IARG_REG_NAT_VALUE); }},
    {"iarg", "at_here", [](INS ins) { AT(ins, (IARG_TYPE)5000); }},
    {"iarg0", "at_here", [](INS ins) { AT(ins, IARG_INVALID); }},
    {"end", "at_here", [](INS ins) { AT(ins, IARG_INST_PTR, 0x12345, 0); }}, /* what follows a list without its end is anything */
    {"many", "at_here", [](INS ins) { AT(ins, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT); }},
    {"list_null", "at_here", [](INS ins) { AT(ins, IARG_IARGLIST, (IARGLIST)0); }},
    {"reg_wide", "at_here", [](INS ins) { AT(ins, IARG_REG_VALUE, REG_XMM3); }},
    {"reg_none", "at_here", [](INS ins) { AT(ins, IARG_REG_VALUE, (REG)30000); }},
    {"return_wide", "at_here", [](INS ins) { AT(ins, IARG_RETURN_REGS, REG_YMM1); }},
    {"routine", "at_here", [](INS ins) { INS_InsertCall(ins, IPOINT_BEFORE, (AFUNPTR)0, IARG_END); }},
    {"point", "at_here", [](INS ins) { INS_InsertCall(ins, (IPOINT)77, AFUNPTR(Nothing), IARG_END); }},
    {"after", "at_jump", [](INS ins) { INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Nothing), IARG_END); }},
    {"taken", "at_here", [](INS ins) { INS_InsertCall(ins, IPOINT_TAKEN_BRANCH, AFUNPTR(Nothing), IARG_END); }},
    {"then", "at_here", [](INS ins) { INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Nothing), IARG_END); }},
    {"handle", "at_here", [](INS) { INS_InsertCall(INS_Invalid(), IPOINT_BEFORE, AFUNPTR(Nothing), IARG_END); }},
    {"predicated", "at_here", [](INS) { INS_InsertPredicatedCall(INS_Invalid(), IPOINT_BEFORE, AFUNPTR(Nothing), IARG_END); }},
    {"bbl", "at_here", [](INS) { BBL_NumIns(BBL()); }},
    {"bbl_insert", "at_here", [](INS) { BBL_InsertCall(BBL(), IPOINT_BEFORE, AFUNPTR(Nothing), IARG_END); }},
    {"fill_block", "at_here", [](INS) { BBL_InsertFillBuffer(BBL(), IPOINT_BEFORE, 1, IARG_INST_PTR, 0, IARG_END); }},
    {"trace_insert", "at_here", [](INS) { TRACE_InsertCall(TRACE(), IPOINT_BEFORE, AFUNPTR(Nothing), IARG_END); }},
    {"operand", "at_here", [](INS ins) { INS_OperandReg(ins, 9); }},
    {"memory_operand", "at_here", [](INS ins) { INS_MemoryOperandSize(ins, 0); }},
    {"immediate", "at_here", [](INS ins) { INS_OperandImmediate(ins, 0); }},
    {"invalid", "at_here", [](INS) { INS_Next(INS_Invalid()); }}, {"far", "at_here", [](INS ins) { UINT16 segment; UINT32 offset; INS_GetFarPointer(ins, segment, offset); }},
    {"jump_point", "at_here", [](INS ins) { INS_InsertDirectJump(ins, IPOINT_TAKEN_BRANCH, 0); }},
    {"jump_twice", "at_here", [](INS ins) { INS_InsertDirectJump(ins, IPOINT_BEFORE, 0), INS_InsertDirectJump(ins, IPOINT_BEFORE, 0); }},
    {"jump_after", "at_jump", [](INS ins) { INS_InsertDirectJump(ins, IPOINT_AFTER, 0); }},
    {"jump_register", "at_here", [](INS ins) { INS_InsertIndirectJump(ins, IPOINT_BEFORE, REG_EAX); }},
    {"delete", "at_here", [](INS) { INS_Delete(INS_Invalid()); }},
    {"rewrite_operand", "at_here", [](INS ins) { INS_RewriteMemoryOperand(ins, 0, REG_INST_G0); }},
    {"rewrite_register", "at_store", [](INS ins) { INS_RewriteMemoryOperand(ins, 0, REG_XMM0); }},
    {"rewrite_gather", "at_gather", [](INS ins) { INS_RewriteMemoryOperand(ins, 0, REG_INST_G0); }},
    {"range", "at_here", [](INS) { PIN_RemoveInstrumentationInRange(20, 10); }},
    {"list_free", "at_here", [](INS) { IARGLIST_Free(0); }},
    {"list_add", "at_here", [](INS) { IARGLIST_AddArguments(0, IARG_END); }},
    {"rtn", "at_here", [](INS) { RTN_InsertCall(RTN_Invalid(), IPOINT_BEFORE, AFUNPTR(Nothing), IARG_END); }},
    {"rtn_point", "at_here", [](INS ins) { RTN_InsertCall(Here(ins), IPOINT_TAKEN_BRANCH, AFUNPTR(Nothing), IARG_END); }},
    {"rtn_open", "at_here", [](INS ins) { RTN_Open(Here(ins)), RTN_Open(Here(ins)); }},
    {"rtn_close", "at_here", [](INS ins) { RTN_Close(Here(ins)); }},
    {"rtn_walk", "at_here", [](INS ins) { RTN_InsHead(Here(ins)); }},
    {"rtn_name", "at_here", [](INS) { RTN_Name(RTN_Invalid()); }},
    {"img", "at_here", [](INS) { IMG_Name(IMG_Invalid()); }},
    {"context", "at_here", [](INS) { PIN_GetContextReg(0, REG_RAX); }},
    {"late_insert", "at_here", [](INS ins) { kept = ins, INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(UseKept), IARG_END); }},
    {"far", "at_here", [](INS ins) { UINT16 segment; UINT32 offset; INS_GetFarPointer(ins, segment, offset); }}, /* there are no direct far transfers in 64-bit code */
    {"late_ask", "at_here", [](INS ins) { kept = ins, INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(AskKept), IARG_END); }},
    {"if_anywhere", "at_here", [](INS ins) { INS_InsertIfCall(ins, IPOINT_ANYWHERE, AFUNPTR(Nothing), IARG_END); }},
    {"then_anywhere", "at_here", [](INS ins) { INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(Nothing), IARG_END), INS_InsertThenCall(ins, IPOINT_ANYWHERE, AFUNPTR(Nothing), IARG_END); }},
    {"then_after", "at_here", [](INS ins) { INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(Nothing), IARG_END), INS_InsertThenCall(ins, IPOINT_AFTER, AFUNPTR(Nothing), IARG_END); }},
    {"pc_reference", "at_here", [](INS ins) { AT(ins, IARG_REG_REFERENCE, REG_INST_PTR); }},
    {"pc_result", "at_here", [](INS ins) { AT(ins, IARG_RETURN_REGS, REG_INST_PTR); }},
    {"set_const", "at_here", [](INS ins) { INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(SetConst), IARG_CONST_CONTEXT, IARG_END); }},
    {"set_const_state", "at_here", [](INS ins) { INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(SetConstState), IARG_CONST_CONTEXT, IARG_END); }},
    {"fill_reference", "at_here", [](INS ins) { INS_InsertFillBuffer(ins, IPOINT_BEFORE, 1, IARG_REG_REFERENCE, REG_RAX, 0, IARG_END); }},
    {"check_inline", "at_here", [](INS ins) { INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Long), IARG_CHECK_INLINE, IARG_END); }},
    {"exit_in_fini", "at_here", [](INS) { PIN_AddFiniFunction([](INT32, VOID *) { PIN_ExitApplication(0); }, 0); }},
    {"exit_in_thread_fini", "at_here", [](INS) { PIN_AddThreadFiniFunction([](THREADID, const CONTEXT *, INT32, VOID *) { PIN_ExitApplication(0); }, 0); }},
    {"translated", "at_store", [](INS ins) { PIN_AddMemoryAddressTransFunction(Same, 0), AT(ins, IARG_MEMORYOP_PTR, 0, IARG_RETURN_REGS, REG_INST_G0); }},
};

static VOID Instruction(INS ins, VOID *)
{
    const std::string what = option("what");
    for (const mistake &m : mistakes)
        if (m.name == what && is_at(ins, m.where))
            m.make(ins);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    PIN_InitSymbols();
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}
