/* SPDX-License-Identifier: Apache-2.0
 * Stopping threads from a thread of the tool and from an analysis routine; contexts of stopped threads read and changed. Rules CC5, CC6. */
#include "golden.h"

static PIN_THREAD_UID uid;
static volatile UINT32 spun, in_read, stops, wrong, done;
static UINT64 changed[2];

static VOID Wrong(int line)
{
    std::fprintf(stderr, "wrong at line %d\n", line);
    __sync_fetch_and_add(&wrong, 1);
}
#define CHECK(condition) ((condition) ? (void)0 : Wrong(__LINE__))

/* Looks at the stopped threads until both are where they shall be, and sets their registers. */
static VOID Look()
{
    for (UINT32 i = 0; i < PIN_GetStoppedThreadCount(); i++) {
        THREADID tid = PIN_GetStoppedThreadId(i);
        const CONTEXT *c = PIN_GetStoppedThreadContext(tid);
        CHECK(c && tid != PIN_ThreadId());
        ADDRINT pc = PIN_GetContextReg(c, REG_INST_PTR);
        CHECK(!tid || PIN_GetContextReg(c, REG_SEG_FS_BASE) != 0); /* the first has none before its loader sets it */
        if (pc >= at("at_spin") && pc < at("at_spun") && !spun) {
            CHECK(PIN_GetContextReg(c, REG_R12) == 0);
            UINT64 xmm[2] = {0x1122334455667788, 0};
            CONTEXT *w = PIN_GetStoppedThreadWriteableContext(tid);
            PIN_SetContextReg(w, REG_R12, 0x5a);
            PIN_SetContextRegval(w, REG_XMM5, (const UINT8 *)xmm);
            CHECK(PIN_GetContextReg(PIN_GetStoppedThreadContext(tid), REG_R12) == 0x5a);
            spun = spun + 1;
        }
        if (pc == at("at_read") && PIN_GetContextReg(c, REG_RSI) && in_read < 2) {
            CHECK(PIN_GetContextReg(c, REG_R13) == (in_read ? 76u : 0u)); /* the change waits with the thread */
            PIN_SetContextReg(PIN_GetStoppedThreadWriteableContext(tid), REG_R13, 76 + in_read);
            in_read = in_read + 1;
        }
    }
    CHECK(!PIN_GetStoppedThreadContext(12345) && PIN_GetStoppedThreadId(PIN_GetStoppedThreadCount()) == INVALID_THREADID);
}

static VOID Stopper(VOID *)
{
    CHECK(PIN_GetStoppedThreadCount() == 0);
    while (!done) {
        if (!PIN_StopApplicationThreads(PIN_ThreadId())) {
            PIN_Yield(); /* the program is at it */
            continue;
        }
        CHECK(!PIN_StopApplicationThreads(PIN_ThreadId()));
        Look();
        bool both = spun && in_read == 2;
        PIN_ResumeApplicationThreads(PIN_ThreadId());
        if (both) {
            int one = 1;
            PIN_SafeCopy((VOID *)at("at_go"), &one, sizeof one);
        }
        PIN_Yield();
    }
}

static VOID Stop(THREADID tid)
{
    while (!PIN_StopApplicationThreads(tid))
        PIN_Yield();
    CHECK(PIN_GetStoppedThreadCount() == 1); /* the one in pause */
    stops = stops + 1;
    PIN_ResumeApplicationThreads(tid);
}

static VOID Spun(ADDRINT r12) { changed[0] += r12 == 0x5a; }
static VOID Read(ADDRINT r13) { changed[1] += r13 == 77; }

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_stop"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Stop), IARG_THREAD_ID, IARG_END);
    if (is_at(ins, "at_spun"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Spun), IARG_REG_VALUE, REG_R12, IARG_END);
    if (is_at(ins, "at_read"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Read), IARG_REG_VALUE, REG_R13, IARG_END);
}

static VOID Prepare(VOID *)
{
    INT32 code;
    done = 1;
    CHECK(PIN_WaitForThreadTermination(uid, 30000, &code));
}

static VOID Fini(INT32 status, VOID *)
{
    std::printf("spun %u in read %u changed %lu %lu stopped by the program %u wrong %u status %d\n", spun, in_read - 1, changed[0], changed[1], stops, wrong, status);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    if (PIN_SpawnInternalThread(Stopper, 0, 0, &uid) == INVALID_THREADID)
        return 1;
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddPrepareForFiniFunction(Prepare, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
