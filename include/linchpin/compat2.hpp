/* SPDX-License-Identifier: Apache-2.0
 * Names of Pin 2 and of early Pin 3 that are gone, and the open namespace std that its pin.H had. Only with -DPIN_2_COMPAT. */
#ifndef LINCHPIN_COMPAT2_HPP
#define LINCHPIN_COMPAT2_HPP
namespace LEVEL_BASE {

inline VOID InitLock(PIN_LOCK *lock) { PIN_InitLock(lock); }
inline VOID GetLock(PIN_LOCK *lock, INT32 owner) { PIN_GetLock(lock, owner); }
inline INT32 ReleaseLock(PIN_LOCK *lock) { return PIN_ReleaseLock(lock); }
inline VOID GetVmLock() { PIN_LockClient(); }
inline VOID ReleaseVmLock() { PIN_UnlockClient(); }
inline BOOL ParseCommandLine(int argc, CHAR **argv) { return !LP_KnobParse(argc, argv); }
inline VOID PIN_StartProbedProgram() { PIN_StartProgramProbed(); }
inline BOOL RTN_IsSafeForProbe(RTN rtn) { return RTN_IsSafeForProbedInsertion(rtn); }
inline INT32 RTN_No(RTN rtn) { return static_cast<INT32>(RTN_Id(rtn)); }
inline BOOL INS_OperandReadAndWriten(INS ins, UINT32 n) { return INS_OperandReadAndWritten(ins, n); }
inline VOID SetAddress0x(BOOL wanted) { LP_Address0x() = wanted; }
inline VOID PIN_GetContextFPState(const CONTEXT *ctxt, VOID *state) { PIN_GetContextFPState(ctxt, static_cast<FPSTATE *>(state)); }
inline VOID PIN_SetContextFPState(CONTEXT *ctxt, const VOID *state) { PIN_SetContextFPState(ctxt, static_cast<const FPSTATE *>(state)); }
/* The callback had no argument of the tool's; the engine's second one goes unread. */
inline VOID PIN_AddMemoryAddressTransFunction(ADDRINT (*fun)(PIN_MEM_TRANS_INFO *info))
{
    PIN_AddMemoryAddressTransFunction(reinterpret_cast<MEMORY_ADDR_TRANS_CALLBACK>(reinterpret_cast<AFUNPTR>(fun)), 0);
}
#if __cplusplus >= 201103L
/* Without the parameter block that came later. */
template <typename... ARGS> inline VOID PIN_CallApplicationFunction(const CONTEXT *ctxt, THREADID tid, CALLINGSTD_TYPE standard, AFUNPTR fn, PARG_T result, ARGS... args)
{
    PIN_CallApplicationFunction(ctxt, tid, standard, fn, static_cast<CALL_APPLICATION_FUNCTION_PARAM *>(0), result, args...);
}
#endif

} // namespace LEVEL_BASE

#define IARG_SYSCALL_ARG0 IARG_SYSARG_VALUE, 0
#define IARG_SYSCALL_ARG1 IARG_SYSARG_VALUE, 1
#define IARG_SYSCALL_ARG2 IARG_SYSARG_VALUE, 2
#define IARG_SYSCALL_ARG3 IARG_SYSARG_VALUE, 3
#define IARG_SYSCALL_ARG4 IARG_SYSARG_VALUE, 4
#define IARG_SYSCALL_ARG5 IARG_SYSARG_VALUE, 5
#define IARG_G_RESULT0 IARG_FUNCRET_EXITPOINT_VALUE
#define IARG_G_ARG0_CALLEE IARG_FUNCARG_ENTRYPOINT_VALUE, 0
#define IARG_G_ARG1_CALLEE IARG_FUNCARG_ENTRYPOINT_VALUE, 1
#define IARG_G_ARG2_CALLEE IARG_FUNCARG_ENTRYPOINT_VALUE, 2
#define IARG_G_ARG3_CALLEE IARG_FUNCARG_ENTRYPOINT_VALUE, 3
#define IARG_G_ARG4_CALLEE IARG_FUNCARG_ENTRYPOINT_VALUE, 4
#define IARG_G_ARG5_CALLEE IARG_FUNCARG_ENTRYPOINT_VALUE, 5
#define IARG_G_ARG0_CALLER IARG_FUNCARG_CALLSITE_VALUE, 0
#define IARG_G_ARG1_CALLER IARG_FUNCARG_CALLSITE_VALUE, 1
#define IARG_G_ARG2_CALLER IARG_FUNCARG_CALLSITE_VALUE, 2
#define IARG_G_ARG3_CALLER IARG_FUNCARG_CALLSITE_VALUE, 3
#define IARG_G_ARG4_CALLER IARG_FUNCARG_CALLSITE_VALUE, 4
#define IARG_G_ARG5_CALLER IARG_FUNCARG_CALLSITE_VALUE, 5

using namespace std;

#endif
