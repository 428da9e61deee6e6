/* SPDX-License-Identifier: Apache-2.0
 * Replaced routines of every kind, their originals called by pointer and by PIN_CallApplicationFunction; guest functions called from analysis routines. Rules A30, A31, A32. */
#include "golden.h"

enum { FACT, HALF, PLAIN, THROWER, JUMPER, RAISER, IN_HANDLER, LEAVER, LOOP, NEVER, AGAIN, WALKER, ROUND, DEEP, COUNTERS };
static UINT64 count[COUNTERS];
static VOID hit(int i) { __atomic_add_fetch(&count[i], 1, __ATOMIC_RELAXED); }

typedef long (*add9_t)(int, short, unsigned char, long, int, int, int, signed char, long);
static long Add9(add9_t original, int a, short b, unsigned char c, long d, int e, int f, int g, signed char h, long i)
{
    std::printf("add9 %d %d %d %ld %d %d %d %d %ld\n", a, b, c, d, e, f, g, h, i);
    return original(a, b, c, d, e, f, g, h, i + 100);
}

static double Scale(const CONTEXT *ctxt, AFUNPTR original, double x, float y, int n, double z)
{
    double r = 0;
    std::printf("scale %g %g %d %g\n", x, y, n, z);
    PIN_CallApplicationFunction(ctxt, PIN_ThreadId(), CALLINGSTD_DEFAULT, original, NULL, PIN_PARG(double), &r, PIN_PARG(double), x, PIN_PARG(float), y, PIN_PARG(int), n + 4, PIN_PARG(double), z,
                                PIN_PARG_END());
    return r + z - 0.0;
}

static AFUNPTR fact_address;
static long Fact(const CONTEXT *ctxt, long n)
{
    long r = 0;
    hit(FACT);
    PIN_CallApplicationFunction(ctxt, PIN_ThreadId(), CALLINGSTD_DEFAULT, fact_address, NULL, PIN_PARG(long), &r, PIN_PARG(long), n, PIN_PARG_END());
    return r;
}

static int (*plain_original)(int, int, int, int, int, int, int, int);
static int Plain(int a, int b, int c, int d, int e, int f, int g, int h)
{
    hit(PLAIN);
    if (g != 7 || h != 8)
        std::printf("plain has %d %d\n", g, h);
    return plain_original(a, b, c, d, e, f, g, h) + 1;
}

static float (*half_original)(float);
static float Half(float x)
{
    hit(HALF);
    return half_original(x) + 1;
}

struct pair { long a, b; };
static pair Swapped(AFUNPTR original, pair p)
{
    std::printf("swapped %ld %ld\n", p.a, p.b);
    return ((pair(*)(pair))original)(p);
}

static int Through(int which, int (*original)(int), int x)
{
    hit(which);
    return original(x);
}

static int Never(CONTEXT *ctxt, ADDRINT back)
{
    hit(NEVER);
    PIN_SetContextReg(ctxt, REG_RAX, 77);
    PIN_SetContextReg(ctxt, REG_INST_PTR, back);
    PIN_SetContextReg(ctxt, REG_STACK_PTR, PIN_GetContextReg(ctxt, REG_STACK_PTR) + 8);
    PIN_ExecuteAt(ctxt);
    return 0;
}

static int Again(const CONTEXT *ctxt)
{
    hit(AGAIN);
    PIN_ExecuteAt(ctxt);
    return 0;
}

static long InHandler(const CONTEXT *ctxt, AFUNPTR original, long x)
{
    long r = 0;
    hit(IN_HANDLER);
    PIN_CallApplicationFunction(ctxt, PIN_ThreadId(), CALLINGSTD_DEFAULT, original, NULL, PIN_PARG(long), &r, PIN_PARG(long), x, PIN_PARG_END());
    return r + 50;
}

/* --- called from analysis routines --- */
static AFUNPTR helper, helper2, fhelper;
static UINT64 helper2_calls, inner_calls;

static VOID Before(const CONTEXT *ctxt, THREADID tid)
{
    long r = 0;
    double f = 0;
    PIN_CallApplicationFunction(ctxt, tid, CALLINGSTD_DEFAULT, helper, NULL, PIN_PARG(long), &r, PIN_PARG(long), 10L, PIN_PARG_END());
    PIN_CallApplicationFunction(ctxt, tid, CALLINGSTD_DEFAULT, fhelper, NULL, PIN_PARG(double), &f, PIN_PARG(double), 2.5, PIN_PARG(float), 0.25f, PIN_PARG_END());
    std::printf("helper says %ld, %g\n", r, f);
}

/* Before helper, which runs inside Before. */
static VOID Inner(CONTEXT *ctxt, THREADID tid)
{
    long r = 0;
    inner_calls++;
    PIN_CallApplicationFunction(ctxt, tid, CALLINGSTD_DEFAULT, helper2, NULL, PIN_PARG(long), &r, PIN_PARG(long), 7L, PIN_PARG_END());
    if (r != 21)
        std::printf("helper2 gives %ld\n", r);
}

static PROTO proto_int(const char *name) { return PROTO_Allocate(PIN_PARG(int), CALLINGSTD_DEFAULT, name, PIN_PARG(int), PIN_PARG_END()); }

static VOID Wrap(IMG img, const char *name, int which)
{
    PROTO p = proto_int(name);
    RTN_ReplaceSignature(RTN_FindByName(img, name), AFUNPTR(Through), IARG_PROTOTYPE, p, IARG_UINT32, which, IARG_ORIG_FUNCPTR, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_END);
    PROTO_Free(p);
}

static VOID Image(IMG img, VOID *)
{
    if (!IMG_IsMainExecutable(img))
        return;
    PROTO p = PROTO_Allocate(PIN_PARG(long), CALLINGSTD_DEFAULT, "add9", PIN_PARG(int), PIN_PARG(short), PIN_PARG(unsigned char), PIN_PARG(long), PIN_PARG(int), PIN_PARG(int), PIN_PARG(int),
                             PIN_PARG(signed char), PIN_PARG(long), PIN_PARG_END());
    RTN_ReplaceSignature(RTN_FindByName(img, "add9"), AFUNPTR(Add9), IARG_PROTOTYPE, p, IARG_ORIG_FUNCPTR, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_FUNCARG_ENTRYPOINT_VALUE, 1,
                         IARG_FUNCARG_ENTRYPOINT_VALUE, 2, IARG_FUNCARG_ENTRYPOINT_VALUE, 3, IARG_FUNCARG_ENTRYPOINT_VALUE, 4, IARG_FUNCARG_ENTRYPOINT_VALUE, 5, IARG_FUNCARG_ENTRYPOINT_VALUE, 6,
                         IARG_FUNCARG_ENTRYPOINT_VALUE, 7, IARG_FUNCARG_ENTRYPOINT_VALUE, 8, IARG_END);
    PROTO_Free(p);
    p = PROTO_Allocate(PIN_PARG(double), CALLINGSTD_DEFAULT, "scale", PIN_PARG(double), PIN_PARG(float), PIN_PARG(int), PIN_PARG(double), PIN_PARG_END());
    RTN_ReplaceSignature(RTN_FindByName(img, "scale"), AFUNPTR(Scale), IARG_PROTOTYPE, p, IARG_CONST_CONTEXT, IARG_ORIG_FUNCPTR, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_FUNCARG_ENTRYPOINT_VALUE, 1,
                         IARG_FUNCARG_ENTRYPOINT_VALUE, 2, IARG_FUNCARG_ENTRYPOINT_VALUE, 3, IARG_END);
    PROTO_Free(p);
    p = PROTO_Allocate(PIN_PARG(long), CALLINGSTD_DEFAULT, "fact", PIN_PARG(long), PIN_PARG_END());
    fact_address = AFUNPTR(RTN_Address(RTN_FindByName(img, "fact")));
    RTN_ReplaceSignature(RTN_FindByName(img, "fact"), AFUNPTR(Fact), IARG_PROTOTYPE, p, IARG_CONTEXT, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_END);
    RTN_ReplaceSignature(RTN_FindByName(img, "in_handler"), AFUNPTR(InHandler), IARG_PROTOTYPE, p, IARG_CONTEXT, IARG_ORIG_FUNCPTR, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_END);
    PROTO_Free(p);
    plain_original = (int (*)(int, int, int, int, int, int, int, int))RTN_Replace(RTN_FindByName(img, "plain"), AFUNPTR(Plain));
    half_original = (float (*)(float))RTN_Replace(RTN_FindByName(img, "half"), AFUNPTR(Half));
    p = PROTO_Allocate(PIN_PARG_AGGREGATE(pair), CALLINGSTD_DEFAULT, "swapped", PIN_PARG_AGGREGATE(pair), PIN_PARG_END());
    RTN_ReplaceSignature(RTN_FindByName(img, "swapped"), AFUNPTR(Swapped), IARG_PROTOTYPE, p, IARG_ORIG_FUNCPTR, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_END);
    PROTO_Free(p);
    Wrap(img, "thrower", THROWER);
    Wrap(img, "jumper", JUMPER);
    Wrap(img, "raiser", RAISER);
    Wrap(img, "leaver", LEAVER);
    Wrap(img, "walker", WALKER);
    Wrap(img, "set_round", ROUND);
    Wrap(img, "loop_at_start", LOOP);
    Wrap(img, "deep", DEEP);
    p = proto_int("never");
    RTN_ReplaceSignature(RTN_FindByName(img, "never"), AFUNPTR(Never), IARG_PROTOTYPE, p, IARG_CONTEXT, IARG_RETURN_IP, IARG_END);
    RTN_ReplaceSignature(RTN_FindByName(img, "again"), AFUNPTR(Again), IARG_PROTOTYPE, p, IARG_CONST_CONTEXT, IARG_END);
    PROTO_Free(p);
    helper = AFUNPTR(RTN_Address(RTN_FindByName(img, "helper")));
    helper2 = AFUNPTR(RTN_Address(RTN_FindByName(img, "helper2")));
    fhelper = AFUNPTR(RTN_Address(RTN_FindByName(img, "fhelper")));
}

static VOID Count(UINT64 *n) { ++*n; }

static VOID Instruction(INS ins, VOID *)
{
    static ADDRINT probed, helper_at, helper2_at;
    if (!probed) {
        IMG img = APP_ImgHead();
        probed = RTN_Address(RTN_FindByName(img, "probed"));
        helper_at = ADDRINT(helper);
        helper2_at = ADDRINT(helper2);
    }
    if (INS_Address(ins) == probed)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Before), IARG_CONST_CONTEXT, IARG_THREAD_ID, IARG_END);
    if (INS_Address(ins) == helper_at)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Inner), IARG_CONTEXT, IARG_THREAD_ID, IARG_END);
    if (INS_Address(ins) == helper2_at)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Count), IARG_PTR, &helper2_calls, IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    std::printf("helper2 called by the tool %lu, in all %lu\n", inner_calls, helper2_calls);
    std::printf("fact %lu plain %lu half %lu thrower %lu jumper %lu raiser %lu handler %lu leaver %lu\n", count[FACT], count[PLAIN], count[HALF], count[THROWER], count[JUMPER], count[RAISER],
                count[IN_HANDLER], count[LEAVER]);
    std::printf("loop %lu never %lu again %lu walker %lu round %lu deep %lu\n", count[LOOP], count[NEVER], count[AGAIN], count[WALKER], count[ROUND], count[DEEP]);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
