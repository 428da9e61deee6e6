/* SPDX-License-Identifier: Apache-2.0
 * Signals as the callbacks see them. Settings: intercept=SIG, squash=SIG and intercept2, squash2; unblock=SIG; fix=yes: a faulting access gets a good address; raise=yes: an exception at at_divide;
 * redirect=yes: another handler; old=yes: the functions of 2.x. Rules A13, A14. */
#include "golden.h"

#include <vector>

static std::vector<ADDRINT> left;

/* The function, by the part of its name that is the same in every libc. */
static std::string where(const CONTEXT *ctxt)
{
    std::string name = RTN_FindNameByAddress(PIN_GetContextReg(ctxt, REG_INST_PTR));
    if (name.find("pthread_kill") != std::string::npos || name.find("raise") != std::string::npos)
        return "raise";
    return name.find("sigmask") != std::string::npos || name.find("sigprocmask") != std::string::npos ? "sigprocmask" : name;
}

static VOID Change(THREADID, CONTEXT_CHANGE_REASON why, const CONTEXT *from, CONTEXT *to, INT32 info, VOID *)
{
    switch (why) {
    case CONTEXT_CHANGE_REASON_SIGNAL:
        std::printf("signal %d from %s to %s\n", info, where(from).c_str(), where(to).c_str());
        left.push_back(PIN_GetContextReg(from, REG_INST_PTR));
        left.push_back(PIN_GetContextReg(from, REG_STACK_PTR));
        if (PIN_GetContextReg(to, REG_RDI) != (ADDRINT)info)
            std::printf("wrong argument of the handler\n");
        if (info == 10 && option("redirect"))
            PIN_SetContextReg(to, REG_INST_PTR, at("at_other"));
        break;
    case CONTEXT_CHANGE_REASON_SIGRETURN:
        std::printf("sigreturn to %s, %d\n",
                    left.size() >= 2 && left[left.size() - 2] == PIN_GetContextReg(to, REG_INST_PTR) && left.back() == PIN_GetContextReg(to, REG_STACK_PTR) ? "where it was" : "elsewhere", info);
        left.clear();
        break;
    case CONTEXT_CHANGE_REASON_FATALSIGNAL:
        std::printf("fatal %d from %s%s\n", info, where(from).c_str(), to ? " to somewhere" : "");
        break;
    default:
        std::printf("reason %d\n", why);
    }
    std::fflush(stdout);
}

static bool chosen(const char *name, INT32 sig) { return at(name) == (ADDRINT)sig; }

static BOOL Intercept(THREADID, INT32 sig, CONTEXT *ctxt, BOOL handler, const EXCEPTION_INFO *info, VOID *)
{
    std::printf("intercept %d handler %d in %s, %s\n", sig, handler, where(ctxt).c_str(), info ? PIN_ExceptionToString(info).c_str() : "no exception");
    std::fflush(stdout);
    if (sig == 11 && option("fix")) {
        PIN_SetContextReg(ctxt, REG_RBX, at("at_target"));
        return false;
    }
    return !chosen("squash", sig) && !chosen("squash2", sig);
}

static BOOL OldIntercept(THREADID, INT32 sig, CONTEXT *ctxt, BOOL handler, VOID *)
{
    std::printf("old intercept %d handler %d in %s\n", sig, handler, where(ctxt).c_str());
    std::fflush(stdout);
    return sig != 12;
}

static VOID OldBefore(THREADID, INT32 sig, const CONTEXT *from, const CONTEXT *to, VOID *)
{
    std::printf("before %d from %s to %s\n", sig, where(from).c_str(), where(to).c_str());
    std::fflush(stdout);
}

static VOID OldAfter(THREADID, const CONTEXT *, const CONTEXT *to, VOID *)
{
    std::printf("after, back to %s\n", where(to).c_str());
    std::fflush(stdout);
}

static VOID Raise(const CONTEXT *ctxt, THREADID tid)
{
    EXCEPTION_INFO info;
    PIN_InitExceptionInfo(&info, EXCEPTCODE_INT_DIVIDE_BY_ZERO, PIN_GetContextReg(ctxt, REG_INST_PTR));
    std::printf("raising\n");
    std::fflush(stdout);
    PIN_RaiseException(ctxt, tid, &info);
}

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_divide"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Raise), IARG_CONST_CONTEXT, IARG_THREAD_ID, IARG_END);
}

static VOID Fini(INT32 status, VOID *) { std::printf("fini %d\n", status); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    PIN_InitSymbols();
    if (option("old")) {
        PIN_AddSignalInterceptFunction(10, OldIntercept, 0);
        PIN_AddSignalInterceptFunction(12, OldIntercept, 0);
        PIN_AddSignalBeforeFunction(OldBefore, 0);
        PIN_AddSignalAfterFunction(OldAfter, 0);
    } else {
        PIN_AddContextChangeFunction(Change, 0);
    }
    if (at("intercept") && !PIN_InterceptSignal((INT32)at("intercept"), Intercept, 0))
        std::printf("cannot intercept\n");
    if (at("intercept2"))
        PIN_InterceptSignal((INT32)at("intercept2"), Intercept, 0);
    if (PIN_InterceptSignal(9, Intercept, 0) || PIN_InterceptSignal(19, Intercept, 0) || PIN_InterceptSignal(65, Intercept, 0))
        std::printf("intercepts what cannot be\n");
    if (at("unblock"))
        PIN_UnblockSignal((INT32)at("unblock"), true);
    if (option("raise"))
        INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
