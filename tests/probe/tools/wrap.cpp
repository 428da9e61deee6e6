/* SPDX-License-Identifier: Apache-2.0
 * What a tool may do at probes, with results that a test can compare: calls before and after functions with arguments of
 * all kinds, replacements with and without a prototype that call the function itself, contexts, functions of the program
 * called by the tool, callbacks for forks, images and probes. Looks for functions of tests/probe/guests by their names. */
#include "pin.H"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

static KNOB<std::string> KnobOut(KNOB_MODE_WRITEONCE, "pintool", "o", "", "where the result goes");

static UINT64 works, mixes, fills, jumps, bodies, before_fork, in_parent, in_child, images, inserted, bares, wrong;
static std::mutex lock;
static std::set<THREADID> threads;

static VOID Add(UINT64 *n) { __atomic_add_fetch(n, 1, __ATOMIC_RELAXED); }

/* All arguments but the first come from the context and the stack; the function gets them from the tool. */
static long Work(AFUNPTR original, CONTEXT *context, THREADID tid, ADDRINT back, long a, long h)
{
    long result, b = (long)PIN_GetContextReg(context, REG_RSI), g;
    Add(&works);
    if (PIN_SafeCopy(&g, (void *)(PIN_GetContextReg(context, REG_RSP) + 8), sizeof g) != sizeof g ||
        PIN_GetContextReg(context, REG_RDI) != (ADDRINT)a || !back)
        Add(&wrong);
    PIN_CallApplicationFunction(context, tid, CALLINGSTD_DEFAULT, original, NULL, PIN_PARG(long), &result, PIN_PARG(long), a,
                                PIN_PARG(long), b, PIN_PARG_END());
    {
        std::lock_guard<std::mutex> guard(lock);
        threads.insert(tid);
    }
    (void)h;
    return result;
}

static VOID MixBefore(double a, int n, float b, ADDRINT pc)
{
    Add(&mixes);
    if (!((a == 1.5 && n == 2 && b == 0.5f) || (a == 2 && b == 1)) || !pc)
        Add(&wrong);
}

static VOID MixAfter(ADDRINT, UINT32 constant)
{
    if (constant != 4711)
        Add(&wrong);
}

static char *(*fill)(char *, int);
static char *Fill(char *p, int n)
{
    Add(&fills);
    free(malloc(100)); /* the tool's own */
    return fill(p, n);
}

static VOID JumpAfter() { Add(&jumps); } /* never: it is left by longjmp */
static VOID BodyAfter(ADDRINT result, ADDRINT *place)
{
    Add(&bodies);
    if (*place != result || result >= 6)
        Add(&wrong);
}

static VOID Bare() { bares++; }

/* What may be asked of a routine that can have a probe, and of one that is none. */
static VOID Ask(RTN rtn)
{
    PIN_CODE_RANGE range;
    if (!RTN_IsSafeForProbedInsertion(rtn) || !RTN_IsSafeForProbedInsertionEx(rtn, PROBE_MODE_ALLOW_RELOCATION) ||
        !RTN_IsSafeForProbedReplacement(rtn) || !RTN_IsSafeForProbedReplacementEx(rtn, PROBE_MODE_DEFAULT) ||
        !PIN_IsSafeForProbedInsertion(RTN_Address(rtn)) || PIN_IsSafeForProbedInsertion(0) || !PIN_IsProbeMode())
        Add(&wrong);
    if (RTN_CodeRangesProbed(rtn, 1, &range) != 1 || range._start != RTN_Address(rtn) ||
        range._end != RTN_Address(rtn) + RTN_Size(rtn))
        Add(&wrong);
}

static VOID Image(IMG img, VOID *)
{
    Add(&images);
    if (!IMG_IsMainExecutable(img))
        return;
    RTN rtn = RTN_FindByName(img, "work");
    PROTO p = PROTO_Allocate(PIN_PARG(long), CALLINGSTD_DEFAULT, "work", PIN_PARG(long), PIN_PARG(long), PIN_PARG(long),
                             PIN_PARG(long), PIN_PARG(long), PIN_PARG(long), PIN_PARG(long), PIN_PARG(long), PIN_PARG_END());
    Ask(rtn);
    if (!PIN_InsertCallProbed(RTN_Address(RTN_FindByName(img, "bare")), AFUNPTR(Bare), IARG_END) ||
        !RTN_ReplaceSignatureProbedEx(rtn, PROBE_MODE_DEFAULT, AFUNPTR(Work), IARG_PROTOTYPE, p, IARG_ORIG_FUNCPTR, IARG_CONTEXT, IARG_THREAD_ID,
                                    IARG_RETURN_IP, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_FUNCARG_ENTRYPOINT_VALUE, 7, IARG_END))
        Add(&wrong);
    PROTO_Free(p);
    p = PROTO_Allocate(PIN_PARG(double), CALLINGSTD_DEFAULT, "mix", PIN_PARG(double), PIN_PARG(int), PIN_PARG(float), PIN_PARG_END());
    rtn = RTN_FindByName(img, "mix");
    if (!RTN_InsertCallProbed(rtn, IPOINT_BEFORE, AFUNPTR(MixBefore), IARG_PROTOTYPE, p, IARG_FUNCARG_ENTRYPOINT_VALUE, 0,
                              IARG_FUNCARG_ENTRYPOINT_VALUE, 1, IARG_FUNCARG_ENTRYPOINT_VALUE, 2, IARG_INST_PTR, IARG_END) ||
        !RTN_InsertCallProbedEx(rtn, IPOINT_AFTER, PROBE_MODE_DEFAULT, AFUNPTR(MixAfter), IARG_PROTOTYPE, p,
                                IARG_FUNCRET_EXITPOINT_VALUE, IARG_UINT32, 4711, IARG_END))
        Add(&wrong);
    PROTO_Free(p);
    fill = (char *(*)(char *, int))RTN_ReplaceProbedEx(RTN_FindByName(img, "fill"), PROBE_MODE_DEFAULT, AFUNPTR(Fill));
    p = PROTO_Allocate(PIN_PARG(void), CALLINGSTD_DEFAULT, "jump", PIN_PARG(int), PIN_PARG_END());
    if (!fill || !RTN_InsertCallProbed(RTN_FindByName(img, "jump"), IPOINT_AFTER, AFUNPTR(JumpAfter), IARG_PROTOTYPE, p, IARG_END))
        Add(&wrong);
    PROTO_Free(p);
    p = PROTO_Allocate(PIN_PARG(void *), CALLINGSTD_DEFAULT, "body", PIN_PARG(void *), PIN_PARG_END());
    if (!RTN_InsertCallProbed(RTN_FindByName(img, "body"), IPOINT_AFTER, AFUNPTR(BodyAfter), IARG_PROTOTYPE, p,
                              IARG_FUNCRET_EXITPOINT_VALUE, IARG_FUNCRET_EXITPOINT_REFERENCE, IARG_END))
        Add(&wrong);
    PROTO_Free(p);
}

static VOID Inserted(IMG, VOID *) { Add(&inserted); }
static VOID Fork(UINT32 pid, VOID *n)
{
    Add((UINT64 *)n);
    if ((pid != 0) != (n == &in_parent))
        Add(&wrong);
}

static VOID Fini(INT32 status, VOID *)
{
    FILE *f = fopen(KnobOut.Value().c_str(), "a");
    if (!f)
        return;
    fprintf(f, "status %d wrong %lu mixes %d fills %lu jumps %lu bodies %lu forks %lu %lu %lu inserted %d bares %lu threads %d\n", status,
            (unsigned long)wrong, mixes > 0, (unsigned long)fills, (unsigned long)jumps, (unsigned long)bodies,
            (unsigned long)before_fork, (unsigned long)in_parent, (unsigned long)in_child, images > 0 && images == inserted,
            (unsigned long)bares, threads.size() > 12);
    fclose(f);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    if (PIN_Init(argc, argv) || PIN_IsProbeMode())
        return 1;
    IMG_AddInstrumentFunction(Image, 0);
    PIN_AddProbesInsertedFunction(Inserted, 0);
    PIN_AddForkFunctionProbed(FPOINT_BEFORE, Fork, &before_fork);
    PIN_AddForkFunctionProbed(FPOINT_AFTER_IN_PARENT, Fork, &in_parent);
    PIN_AddForkFunctionProbed(FPOINT_AFTER_IN_CHILD, Fork, &in_child);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgramProbed();
}
