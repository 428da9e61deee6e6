/* SPDX-License-Identifier: Apache-2.0
 * Threads, locks, signals, system calls, contexts, prototypes, exceptions, buffers, the debugger. */
#include "pin.H"

#include <cstring>
#include <iostream>

struct Data {
    UINT64 count;
    UINT8 pad[64 - sizeof(UINT64)];
};
static TLS_KEY tls_key = INVALID_TLS_KEY;
static PIN_LOCK lock;
static PIN_MUTEX mutex;
static PIN_RWMUTEX rwmutex;
static PIN_SEMAPHORE semaphore;
static BUFFER_ID buffer;
static PIN_THREAD_UID uid;
static CONTEXT saved;

static VOID ThreadStart(THREADID tid, CONTEXT *ctxt, INT32 flags, VOID *)
{
    Data *data = new Data();
    if (!PIN_SetThreadData(tls_key, data, tid) || !PIN_SetThreadData(tls_key, data))
        PIN_ERROR("no room\n");
    PIN_GetLock(&lock, static_cast<INT32>(tid) + 1);
    std::cerr << tid << " " << hexstr(PIN_GetContextReg(ctxt, REG_STACK_PTR)) << " " << flags << " " << static_cast<Data *>(PIN_GetThreadData(tls_key, tid))->count << std::endl;
    PIN_ReleaseLock(&lock);
    PIN_MutexLock(&mutex);
    PIN_MutexUnlock(&mutex);
    PIN_RWMutexReadLock(&rwmutex);
    PIN_RWMutexUnlock(&rwmutex);
    PIN_SemaphoreTimedWait(&semaphore, PIN_INFINITE_TIMEOUT);
}
static VOID ThreadFini(THREADID tid, const CONTEXT *, INT32 code, VOID *) { std::cerr << tid << code << static_cast<VOID *>(PIN_GetThreadData(tls_key)); }
static VOID Internal(VOID *) { PIN_Sleep(1); PIN_ExitThread(0); }

static VOID SyscallEntry(THREADID, CONTEXT *ctxt, SYSCALL_STANDARD std, VOID *)
{
    if (PIN_GetSyscallNumber(ctxt, std) == 1 && std == SYSCALL_STANDARD_IA32E_LINUX)
        PIN_SetSyscallArgument(ctxt, std, 0, PIN_GetSyscallArgument(ctxt, std, 0));
}
static VOID SyscallExit(THREADID, CONTEXT *ctxt, SYSCALL_STANDARD std, VOID *) { std::cerr << PIN_GetSyscallReturn(ctxt, std) << PIN_GetSyscallErrno(ctxt, std); }

static BOOL Signal(THREADID, INT32 sig, CONTEXT *ctxt, BOOL has_handler, const EXCEPTION_INFO *info, VOID *)
{
    if (info && PIN_GetExceptionCode(info) == EXCEPTCODE_ACCESS_INVALID_ADDRESS)
        std::cerr << PIN_ExceptionToString(info) << info->ToString() << sig << has_handler;
    ADDRINT at;
    if (info && PIN_GetExceptionClass(info->GetExceptCode()) == EXCEPTCLASS_ACCESS_FAULT && PIN_GetFaultyAccessAddress(info, &at))
        PIN_SetContextReg(ctxt, REG_INST_PTR, at);
    return TRUE;
}
static VOID Change(THREADID, CONTEXT_CHANGE_REASON reason, const CONTEXT *from, CONTEXT *to, INT32, VOID *)
{
    if (reason == CONTEXT_CHANGE_REASON_SIGNAL && to)
        PIN_SaveContext(from, &saved);
}
static EXCEPT_HANDLING_RESULT Fault(THREADID, EXCEPTION_INFO *info, PHYSICAL_CONTEXT *phys, VOID *)
{
    PIN_SetPhysicalContextReg(phys, REG_INST_PTR, PIN_GetExceptionAddress(info));
    return EHR_HANDLED;
}

struct Pair { int a, b; };
enum Colour { RED };
static VOID *MyMalloc(CONTEXT *ctxt, AFUNPTR original, size_t bytes)
{
    VOID *result = 0;
    CALL_APPLICATION_FUNCTION_PARAM param;
    std::memset(&param, 0, sizeof param);
    param.native = true;
    PIN_CallApplicationFunction(ctxt, PIN_ThreadId(), CALLINGSTD_DEFAULT, original, &param, PIN_PARG(void *), &result, PIN_PARG(size_t), bytes, PIN_PARG_END());
    PIN_CallApplicationFunction(ctxt, PIN_ThreadId(), CALLINGSTD_DEFAULT, original, NULL, PIN_PARG(void *), &result, PIN_PARG(size_t), bytes, PIN_PARG_END());
    return result;
}
static VOID Image(IMG img, VOID *)
{
    RTN rtn = RTN_FindByName(img, "malloc");
    PROTO proto = PROTO_Allocate(PIN_PARG(void *), CALLINGSTD_DEFAULT, "malloc", PIN_PARG(size_t), PIN_PARG_AGGREGATE(Pair), PIN_PARG_ENUM(Colour), PIN_PARG(const char *), PIN_PARG(double),
        PIN_PARG(unsigned long long), PIN_PARG_END());
    if (PIN_IsProbeMode() && RTN_IsSafeForProbedReplacementEx(rtn, PROBE_MODE_ALLOW_RELOCATION))
        RTN_ReplaceSignatureProbed(rtn, AFUNPTR(MyMalloc), IARG_PROTOTYPE, proto, IARG_CONTEXT, IARG_ORIG_FUNCPTR, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_END);
    else
        RTN_ReplaceSignature(rtn, AFUNPTR(MyMalloc), IARG_PROTOTYPE, proto, IARG_CONTEXT, IARG_ORIG_FUNCPTR, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_END);
    PROTO_Free(proto);
}

static VOID *Full(BUFFER_ID id, THREADID, const CONTEXT *, VOID *buf, UINT64 n, VOID *)
{
    std::cerr << n << buf;
    return PIN_AllocateBuffer(id);
}
static BOOL Interpret(THREADID, CONTEXT *ctxt, const std::string &command, std::string *result, VOID *)
{
    *result = "I say " + command + decstr(PIN_GetContextReg(ctxt, REG_GFLAGS));
    return TRUE;
}
static VOID Debugger()
{
    DEBUG_CONNECTION_INFO info;
    DEBUG_MODE mode;
    mode._type = DEBUG_CONNECTION_TYPE_TCP_SERVER;
    mode._options = DEBUG_MODE_OPTION_STOP_AT_ENTRY;
    PIN_SetDebugMode(&mode);
    if (PIN_GetDebugStatus() == DEBUG_STATUS_UNCONNECTED && PIN_GetDebugConnectionInfo(&info) && info._type == DEBUG_CONNECTION_TYPE_TCP_SERVER)
        std::cerr << info._tcpServer._tcpPort;
    PIN_AddDebugInterpreter(Interpret, 0);
    PIN_ApplicationBreakpoint(&saved, 0, FALSE, "stopped");
    PIN_RemoveDebugInterpreter(Interpret);
}

static VOID FloatingPoint(CONTEXT *ctxt)
{
    alignas(16) CHAR space[FPSTATE_SIZE + FPSTATE_ALIGNMENT];
    FPSTATE *fp = reinterpret_cast<FPSTATE *>((reinterpret_cast<ADDRINT>(space) + (FPSTATE_ALIGNMENT - 1)) & (-1 * FPSTATE_ALIGNMENT));
    PIN_GetContextFPState(ctxt, fp);
    fp->fxsave_legacy._mxcsr |= 0x1f80;
    fp->fxsave_legacy._xmms[3]._vec8[0] = 1;
    fp->fxsave_legacy._sts[0]._raw._lo = 1;
    fp->fxsave_legacy._xmm[16] = 2;
    fp->_xstate._header._mask |= 4;
    fp->_xstate._ymmUpper[0] = 3;
    PIN_SetContextFPState(ctxt, fp);
    UINT8 value[64];
    PIN_GetContextRegval(ctxt, REG_YMM0, value);
    static_assert(sizeof(FXSAVE) == 512, "the processor's layout");
    static_assert(sizeof(XSAVE_HEADER) == 64, "the processor's layout");
    static_assert(sizeof(FPSTATE) == 11264, "the engine's XSAVE_MAX_BYTES");
    static_assert(FPSTATE_ALIGNMENT == 64, "XSAVE wants it");
}
static BOOL Follow(CHILD_PROCESS child, VOID *)
{
    INT argc;
    const CHAR *const *argv;
    CHILD_PROCESS_GetCommandLine(child, &argc, &argv);
    return CHILD_PROCESS_GetId(child) != 0;
}
static VOID Fork(THREADID, const CONTEXT *, VOID *) {}
static VOID Fini(INT32 code, VOID *v) { std::cerr << code << v; }
static VOID Start(VOID *) {}

int main(int argc, char *argv[])
{
    if (PIN_Init(argc, argv))
        return 1;
    PIN_InitLock(&lock);
    PIN_MutexInit(&mutex);
    PIN_RWMutexInit(&rwmutex);
    PIN_SemaphoreInit(&semaphore);
    tls_key = PIN_CreateThreadDataKey(0);
    if (tls_key == INVALID_TLS_KEY)
        PIN_ExitProcess(1);
    buffer = PIN_DefineTraceBuffer(sizeof(Data), 16, Full, 0);
    if (buffer == BUFFER_ID_INVALID)
        PIN_ExitApplication(1);
    PIN_AddThreadStartFunction(ThreadStart, 0);
    PIN_AddThreadFiniFunction(ThreadFini, 0);
    PIN_AddSyscallEntryFunction(SyscallEntry, 0);
    PIN_AddSyscallExitFunction(SyscallExit, 0);
    PIN_InterceptSignal(11, Signal, 0);
    PIN_UnblockSignal(11, TRUE);
    PIN_AddContextChangeFunction(Change, 0);
    PIN_AddFollowChildProcessFunction(Follow, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_CHILD, Fork, 0);
    PIN_AddApplicationStartFunction(Start, 0);
    PIN_AddFiniFunction(Fini, 0);
    IMG_AddInstrumentFunction(Image, 0);
    PIN_TryStart(0, Fault, 0);
    PIN_SafeCopy(&saved, &lock, sizeof lock);
    PIN_TryEnd(0);
    EXCEPTION_INFO info;
    PIN_SafeCopyEx(&saved, &lock, sizeof lock, &info);
    FloatingPoint(&saved);
    Debugger();
    if (PIN_SpawnInternalThread(Internal, 0, DEFAULT_THREAD_STACK_SIZE, &uid) == INVALID_THREADID)
        return 1;
    PIN_WaitForThreadTermination(uid, PIN_INFINITE_TIMEOUT, 0);
    ADDRINT one = 1;
    ATOMIC::OPS::Increment(&one, static_cast<ADDRINT>(1));
    PIN_Detach();
    if (argc > 100)
        PIN_StartProgramProbed();
    PIN_CONFIGURATION_INFO configuration = PIN_CreateDefaultConfigurationInfo();
    PIN_StartProgram(configuration);
    return 0;
}
