/* SPDX-License-Identifier: Apache-2.0
 * Faults in analysis routines, and access to the application's memory. what=... says which. Rules A16, A17. */
#include "golden.h"

#include <csignal>

static volatile int zero;
static std::string what;
static CONTEXT saved;

/* Not inlined, so that it has a name; the handler makes it go on at `after` with 5 in rax. */
static __attribute__((noinline)) long Poke(ADDRINT where)
{
    long r;
    __asm__ volatile("movq $1, (%1)\n"
                     "1: mov %%rax, %0\n" : "=r"(r) : "r"(where), "a"(3L) : "memory");
    return r;
}

static __attribute__((noinline)) long Divide()
{
    long r;
    __asm__ volatile("xor %%edx, %%edx\n"
                     "divl %1\n"
                     "mov %%rax, %0\n" : "=r"(r) : "m"(zero), "a"(3L) : "rdx");
    return r;
}

static __attribute__((noipa)) long Library(ADDRINT where) { return (long)std::strlen((const char *)where) + zero; }
static __attribute__((noinline)) void Faulty() { *(volatile long *)0x28 = 1; }

static EXCEPT_HANDLING_RESULT Handler(THREADID tid, EXCEPTION_INFO *info, PHYSICAL_CONTEXT *ctxt, VOID *v)
{
    ADDRINT at;
    if (v) {
        std::printf("%s\n", (const char *)v);
        if (std::strcmp((const char *)v, "global"))
            return EHR_CONTINUE_SEARCH;
    }
    if (what == "unhandled")
        return EHR_UNHANDLED;
    if (what == "nested")
        Faulty();
    std::string name = PIN_ExceptionToString(info);
    name = name.substr(16, name.find('(') - 16);
    std::printf("handler: %s class %d", name.c_str(), PIN_GetExceptionClass(PIN_GetExceptionCode(info)));
    if (PIN_GetFaultyAccessAddress(info, &at))
        std::printf(" %s to 0x%lx", PIN_GetFaultyAccessType(info) == FAULTY_ACCESS_WRITE ? "write" : "read", at);
    std::printf(" tid %u\n", tid);
    std::fflush(stdout);
    if (PIN_GetExceptionAddress(info) != PIN_GetPhysicalContextReg(ctxt, REG_INST_PTR))
        std::printf("another address\n");
    if (what == "raise") {
        PIN_SetExceptionAddress(info, PIN_GetContextReg(&saved, REG_INST_PTR));
        PIN_RaiseException(&saved, tid, info);
    }
    if (what == "execute") {
        PIN_SetContextReg(&saved, REG_INST_PTR, ::at("at_exit"));
        PIN_SetContextReg(&saved, REG_GDI, 4);
        PIN_ExecuteAt(&saved);
    }
    /* over the instruction: movq $1,(reg) is 7 bytes, divl mem 6 or 7 */
    const UINT8 *code = (const UINT8 *)PIN_GetExceptionAddress(info);
    ADDRINT length = code[0] == 0x48 || code[0] == 0x49 ? 7 : 6;
    PIN_SetPhysicalContextReg(ctxt, REG_GAX, 5);
    PIN_SetPhysicalContextReg(ctxt, REG_INST_PTR, PIN_GetExceptionAddress(info) + length);
    return EHR_HANDLED;
}

static const char *code_name(const EXCEPTION_INFO *info)
{
    static std::string name;
    name = PIN_ExceptionToString(info);
    name = name.substr(16, name.find('(') - 16);
    return name.c_str();
}

static void copied(const char *text, size_t n, const EXCEPTION_INFO *info)
{
    ADDRINT at = 0;
    PIN_GetFaultyAccessAddress(info, &at);
    std::printf("copied %zu %s: %s %s 0x%lx, instruction 0x%lx\n", n, text, code_name(info), PIN_GetFaultyAccessType(info) == FAULTY_ACCESS_WRITE ? "write" : "read", at,
                PIN_GetExceptionAddress(info)); /* it is the engine's business, and not told */
}

static void Memory(ADDRINT word)
{
    long v = 0;
    char *page = (char *)0x20000000, *closed = (char *)0x20001000;
    static char room[8192];
    EXCEPTION_INFO info;
    size_t n = PIN_SafeCopyEx(&v, (void *)word, 8, &info);
    std::printf("copied %zu, %ld\n", n, v);
    copied("from nowhere", PIN_SafeCopyEx(&v, (void *)0x18, 8, &info), &info);
    copied("to nowhere", PIN_SafeCopyEx((void *)0x18, &v, 8, &info), &info);
    copied("to what is read only", PIN_SafeCopyEx(page, &v, 8, &info), &info);
    copied("from what is closed", PIN_SafeCopyEx(&v, closed, 8, &info), &info);
    copied("of 4100", PIN_SafeCopyEx(room, page, 4100, &info), &info);
    copied("from a strange place", PIN_SafeCopyEx(&v, (void *)0x8000000000000000, 8, &info), &info);
    std::printf("read %d %d %d %d %d, write %d %d %d %d %d %d\n", PIN_CheckReadAccess((void *)word), PIN_CheckReadAccess(page), PIN_CheckReadAccess(closed), PIN_CheckReadAccess((void *)0x18),
                PIN_CheckReadAccess(room), PIN_CheckWriteAccess((void *)word), PIN_CheckWriteAccess(page), PIN_CheckWriteAccess(closed), PIN_CheckWriteAccess((void *)0x18),
                PIN_CheckWriteAccess((void *)at("at_try")), PIN_CheckWriteAccess(room));
    UINT8 code[2];
    PIN_FetchCode(code, (void *)at("at_try"), 2, &info);
    std::printf("code %02x %02x at 0x%lx\n", code[0], code[1], at("at_try"));
}

static void Info()
{
    EXCEPTION_INFO info;
    std::printf("empty %d\n", info.IsEmpty());
    PIN_InitAccessFaultInfo(&info, EXCEPTCODE_ACCESS_MISALIGNED, 0x1234, 0x5678, FAULTY_ACCESS_EXECUTE);
    std::printf("%s\n", PIN_ExceptionToString(&info).c_str());
    std::printf("class %d, access fault %d, floating point errors %u\n", info.GetExceptClass(), info.IsAccessFault(), PIN_GetFpErrorSet(&info));
    info.Init(EXCEPTCODE_SIMD_OVERFLOW, 0x99);
    PIN_SetExceptionAddress(&info, 0xabc);
    std::printf("%s class %d\n", PIN_ExceptionToString(&info).c_str(), PIN_GetExceptionClass(PIN_GetExceptionCode(&info)));
    std::printf("classes %d %d %d %d\n", PIN_GetExceptionClass(EXCEPTCODE_PRIVILEGED_INS), PIN_GetExceptionClass(EXCEPTCODE_INT_BOUNDS_EXCEEDED),
                PIN_GetExceptionClass(EXCEPTCODE_DBG_SINGLE_STEP_TRAP), PIN_GetExceptionClass(EXCEPTCODE_RECEIVED_AMBIGUOUS_X87));
}

static VOID Try(THREADID tid, const CONTEXT *ctxt, ADDRINT word)
{
    long r = 0;
    PIN_SaveContext(ctxt, &saved);
    if (what == "memory") {
        Memory(word);
        return;
    }
    if (what == "info") {
        Info();
        return;
    }
    if (what == "ended") {
        PIN_TryStart(tid, Handler, 0);
        PIN_TryEnd(tid);
    } else if (what == "outer") {
        PIN_TryStart(tid, Handler, 0);
        PIN_TryStart(tid, Handler, (VOID *)"inner");
    } else if (what == "global") {
        PIN_TryStart(tid, Handler, (VOID *)"inner");
    } else if (what != "library" && what != "divide") {
        PIN_TryStart(tid, Handler, 0);
    }
    if (what == "library")
        r = Library(0x18);
    else
        r = what.compare(0, 6, "divide") ? Poke(0x18) : Divide();
    std::printf("went on with %ld\n", r);
    PIN_TryEnd(tid);
    if (what == "outer")
        PIN_TryEnd(tid);
}

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_try"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Try), IARG_THREAD_ID, IARG_CONST_CONTEXT, IARG_REG_VALUE, REG_GDI, IARG_END);
}

/* mov $0,%edi in front of at_exit becomes mov $6,%edi */
static size_t Fetch(void *to, ADDRINT from, size_t bytes, EXCEPTION_INFO *info, VOID *)
{
    size_t n = PIN_SafeCopyEx(to, (void *)from, bytes, info);
    ADDRINT changed = at("at_exit") - 4;
    static bool said;
    if (changed >= from && changed < from + n) {
        ((UINT8 *)to)[changed - from] = 6;
        if (!said)
            std::printf("fetched at at_exit-5\n");
        said = true;
    }
    return n;
}

static VOID Fini(INT32 status, VOID *)
{
    std::printf("fini %d\n", status);
}

static VOID Entry(THREADID, CONTEXT *, SYSCALL_STANDARD, VOID *)
{
    sigset_t set;
    sigprocmask(SIG_BLOCK, 0, &set);
    if (what == "execute" && saved.lp_state[0])
        std::printf(sigismember(&set, SIGUSR1) ? "signals are closed\n" : "signals are open\n");
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    what = option("what");
    if (what == "global")
        PIN_AddInternalExceptionHandler(Handler, (VOID *)"global");
    if (what == "fetch")
        PIN_AddFetchFunction(Fetch, 0);
    else
        INS_AddInstrumentFunction(Instruction, 0);
    if (what == "execute")
        PIN_AddSyscallEntryFunction(Entry, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
