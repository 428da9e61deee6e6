/* SPDX-License-Identifier: Apache-2.0
 * The functions of the API that have std::string, references or callbacks with strings: C++ forms over the C ones (LP_C, api_text.h). Header only. */
#ifndef LINCHPIN_TEXT_HPP
#define LINCHPIN_TEXT_HPP
#include "knob.hpp"
#include "messages.hpp"
#include "objects.hpp"

#include <pthread.h>

#include <set>

namespace LEVEL_BASE {

/* Reads the tool's part of the command line into its knobs, too. TRUE: wrong options, or -help. */
inline BOOL PIN_Init(INT32 argc, CHAR **argv)
{
    BOOL right = LP_KnobParse(argc, argv);
    return LP_C::PIN_Init(argc, argv) || !right;
}

/* Names that tools keep references to and c_str() of: one copy of each for ever. Any thread. */
LP_LOCAL inline const std::string &LP_Name(const CHAR *text)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static std::set<std::string> *names = new std::set<std::string>; /* never destroyed: fini functions may still ask */
    std::string s = text ? text : "";
    pthread_mutex_lock(&lock);
    const std::string &name = *names->insert(s).first;
    pthread_mutex_unlock(&lock);
    return name;
}
inline const std::string &IMG_Name(IMG img) { return LP_Name(LP_C::IMG_Name(img)); }
inline const std::string &SEC_Name(SEC sec) { return LP_Name(LP_C::SEC_Name(sec)); }
inline const std::string &RTN_Name(RTN rtn) { return LP_Name(LP_C::RTN_Name(rtn)); }
inline const std::string &SYM_Name(SYM sym) { return LP_Name(LP_C::SYM_Name(sym)); }
inline const std::string &PIN_Version() { return LP_Name(LP_C::PIN_Version()); }

inline std::string LP_Text(const CHAR *text) { return text ? text : ""; }
inline std::string RTN_FindNameByAddress(ADDRINT address) { return LP_Text(LP_C::RTN_FindNameByAddress(address)); }
inline std::string INS_Disassemble(INS ins) { return LP_Text(LP_C::INS_Disassemble(ins)); }
inline std::string INS_Mnemonic(INS ins) { return LP_Text(LP_C::INS_Mnemonic(ins)); }
inline std::string REG_StringShort(REG reg) { return LP_Text(LP_C::REG_StringShort(reg)); }
inline std::string OPCODE_StringShort(UINT32 opcode) { return LP_Text(LP_C::OPCODE_StringShort(opcode)); }
inline std::string CATEGORY_StringShort(UINT32 category) { return LP_Text(LP_C::CATEGORY_StringShort(category)); }
inline std::string EXTENSION_StringShort(UINT32 extension) { return LP_Text(LP_C::EXTENSION_StringShort(extension)); }
inline std::string PIN_UndecorateSymbolName(const std::string &name, UNDECORATION style) { return LP_Text(LP_C::PIN_UndecorateSymbolName(name.c_str(), style)); }
inline std::string PIN_ExceptionToString(const EXCEPTION_INFO *info) { return LP_Text(LP_C::PIN_ExceptionToString(info)); }

inline IMG IMG_Open(const std::string &path) { return LP_C::IMG_Open(path.c_str()); }
inline RTN RTN_CreateAt(ADDRINT address, const std::string &name) { return LP_C::RTN_CreateAt(address, name.c_str()); }
inline VOID PIN_GetSourceLocation(ADDRINT address, INT32 *column, INT32 *line, std::string *file)
{
    const CHAR *name = 0;
    LP_C::PIN_GetSourceLocation(address, column, line, file ? &name : 0);
    if (file)
        *file = LP_Text(name);
}
inline VOID PIN_ApplicationBreakpoint(const CONTEXT *ctxt, THREADID tid, BOOL wait_if_no_debugger, const std::string &message)
{
    LP_C::PIN_ApplicationBreakpoint(ctxt, tid, wait_if_no_debugger, message.c_str());
}
inline BOOL PIN_ChangePendingToolBreakpointOnStoppedThread(THREADID tid, BOOL squash, const std::string &message)
{
    return LP_C::PIN_ChangePendingToolBreakpointOnStoppedThread(tid, squash, message.c_str());
}
inline BOOL PIN_GetStoppedThreadPendingToolBreakpoint(THREADID tid, std::string *message)
{
    const CHAR *text = 0;
    BOOL is = LP_C::PIN_GetStoppedThreadPendingToolBreakpoint(tid, &text);
    if (is && message)
        *message = LP_Text(text);
    return is;
}

inline VOID INS_GetFarPointer(INS ins, UINT16 &segment, UINT32 &displacement) { LP_C::INS_GetFarPointer(ins, &segment, &displacement); }
inline BOOL INS_IsRewritableMemOpBase(INS ins, MEMORY_TYPE type, REG &base) { return LP_C::INS_IsRewritableMemOpBase(ins, type, &base); }
inline BOOL PIN_WaitForThreadTermination(const PIN_THREAD_UID &uid, UINT32 milliseconds, INT32 *exit_code)
{
    return LP_C::PIN_WaitForThreadTermination(uid, milliseconds, exit_code);
}

/* --- the debugger's callbacks: a record keeps the C++ function, the engine gets an adapter and the record ---------------------------------------- */
typedef BOOL (*DEBUG_INTERPRETER_CALLBACK)(THREADID tid, CONTEXT *ctxt, const std::string &command, std::string *result, VOID *v);
typedef USIZE (*GET_TARGET_DESCRIPTION_CALLBACK)(const std::string &name, USIZE size, VOID *buffer, VOID *v);

struct LP_Interpreter {
    DEBUG_INTERPRETER_CALLBACK fun;
    VOID *v;
    std::string result;
    LP_Interpreter *next;
};
LP_LOCAL inline LP_Interpreter *&LP_Interpreters()
{
    static LP_Interpreter *head;
    return head;
}
inline BOOL LP_Interpret(THREADID tid, CONTEXT *ctxt, const CHAR *command, const CHAR **result, VOID *v)
{
    LP_Interpreter *i = static_cast<LP_Interpreter *>(v);
    i->result.clear();
    BOOL done = i->fun(tid, ctxt, command, &i->result, i->v);
    *result = i->result.c_str();
    return done;
}
inline PIN_CALLBACK PIN_AddDebugInterpreter(DEBUG_INTERPRETER_CALLBACK fun, VOID *v)
{
    LP_Interpreter *i = new LP_Interpreter;
    i->fun = fun;
    i->v = v;
    i->next = LP_Interpreters();
    LP_Interpreters() = i;
    return LP_C::PIN_AddDebugInterpreter(LP_Interpret, i);
}
inline VOID PIN_RemoveDebugInterpreter(DEBUG_INTERPRETER_CALLBACK fun)
{
    for (LP_Interpreter **at = &LP_Interpreters(); *at; at = &(*at)->next)
        if ((*at)->fun == fun) {
            LP_C::lp_remove_debug_interpreter(LP_Interpret, *at);
            *at = (*at)->next; /* the record stays: a call may be on its way */
            return;
        }
}

struct LP_Emulator {
    GET_EMULATED_REGISTER_CALLBACK get;
    SET_EMULATED_REGISTER_CALLBACK set;
    GET_TARGET_DESCRIPTION_CALLBACK describe;
    VOID *v;
};
inline VOID LP_EmulatorGet(UINT reg, THREADID tid, CONTEXT *ctxt, VOID *data, VOID *v)
{
    LP_Emulator *e = static_cast<LP_Emulator *>(v);
    e->get(reg, tid, ctxt, data, e->v);
}
inline VOID LP_EmulatorSet(UINT reg, THREADID tid, CONTEXT *ctxt, const VOID *data, VOID *v)
{
    LP_Emulator *e = static_cast<LP_Emulator *>(v);
    e->set(reg, tid, ctxt, data, e->v);
}
inline USIZE LP_EmulatorDescribe(const CHAR *name, USIZE size, VOID *buffer, VOID *v)
{
    LP_Emulator *e = static_cast<LP_Emulator *>(v);
    return e->describe(name, size, buffer, e->v);
}
inline VOID PIN_AddDebuggerRegisterEmulator(UINT count, const DEBUGGER_REG_DESCRIPTION *regs, GET_EMULATED_REGISTER_CALLBACK get, SET_EMULATED_REGISTER_CALLBACK set,
    GET_TARGET_DESCRIPTION_CALLBACK describe, VOID *v)
{
    LP_Emulator *e = new LP_Emulator;
    e->get = get;
    e->set = set;
    e->describe = describe;
    e->v = v;
    LP_C::PIN_AddDebuggerRegisterEmulator(count, regs, get ? LP_EmulatorGet : 0, set ? LP_EmulatorSet : 0, describe ? LP_EmulatorDescribe : 0, e);
}

} // namespace LEVEL_BASE
#endif
