/* SPDX-License-Identifier: Apache-2.0
 * Counts of the C library's allocations, by calls inserted at its functions (mode=trace) or by replacing them (mode=replace). out=FILE: a line goes to the end of FILE, else to standard output. */
#include "golden.h"

struct counts {
    UINT64 mallocs, callocs, reallocs, frees, bytes, results;
};
static counts n;
static VOID add(UINT64 *to, UINT64 by) { __atomic_add_fetch(to, by, __ATOMIC_RELAXED); }

static VOID OnMalloc(ADDRINT bytes) { add(&n.mallocs, 1), add(&n.bytes, bytes); }
static VOID OnCalloc(ADDRINT count, ADDRINT bytes) { add(&n.callocs, 1), add(&n.bytes, count * bytes); }
static VOID OnRealloc(ADDRINT bytes) { add(&n.reallocs, 1), add(&n.bytes, bytes); }
static VOID OnFree() { add(&n.frees, 1); }
static VOID OnResult(ADDRINT p) { add(&n.results, p != 0); }

static VOID *NewMalloc(VOID *(*original)(size_t), size_t bytes)
{
    OnMalloc(bytes);
    VOID *p = original(bytes);
    OnResult(ADDRINT(p));
    return p;
}

static VOID *NewCalloc(const CONTEXT *ctxt, AFUNPTR original, size_t count, size_t bytes)
{
    VOID *p = 0;
    OnCalloc(count, bytes);
    PIN_CallApplicationFunction(ctxt, PIN_ThreadId(), CALLINGSTD_DEFAULT, original, NULL, PIN_PARG(VOID *), &p, PIN_PARG(size_t), count, PIN_PARG(size_t), bytes, PIN_PARG_END());
    OnResult(ADDRINT(p));
    return p;
}

static VOID *(*realloc_original)(VOID *, size_t);
static VOID *NewRealloc(VOID *old, size_t bytes)
{
    OnRealloc(bytes);
    VOID *p = realloc_original(old, bytes);
    OnResult(ADDRINT(p));
    return p;
}

static VOID NewFree(const CONTEXT *ctxt, AFUNPTR original, VOID *p)
{
    OnFree();
    PIN_CallApplicationFunction(ctxt, PIN_ThreadId(), CALLINGSTD_DEFAULT, original, NULL, PIN_PARG(void), PIN_PARG(VOID *), p, PIN_PARG_END());
}

static VOID Replace(IMG img)
{
    PROTO p = PROTO_Allocate(PIN_PARG(VOID *), CALLINGSTD_DEFAULT, "malloc", PIN_PARG(size_t), PIN_PARG_END());
    RTN_ReplaceSignature(RTN_FindByName(img, "malloc"), AFUNPTR(NewMalloc), IARG_PROTOTYPE, p, IARG_ORIG_FUNCPTR, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_END);
    PROTO_Free(p);
    p = PROTO_Allocate(PIN_PARG(VOID *), CALLINGSTD_DEFAULT, "calloc", PIN_PARG(size_t), PIN_PARG(size_t), PIN_PARG_END());
    RTN_ReplaceSignature(RTN_FindByName(img, "calloc"), AFUNPTR(NewCalloc), IARG_PROTOTYPE, p, IARG_CONTEXT, IARG_ORIG_FUNCPTR, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_FUNCARG_ENTRYPOINT_VALUE, 1,
                         IARG_END);
    PROTO_Free(p);
    p = PROTO_Allocate(PIN_PARG(void), CALLINGSTD_DEFAULT, "free", PIN_PARG(VOID *), PIN_PARG_END());
    RTN_ReplaceSignature(RTN_FindByName(img, "free"), AFUNPTR(NewFree), IARG_PROTOTYPE, p, IARG_CONST_CONTEXT, IARG_ORIG_FUNCPTR, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_END);
    PROTO_Free(p);
    realloc_original = (VOID * (*)(VOID *, size_t)) RTN_Replace(RTN_FindByName(img, "realloc"), AFUNPTR(NewRealloc));
}

static VOID Insert(IMG img)
{
    static const char *const names[] = {"malloc", "calloc", "realloc", "free"};
    for (int i = 0; i < 4; i++) {
        RTN rtn = RTN_FindByName(img, names[i]);
        RTN_Open(rtn);
        if (i == 0)
            RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(OnMalloc), IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_END);
        else if (i == 1)
            RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(OnCalloc), IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_FUNCARG_ENTRYPOINT_VALUE, 1, IARG_END);
        else if (i == 2)
            RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(OnRealloc), IARG_FUNCARG_ENTRYPOINT_VALUE, 1, IARG_END);
        else
            RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(OnFree), IARG_END);
        if (i < 3)
            RTN_InsertCall(rtn, IPOINT_AFTER, AFUNPTR(OnResult), IARG_FUNCRET_EXITPOINT_VALUE, IARG_END);
        RTN_Close(rtn);
    }
}

static VOID Image(IMG img, VOID *)
{
    if (IMG_Name(img).find("/libc.so") == std::string::npos)
        return;
    if (!std::strcmp(option("mode"), "replace"))
        Replace(img);
    else
        Insert(img);
}

/* The guest of the golden test counts from here. */
static counts before;
static VOID Mark() { before = n; }
static VOID Routine(RTN rtn, VOID *)
{
    if (RTN_Name(rtn) != "mark")
        return;
    RTN_Open(rtn);
    RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(Mark), IARG_END);
    RTN_Close(rtn);
}

static VOID Fini(INT32, VOID *)
{
    std::FILE *f = option("out") ? std::fopen(option("out"), "a") : stdout;
    std::fprintf(f, "malloc %lu calloc %lu realloc %lu free %lu bytes %lu results %lu\n", n.mallocs - before.mallocs, n.callocs - before.callocs, n.reallocs - before.reallocs, n.frees - before.frees,
                 n.bytes - before.bytes, n.results - before.results);
    if (f != stdout)
        std::fclose(f);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, 0);
    RTN_AddInstrumentFunction(Routine, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
