/* SPDX-License-Identifier: Apache-2.0
 * A thread of the tool stops all threads every millisecond. While they are stopped nothing moves; contexts are those of an instruction boundary; analysis calls neither get lost nor run twice. Rule CC5. */
#include "golden.h"

#include <time.h>

static PIN_THREAD_UID uid;
static volatile UINT32 done;
static UINT64 stops, most, moved, looked, torn;
static UINT64 loops, dones; /* analysis calls */
static UINT64 in_process;

static VOID Progress(UINT64 *to) { PIN_SafeCopy(to, (const VOID *)at("at_progress"), 64 * sizeof *to); }

static VOID Look()
{
    UINT64 before[64], after[64];
    Progress(before);
    UINT32 n = PIN_GetStoppedThreadCount();
    most = n > most ? n : most;
    for (UINT32 i = 0; i < n; i++) {
        const CONTEXT *c = PIN_GetStoppedThreadContext(PIN_GetStoppedThreadId(i));
        ADDRINT pc = PIN_GetContextReg(c, REG_INST_PTR);
        if (pc < at("at_loop") || pc >= at("at_done"))
            continue;
        looked++;
        UINT64 sum = PIN_GetContextReg(c, REG_RBX) + PIN_GetContextReg(c, REG_R14), extra = pc == at("at_loop") ? 0 : pc == at("at_loop") + 3 ? 1 : 0;
        torn += sum != 4000 + extra && sum != 1000 + extra;
    }
    struct timespec t = {0, 50000};
    nanosleep(&t, 0);
    Progress(after);
    moved += std::memcmp(before, after, sizeof before) != 0;
}

static VOID Stopper(VOID *)
{
    while (!done) {
        if (PIN_StopApplicationThreads(PIN_ThreadId())) {
            stops++;
            Look();
            PIN_ResumeApplicationThreads(PIN_ThreadId());
            int one = 1;
            if (stops >= 60 && looked >= 20)
                PIN_SafeCopy((VOID *)at("at_go"), &one, sizeof one);
        }
        PIN_Sleep(1);
    }
}

static VOID Loop(UINT64 *n) { __sync_fetch_and_add(n, 1); }

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_loop"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Loop), IARG_PTR, &loops, IARG_END);
    if (is_at(ins, "at_done"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Loop), IARG_PTR, &dones, IARG_END);
}

static VOID Prepare(VOID *)
{
    INT32 code;
    done = 1;
    PIN_WaitForThreadTermination(uid, PIN_INFINITE_TIMEOUT, &code);
}

static VOID Fini(INT32 status, VOID *)
{
    if ((UINT64)PIN_GetPid() != in_process)
        return;
    bool right = dones && loops == dones * 4000;
    std::printf("all 65 at once: %s, moved while stopped: %lu, in the loop: %s, torn: %lu, calls as they should be: %s, status %d\n", most == 65 ? "yes" : "no", moved, looked ? "yes" : "no", torn, right ? "yes" : "no", status);
    if (!right)
        std::fprintf(stderr, "%lu loops in %lu, %lu stops\n", loops, dones, stops);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    in_process = (UINT64)PIN_GetPid();
    if (PIN_SpawnInternalThread(Stopper, 0, 0, &uid) == INVALID_THREADID)
        return 1;
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddPrepareForFiniFunction(Prepare, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
