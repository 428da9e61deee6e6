/* SPDX-License-Identifier: Apache-2.0
 * Calls of every short form at every instruction, small enough that the engine inlines them or saves only what they change: the guest must not notice (mode `light` of tests/run.py). Nothing asks for
 * more registers than the instruction reads, so that those that are not needed any more stay unsaved. Prints nothing, unless the tool finds its own numbers wrong: then the process ends with status 99. */
#include "pin.H"

#include <cstddef>
#include <cstdlib>
#include <set>
#include <unistd.h>

static UINT64 fast[PIN_MAX_THREADS], slow[PIN_MAX_THREADS];
static UINT64 accesses, bytes, seen[1024], taken, checked;
static UINT64 broken_off[PIN_MAX_THREADS];
static std::set<ADDRINT> aborts;
static BUFFER_ID buffer;

struct record {
    ADDRINT address, pc;
    UINT32 size;
};

static VOID __attribute__((noinline)) Rare(ADDRINT address) { seen[address % 1024]++; }

/* All that a call may clobber, a loop and a call that is seldom made. */
static VOID Access(ADDRINT pc, ADDRINT address, UINT32 size)
{
    bytes += size;
    for (UINT32 i = 0; i < size % 3; i++)
        accesses ^= (address << i) * 3 + (pc >> (i + 1));
    if (address % 61 == 7)
        Rare(address);
}

static VOID Thread(THREADID thread, UINT32 n) { fast[thread] += n; }
static VOID Slow(THREADID thread, UINT32 n) { slow[thread] += n; }
static VOID ThreadSlow(THREADID thread, UINT32 n)
{
    __asm__ volatile("" : : : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm3", "cc");
    slow[thread] += n;
}
/* Inlined but for one case in four, in which all that a routine may change is changed. */
static VOID __attribute__((noinline)) Seldom(THREADID thread, ADDRINT address, ADDRINT pc)
{
    __asm__ volatile("push %0\n pop %%r11\n movq %%r11, %%xmm5\n sub %1, %%r11" : : "r"(pc), "r"(address) : "rax", "r10", "r11", "xmm5", "cc");
    fast[thread] += pc != address || !pc;
}
static VOID Mostly(THREADID thread, ADDRINT address, ADDRINT pc)
{
    if (address / 8 % 4)
        fast[thread]++;
    else
        Seldom(thread, address + !address, pc);
}
static VOID BrokenOff(THREADID thread) { broken_off[thread]++; }
static VOID Taken(ADDRINT target, BOOL is) { taken += is ? target : 1; }
static ADDRINT Often(ADDRINT pc) { return ++checked % 97 == pc % 2; }
static VOID Then(const CONTEXT *c, ADDRINT pc)
{
    if (PIN_GetContextReg(c, REG_INST_PTR) != pc)
        _exit(99);
}

static VOID After(const CONTEXT *c, ADDRINT flags)
{
    if (PIN_GetContextReg(c, REG_RFLAGS) != flags)
        _exit(99);
}

static VOID *Full(BUFFER_ID, THREADID, const CONTEXT *, VOID *start, UINT64 n, VOID *)
{
    const record *r = static_cast<record *>(start);
    for (UINT64 i = 0; i < n; i++)
        if (!r[i].pc || !r[i].size)
            _exit(99);
    return start;
}

static VOID Instruction(INS ins, VOID *)
{
    ADDRINT pc = INS_Address(ins);
    if (aborts.count(pc))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(BrokenOff), IARG_THREAD_ID, IARG_END);
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++)
        if (!INS_HasScatteredMemoryAccess(ins)) {
            INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Access), IARG_INST_PTR, IARG_MEMORYOP_EA, i, IARG_UINT32, INS_MemoryOperandSize(ins, i), IARG_END);
            INS_InsertFillBufferPredicated(ins, IPOINT_BEFORE, buffer, IARG_MEMORYOP_EA, i, offsetof(record, address), IARG_INST_PTR, offsetof(record, pc), IARG_UINT32, INS_MemoryOperandSize(ins, i) + 1,
                                           offsetof(record, size), IARG_END);
        }
    if (pc % 4 == 1)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Thread), IARG_THREAD_ID, IARG_UINT32, 1, IARG_END);
    /* Elsewhere the other calls are too large to inline, and the guests of tests look at what is not needed any more in their handlers. */
    IMG image = IMG_FindByAddress(pc);
    if (pc % 4 != 1 && pc % 8 != 3 && !INS_MemoryOperandCount(ins) && !INS_IsSyscall(ins) && IMG_Valid(image) && !IMG_IsMainExecutable(image)) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Mostly), IARG_THREAD_ID, IARG_ADDRINT, pc * 9, IARG_INST_PTR, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Slow), IARG_THREAD_ID, IARG_UINT32, 1, IARG_END);
    }
    if (pc % 4 == 1)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(ThreadSlow), IARG_THREAD_ID, IARG_UINT32, 1, IARG_END);
    if (INS_IsBranch(ins) && !INS_IsFarJump(ins) && pc % 8 < 5)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Taken), IARG_BRANCH_TARGET_ADDR, IARG_BRANCH_TAKEN, IARG_END);
    if (pc % 8 == 3) {
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(Often), IARG_INST_PTR, IARG_END);
        INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Then), IARG_CONST_CONTEXT, IARG_INST_PTR, IARG_END);
    }
    if (INS_IsValidForIpointAfter(ins) && pc % 4 == 2)
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Access), IARG_INST_PTR, IARG_ADDRINT, pc, IARG_UINT32, 2, IARG_END);
    if (INS_IsValidForIpointAfter(ins) && pc % 16 == 10)
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(After), IARG_CONST_CONTEXT, IARG_REG_VALUE, REG_RFLAGS, IARG_END);
    if (INS_IsValidForIpointTakenBranch(ins) && pc % 4 == 3)
        INS_InsertCall(ins, IPOINT_TAKEN_BRANCH, AFUNPTR(Thread), IARG_THREAD_ID, IARG_UINT32, 0, IARG_END);
}

/* Another thread may be between its two calls, or was when the process forked; and each time that a restartable sequence is broken off, an instruction may have had the first of its calls only. */
static VOID Fini(INT32, VOID *)
{
    for (UINT32 i = 0; i < PIN_MAX_THREADS; i++)
        if (fast[i] - slow[i] > 1 + broken_off[i])
            _exit(99);
}

/* Where the guest's sequences go on that were broken off. */
static VOID Image(IMG image, VOID *)
{
    for (SYM s = IMG_RegsymHead(image); SYM_Valid(s) && IMG_IsMainExecutable(image); s = SYM_Next(s))
        if (SYM_Name(s).size() > 6 && SYM_Name(s).substr(SYM_Name(s).size() - 6) == "_abort")
            aborts.insert(SYM_Address(s));
}

int main(int argc, char **argv)
{
    if (PIN_Init(argc, argv))
        return 1;
    buffer = PIN_DefineTraceBuffer(sizeof(record), 4, Full, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    if (getenv("BROKEN_OFF")) {
        PIN_InitSymbols();
        IMG_AddInstrumentFunction(Image, 0);
    }
    PIN_StartProgram();
}
