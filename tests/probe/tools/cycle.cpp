/* SPDX-License-Identifier: Apache-2.0
 * Probes come and go: a thread of the tool detaches and attaches it again, -n times, while the program runs; then the
 * program's `finished` is replaced, and it ends. Short functions that want the same room for a jump have probes from the
 * first attach on, when all probes are made before one is placed. */
#include "pin.H"

#include <cstdio>
#include <string>

static KNOB<UINT32> KnobTimes(KNOB_MODE_WRITEONCE, "pintool", "n", "20", "how often");
static KNOB<std::string> KnobOut(KNOB_MODE_WRITEONCE, "pintool", "o", "", "where the result goes");

static UINT64 hits, came, left;
static volatile UINT32 cycles;
static BOOL early; /* the tool asks to leave while it comes */
static PIN_SEMAPHORE is_up, is_gone;

static VOID Hit() { __atomic_add_fetch(&hits, 1, __ATOMIC_RELAXED); }
static int Finished() { return 1; }
static long F1(AFUNPTR original, long a)
{
    Hit();
    return ((long (*)(long))original)(a);
}

static VOID Image(IMG img, VOID *)
{
    static const char *const names[] = {"f2", "f3", "f4", "f5", "f6"};
    if (!IMG_IsMainExecutable(img))
        return;
    PROTO proto = PROTO_Allocate(PIN_PARG(long), CALLINGSTD_DEFAULT, "f1", PIN_PARG(long), PIN_PARG_END());
    RTN_ReplaceSignatureProbed(RTN_FindByName(img, "f1"), AFUNPTR(F1), IARG_PROTOTYPE, proto, IARG_ORIG_FUNCPTR,
                               IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_END);
    PROTO_Free(proto);
    for (const char *name : names)
        RTN_InsertCallProbed(RTN_FindByName(img, name), IPOINT_BEFORE, AFUNPTR(Hit), IARG_END);
    for (const char *name : {"g1", "g2"})
        if (cycles)
            RTN_InsertCallProbed(RTN_FindByName(img, name), IPOINT_BEFORE, AFUNPTR(Hit), IARG_END);
    for (const char *name : {"h1", "h2"})
        if (!RTN_InsertCallProbedEx(RTN_FindByName(img, name), IPOINT_BEFORE, PROBE_MODE_ALLOW_RELOCATION, AFUNPTR(Hit), IARG_END))
            PIN_ExitProcess(8);
    if (cycles < KnobTimes)
        return;
    if (FILE *f = fopen(KnobOut.Value().c_str(), "w")) {
        fprintf(f, "cycles %u %s %s %s\n", cycles, hits ? "met" : "never met", came ? "told" : "not told", left ? "told" : "not told");
        fclose(f);
    }
    RTN_ReplaceProbed(RTN_FindByName(img, "finished"), AFUNPTR(Finished));
}

/* On the threads themselves, which have their own masks. */
static VOID Came(VOID *mask, VOID *) { __atomic_add_fetch(&came, mask != NULL, __ATOMIC_RELAXED); }
static VOID Left(VOID *) { __atomic_add_fetch(&left, 1, __ATOMIC_RELAXED); }
static VOID Up(VOID *) { PIN_SemaphoreSet(&is_up); }
static VOID Gone(VOID *) { PIN_SemaphoreSet(&is_gone); }

static VOID Register(VOID *)
{
    IMG_AddInstrumentFunction(Image, 0);
    PIN_AddDetachFunctionProbed(Gone, 0);
    PIN_AddThreadAttachProbedFunction(Came, 0);
    PIN_AddThreadDetachProbedFunction(Left, 0);
    PIN_AddApplicationStartFunction(Up, 0);
    if (early)
        PIN_DetachProbed();
}

static VOID Await(PIN_SEMAPHORE *what)
{
    PIN_SemaphoreWait(what);
    PIN_SemaphoreClear(what);
}

static VOID Thread(VOID *)
{
    Await(&is_up);
    while (cycles < KnobTimes) {
        if (!early)
            PIN_DetachProbed();
        Await(&is_gone);
        cycles++;
        early = cycles == 1 && cycles < KnobTimes;
        if (PIN_AttachProbed(Register, 0) != ATTACH_INITIATED)
            PIN_ExitProcess(9);
        Await(&is_up);
    }
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    if (PIN_Init(argc, argv))
        return 1;
    PIN_SemaphoreInit(&is_up);
    PIN_SemaphoreInit(&is_gone);
    Register(0);
    if (PIN_SpawnInternalThread(Thread, 0, 0, 0) == INVALID_THREADID)
        return 1;
    PIN_StartProgramProbed();
}
