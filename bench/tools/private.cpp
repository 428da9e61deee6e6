// SPDX-License-Identifier: Apache-2.0
// private: instructions counted at each block, in one counter for all (-how global), or in one of each thread: data of a key (tls), a tool register that points to it (register), or
// that is the counter itself (value).
#include "result.h"

static KNOB<std::string> KnobHow(KNOB_MODE_WRITEONCE, "pintool", "how", "global", "where the counter is: global, tls, register or value");

struct Data {
    UINT64 n;
    UINT8 pad[120];
};
static UINT64 all;
static TLS_KEY key;
static REG reg;

static VOID Global(UINT32 n) { all += n; }
static VOID Tls(UINT32 n, THREADID t) { static_cast<Data *>(PIN_GetThreadData(key, t))->n += n; }
static VOID Register(Data *d, UINT32 n) { d->n += n; }
static ADDRINT Value(ADDRINT count, UINT32 n) { return count + n; }

static VOID Insert(BBL bbl)
{
    const std::string &how = KnobHow.Value();
    if (how == "global")
        BBL_InsertCall(bbl, IPOINT_ANYWHERE, AFUNPTR(Global), IARG_UINT32, BBL_NumIns(bbl), IARG_END);
    else if (how == "tls")
        BBL_InsertCall(bbl, IPOINT_ANYWHERE, AFUNPTR(Tls), IARG_UINT32, BBL_NumIns(bbl), IARG_THREAD_ID, IARG_END);
    else if (how == "register")
        BBL_InsertCall(bbl, IPOINT_ANYWHERE, AFUNPTR(Register), IARG_REG_VALUE, reg, IARG_UINT32, BBL_NumIns(bbl), IARG_END);
    else
        BBL_InsertCall(bbl, IPOINT_ANYWHERE, AFUNPTR(Value), IARG_REG_VALUE, reg, IARG_UINT32, BBL_NumIns(bbl), IARG_RETURN_REGS, reg, IARG_END);
}

static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl))
        Insert(bbl);
}

static VOID Start(THREADID t, CONTEXT *context, INT32, VOID *)
{
    Data *d = new Data();
    PIN_SetThreadData(key, d, t);
    PIN_SetContextReg(context, reg, KnobHow.Value() == "value" ? 0 : ADDRINT(d));
}

static VOID End(THREADID t, const CONTEXT *context, INT32, VOID *)
{
    UINT64 own = KnobHow.Value() == "value" ? PIN_GetContextReg(context, reg) : static_cast<Data *>(PIN_GetThreadData(key, t))->n;
    __atomic_fetch_add(&all, own, __ATOMIC_RELAXED);
}

static VOID Fini(INT32, VOID *) { result_write("instructions", all); }

int main(int argc, char **argv)
{
    result_start(argc, argv);
    key = PIN_CreateThreadDataKey(NULL);
    reg = PIN_ClaimToolRegister();
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_AddThreadStartFunction(Start, 0);
    PIN_AddThreadFiniFunction(End, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
