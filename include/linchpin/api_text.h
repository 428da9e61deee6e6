/* SPDX-License-Identifier: Apache-2.0
 * The functions of the tool ABI that C++ tools see in another form (std::string, references, overloads): their C form, which is what the engine defines. In C++ they are in
 * LP_C and pin.H wraps them. A returned text is valid until the next call of the same function on the thread; an argument is not kept. */
#ifndef LINCHPIN_API_TEXT_H
#define LINCHPIN_API_TEXT_H
#include "api.h"

#ifdef __cplusplus
namespace LP_C {
using namespace LEVEL_BASE;
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage"
#endif
extern "C" {
#endif

/* TRUE: wrong command line, the tool should print its usage and end. pin.H reads the knobs first. */
BOOL PIN_Init(INT32 argc, CHAR **argv);
/* For the headers: a mistake in the tool's options, NULL for a call for help; the nearest of several names, and an option to be ignored (1: a flag, 2: with a value). Not there in a tool that runs without the engine. */
VOID lp_option_mistake(const CHAR *text) __attribute__((weak));
const CHAR *lp_option_near(const CHAR *word, const CHAR *const *name, UINT32 n) __attribute__((weak));
UINT32 lp_option_ignored(const CHAR *word) __attribute__((weak));
/* Of the release that built the engine. */
const CHAR *PIN_Version(void);

/* texts */
const CHAR *IMG_Name(IMG img);
const CHAR *SEC_Name(SEC sec);
const CHAR *RTN_Name(RTN rtn);
const CHAR *SYM_Name(SYM sym);
const CHAR *RTN_FindNameByAddress(LP_ADDRESS address);
const CHAR *INS_Disassemble(INS ins);
const CHAR *INS_Mnemonic(INS ins);
const CHAR *REG_StringShort(REG reg);
const CHAR *OPCODE_StringShort(UINT32 opcode);
const CHAR *CATEGORY_StringShort(UINT32 category);
const CHAR *EXTENSION_StringShort(UINT32 extension);
const CHAR *PIN_UndecorateSymbolName(const CHAR *name, UNDECORATION style);
const CHAR *PIN_ExceptionToString(const EXCEPTION_INFO *info);

/* text arguments; any of the pointers may be NULL; *file: NULL when unknown, else valid as long as the image is */
IMG IMG_Open(const CHAR *path);
RTN RTN_CreateAt(LP_ADDRESS address, const CHAR *name);
VOID PIN_GetSourceLocation(LP_ADDRESS address, INT32 *column, INT32 *line, const CHAR **file);
VOID PIN_ApplicationBreakpoint(const CONTEXT *ctxt, THREADID tid, BOOL wait_if_no_debugger, const CHAR *message);
BOOL PIN_ChangePendingToolBreakpointOnStoppedThread(THREADID tid, BOOL squash, const CHAR *message);
BOOL PIN_GetStoppedThreadPendingToolBreakpoint(THREADID tid, const CHAR **message);
PIN_CALLBACK PIN_AddDebugInterpreter(LP_DEBUG_INTERPRETER_CALLBACK fun, VOID *v);
/* Takes away the registration with this function and this argument. */
VOID lp_remove_debug_interpreter(LP_DEBUG_INTERPRETER_CALLBACK fun, VOID *v);
VOID PIN_AddDebuggerRegisterEmulator(UINT count, const DEBUGGER_REG_DESCRIPTION *regs, GET_EMULATED_REGISTER_CALLBACK get, SET_EMULATED_REGISTER_CALLBACK set,
    LP_GET_TARGET_DESCRIPTION_CALLBACK description, VOID *v);

/* results by pointer where C++ has a reference */
VOID INS_GetFarPointer(INS ins, UINT16 *segment, UINT32 *displacement);
BOOL INS_IsRewritableMemOpBase(INS ins, MEMORY_TYPE type, REG *base);
BOOL PIN_WaitForThreadTermination(PIN_THREAD_UID uid, UINT32 milliseconds, INT32 *exit_code);

#ifdef __cplusplus
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif
}
#endif

/* Not in the table, or with default arguments in C++. */
LP_BEGIN
#ifdef __cplusplus
extern "C" {
#endif
VOID PIN_StartProgram(PIN_CONFIGURATION_INFO info LP_DEFAULT(0)) LP_NORETURN;
VOID PIN_ExitProcess(INT32 code) LP_NORETURN;
VOID PIN_ExitApplication(INT32 code) LP_NORETURN;
/* INVALID_THREADID: the calling thread */
BOOL PIN_SetThreadData(TLS_KEY key, const VOID *data, THREADID tid LP_DEFAULT(INVALID_THREADID));
VOID *PIN_GetThreadData(TLS_KEY key, THREADID tid LP_DEFAULT(INVALID_THREADID));
THREADID PIN_SpawnInternalThread(ROOT_THREAD_FUNC *fun, VOID *arg, size_t stack_bytes, PIN_THREAD_UID *uid);
VOID *PIN_GetBufferPointer(CONTEXT *ctxt, BUFFER_ID id);
#ifdef __cplusplus
}
#endif
LP_END
#endif
