/* SPDX-License-Identifier: Apache-2.0
 * Function types of the tool ABI. Where a C++ tool's callback has strings, its C form here has const char * and pin.H adapts one to the other. */
#ifndef LINCHPIN_CALLBACKS_H
#define LINCHPIN_CALLBACKS_H
#include "structs.h"
#ifdef __cplusplus
namespace LEVEL_BASE {
#include "iarg.h"
#include "reg.h"
}
#else
#include "iarg.h"
#include "reg.h"
#endif

LP_BEGIN

typedef enum IARG_TYPE_NUMBERS IARG_TYPE;
typedef enum IPOINT_NUMBERS IPOINT;
typedef INT32 CALL_ORDER; /* CALL_ORDER_FIRST + n is one, too */

#ifdef OMIT_SOURCE_LOCATION
#define IARG_END IARG_LAST
#else
#define IARG_END IARG_FILE_NAME, __FILE__, IARG_LINE_NO, __LINE__, IARG_LAST
#endif
#define PIN_FAST_ANALYSIS_CALL /* x86-64 has one calling convention */

#ifdef __cplusplus
class EXCEPTION_INFO;
static const REG REG_FirstInRegset = REG_FIRST;
static const REG REG_LastInRegset = static_cast<REG>(REG_LAST - 1);
#endif

/* registers that a debugger asks for */
typedef struct DEBUGGER_REG_DESCRIPTION {
    REG _pinReg;         /* REG_NONE: the tool's */
    UINT32 _toolRegId;   /* the tool's number for it */
    UINT32 _widthInBits; /* as the debugger sees it */
} DEBUGGER_REG_DESCRIPTION;

/* instrumentation */
typedef VOID (*INS_INSTRUMENT_CALLBACK)(INS ins, VOID *v);
typedef VOID (*TRACE_INSTRUMENT_CALLBACK)(TRACE trace, VOID *v);
typedef VOID (*RTN_INSTRUMENT_CALLBACK)(RTN rtn, VOID *v);
typedef VOID (*IMAGECALLBACK)(IMG img, VOID *v);
typedef VOID (*PROBES_INSERTED_CALLBACK)(IMG img, VOID *v);
typedef VOID (*SMC_CALLBACK)(ADDRINT start, ADDRINT end, VOID *v);

/* the process and its threads */
typedef VOID (*APPLICATION_START_CALLBACK)(VOID *v);
typedef VOID (*FINI_CALLBACK)(INT32 code, VOID *v);
typedef VOID (*PREPARE_FOR_FINI_CALLBACK)(VOID *v);
typedef VOID (*THREAD_START_CALLBACK)(THREADID tid, CONTEXT *ctxt, INT32 flags, VOID *v);
typedef VOID (*THREAD_FINI_CALLBACK)(THREADID tid, const CONTEXT *ctxt, INT32 code, VOID *v);
typedef VOID (*THREAD_BEGIN_CALLBACK)(THREADID tid, VOID *sp, INT flags, VOID *v);
typedef VOID (*THREAD_END_CALLBACK)(THREADID tid, INT32 code, VOID *v);
typedef VOID (*ATTACH_CALLBACK)(VOID *v);
typedef VOID (*ATTACH_PROBED_CALLBACK)(VOID *v);
typedef VOID (*DETACH_CALLBACK)(VOID *v);
typedef VOID (*DETACH_PROBED_CALLBACK)(VOID *v);
typedef VOID (*THREAD_ATTACH_CALLBACK)(THREADID tid, CONTEXT *ctxt, VOID *v);
typedef VOID (*THREAD_DETACH_CALLBACK)(THREADID tid, const CONTEXT *ctxt, VOID *v);
typedef VOID (*THREAD_ATTACH_PROBED_CALLBACK)(VOID *sigmask, VOID *v);
typedef VOID (*THREAD_DETACH_PROBED_CALLBACK)(VOID *v);
typedef VOID (*REMOVE_INSTRUMENTATION_CALLBACK)(VOID *v);
typedef VOID (*FORK_CALLBACK)(THREADID tid, const CONTEXT *ctxt, VOID *v);
typedef VOID (*FORK_PROBE_MODE_CALLBACK)(UINT32 child_pid, VOID *v);
typedef BOOL (*FOLLOW_CHILD_PROCESS_CALLBACK)(CHILD_PROCESS child, VOID *v);
typedef VOID ROOT_THREAD_FUNC(VOID *arg);
typedef VOID (*DESTRUCTFUN)(VOID *data);

/* system calls, signals, exceptions, contexts, memory */
typedef VOID (*SYSCALL_ENTRY_CALLBACK)(THREADID tid, CONTEXT *ctxt, SYSCALL_STANDARD std, VOID *v);
typedef VOID (*SYSCALL_EXIT_CALLBACK)(THREADID tid, CONTEXT *ctxt, SYSCALL_STANDARD std, VOID *v);
typedef VOID (*CONTEXT_CHANGE_CALLBACK)(THREADID tid, CONTEXT_CHANGE_REASON reason, const CONTEXT *from, CONTEXT *to, INT32 info, VOID *v);
typedef BOOL (*INTERCEPT_SIGNAL_CALLBACK)(THREADID tid, INT32 sig, CONTEXT *ctxt, BOOL has_handler, const EXCEPTION_INFO *info, VOID *v);
typedef BOOL (*SIGNAL_INTERCEPT_CALLBACK)(THREADID tid, INT32 sig, CONTEXT *ctxt, BOOL has_handler, VOID *v);
typedef VOID (*SIGNAL_BEFORE_CALLBACK)(THREADID tid, INT32 sig, const CONTEXT *before, const CONTEXT *after, VOID *v);
typedef VOID (*SIGNAL_AFTER_CALLBACK)(THREADID tid, const CONTEXT *before, const CONTEXT *after, VOID *v);
typedef EXCEPT_HANDLING_RESULT (*INTERNAL_EXCEPTION_CALLBACK)(THREADID tid, EXCEPTION_INFO *info, PHYSICAL_CONTEXT *phys, VOID *v);
typedef size_t (*FETCH_CALLBACK)(VOID *to, ADDRINT address, size_t bytes, EXCEPTION_INFO *info, VOID *v);
typedef VOID (*OUT_OF_MEMORY_CALLBACK)(size_t bytes, VOID *v);
typedef ADDRINT (*MEMORY_ADDR_TRANS_CALLBACK)(PIN_MEM_TRANS_INFO *info, VOID *v);
typedef VOID *(*TRACE_BUFFER_CALLBACK)(BUFFER_ID id, THREADID tid, const CONTEXT *ctxt, VOID *buffer, UINT64 elements, VOID *v);

/* the code cache */
typedef VOID (*CODECACHE_NOARG_CALLBACK)(void);
typedef VOID (*CODECACHE_CACHEBLOCK_CALLBACK)(USIZE size);
typedef VOID (*CODECACHE_ENTEREXIT_CALLBACK)(LP_ADDRESS cache_pc);
typedef VOID (*CODECACHE_FULL_CALLBACK)(USIZE trace_size, USIZE stub_size);
typedef VOID (*CODECACHE_LINKED_CALLBACK)(LP_ADDRESS branch_pc, LP_ADDRESS target_pc);
typedef VOID (*CODECACHE_UNLINKED_CALLBACK)(LP_ADDRESS branch_pc, LP_ADDRESS stub_pc);
typedef VOID (*CODECACHE_TRACEINVALIDATED_CALLBACK)(ADDRINT orig_pc, LP_ADDRESS cache_pc, BOOL success);
typedef VOID (*TRACEGENCODE_CALLBACK)(TRACE trace, VOID *v);

/* the debugger */
typedef BOOL (*DEBUG_BREAKPOINT_CALLBACK)(ADDRINT address, UINT size, BOOL insert, VOID *v);
typedef BOOL (*INTERCEPT_DEBUGGING_EVENT_CALLBACK)(THREADID tid, DEBUGGING_EVENT event, CONTEXT *ctxt, VOID *v);
typedef VOID (*GET_EMULATED_REGISTER_CALLBACK)(UINT reg, THREADID tid, CONTEXT *ctxt, VOID *data, VOID *v);
typedef VOID (*SET_EMULATED_REGISTER_CALLBACK)(UINT reg, THREADID tid, CONTEXT *ctxt, const VOID *data, VOID *v);
/* *result: text for the debugger, read before the next call on the thread. */
typedef BOOL (*LP_DEBUG_INTERPRETER_CALLBACK)(THREADID tid, CONTEXT *ctxt, const CHAR *command, const CHAR **result, VOID *v);
typedef USIZE (*LP_GET_TARGET_DESCRIPTION_CALLBACK)(const CHAR *name, USIZE size, VOID *buffer, VOID *v);
#ifndef __cplusplus
typedef LP_DEBUG_INTERPRETER_CALLBACK DEBUG_INTERPRETER_CALLBACK;
typedef LP_GET_TARGET_DESCRIPTION_CALLBACK GET_TARGET_DESCRIPTION_CALLBACK;
#endif

LP_END
#endif
