// SPDX-License-Identifier: Apache-2.0
// Writes down everything that a tool is told between an attach and a detach, and leaves by itself where -leave says: from an analysis routine, from a thread of its own, from a thread's start function.
#include "pin.H"

#include <cstdio>
#include <string>

static KNOB<std::string> KnobOut(KNOB_MODE_WRITEONCE, "pintool", "o", "events.out", "file for the events");
static KNOB<std::string> KnobLeave(KNOB_MODE_WRITEONCE, "pintool", "leave", "", "analysis, internal, start: where PIN_Detach is called");

static FILE *out;
static volatile bool asked, exiting;
static bool seen_main, seen_libc, seen_vdso;

static VOID Ask()
{
    if (__atomic_exchange_n(&asked, true, __ATOMIC_SEQ_CST))
        return;
    fprintf(out, "asks to leave\n");
    PIN_Detach();
}

static VOID Image(IMG img, VOID *)
{
    seen_main |= IMG_IsMainExecutable(img);
    seen_libc |= IMG_Name(img).find("libc.so") != std::string::npos;
    seen_vdso |= IMG_Name(img).find("vdso") != std::string::npos;
}

static VOID Started(VOID *) { fprintf(out, "application start: %d threads\n", PIN_GetInitialThreadCount()); }

static VOID ThreadStart(THREADID id, CONTEXT *ctxt, INT32, VOID *)
{
    fprintf(out, "thread %u starts%s\n", id, PIN_GetContextReg(ctxt, REG_INST_PTR) ? "" : " nowhere");
    if (KnobLeave.Value() == "start")
        Ask();
}

static VOID ThreadAttach(THREADID id, CONTEXT *, VOID *) { fprintf(out, "thread %u is attached to\n", id); }

// Where a thread is that waits in the kernel: at the system call instruction.
static VOID ThreadDetach(THREADID id, const CONTEXT *ctxt, VOID *)
{
    UINT8 code[2] = {0, 0};
    PIN_SafeCopy(code, (VOID *)PIN_GetContextReg(ctxt, REG_INST_PTR), sizeof code);
    bool call = code[0] == 0x0f && code[1] == 0x05;
    fprintf(out, "thread %u is detached from%s%s\n", id, call ? " at a system call" : "", PIN_GetContextReg(ctxt, REG_SEG_FS_BASE) ? "" : ", without TLS");
}

static VOID ThreadFini(THREADID id, const CONTEXT *, INT32 code, VOID *) { fprintf(out, "thread %u ends %d\n", id, code); }
static VOID PrepareForFini(VOID *) { exiting = true, fprintf(out, "prepare for fini\n"); }
static VOID Detach(VOID *)
{
    fprintf(out, "detach; images:%s%s%s\n", seen_main ? " main" : "", seen_libc ? " libc" : "", seen_vdso ? " vdso" : "");
    if (asked) // no fini functions come after PIN_Detach
        fclose(out);
}

static VOID Fini(INT32 code, VOID *)
{
    fprintf(out, "fini %d\n", code);
    fclose(out);
}

static VOID Instruction(INS ins, VOID *) { INS_InsertCall(ins, IPOINT_BEFORE, (AFUNPTR)Ask, IARG_END); }

static VOID Internal(VOID *)
{
    Ask();
    while (!exiting)
        PIN_Sleep(1);
}

int main(int argc, char *argv[])
{
    if (PIN_Init(argc, argv))
        return 1;
    out = fopen(KnobOut.Value().c_str(), "w");
    if (!out)
        return 1;
    setlinebuf(out);
    fprintf(out, "main: %s\n", PIN_IsAttaching() ? "attaching" : "launched");
    PIN_AddApplicationStartFunction(Started, NULL);
    PIN_AddThreadStartFunction(ThreadStart, NULL);
    PIN_AddThreadAttachFunction(ThreadAttach, NULL);
    PIN_AddThreadDetachFunction(ThreadDetach, NULL);
    PIN_AddThreadFiniFunction(ThreadFini, NULL);
    PIN_AddPrepareForFiniFunction(PrepareForFini, NULL);
    PIN_AddDetachFunction(Detach, NULL);
    PIN_AddFiniFunction(Fini, NULL);
    IMG_AddInstrumentFunction(Image, NULL);
    if (KnobLeave.Value() == "analysis")
        INS_AddInstrumentFunction(Instruction, NULL);
    if (KnobLeave.Value() == "internal")
        PIN_SpawnInternalThread(Internal, NULL, 0, NULL);
    PIN_StartProgram();
}
