/* SPDX-License-Identifier: Apache-2.0
 * Guest private: counters of each thread, reached in all the ways that tools use, other=yes: after a while there is a call that is no counter. */
#include "golden.h"

#include <algorithm>
#include <vector>

static const UINT64 all = 2 * 4 * 200 * 5000ul; /* of the guest */
struct Data {
    UINT64 n;
    UINT8 pad[56];
};
static const int most = 64;
static UINT64 watched, calls, backwards;
static Data array[most];
static std::vector<UINT32> table(most);
static Data *pointers[most];
static TLS_KEY key;
static REG reg, counter;
static UINT64 data_sum, register_sum, value_sum, threads;
static UINT8 marks[10][all / 8 + 1]; /* a loop of a thread each */

static VOID Array(THREADID t, UINT32 n) { array[t].n += n; }
static VOID Table(THREADID t) { table[t]++; }
static VOID Pointer(THREADID t) { pointers[t]->n++; }
static VOID Private(UINT32 n, THREADID t) { static_cast<Data *>(PIN_GetThreadData(key, t))->n += n; }
static VOID Register(Data *d) { d->n--; }
static ADDRINT Value(UINT32 n, ADDRINT count) { return count + n; }
static VOID Mark(UINT8 *at) { ++*at; }
static VOID Other(ADDRINT) { calls++; } /* an address that is not known beforehand */

static VOID Instruction(INS ins, VOID *)
{
    if (!is_at(ins, "at_loop"))
        return;
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Array), IARG_THREAD_ID, IARG_UINT32, 3, IARG_END);
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Table), IARG_THREAD_ID, IARG_END);
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Pointer), IARG_THREAD_ID, IARG_END);
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Private), IARG_UINT32, 5, IARG_THREAD_ID, IARG_END);
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Register), IARG_REG_VALUE, reg, IARG_END);
    if (option("mark"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Mark), IARG_REG_VALUE, counter, IARG_END);
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Value), IARG_UINT32, option("mark") ? 1 : 7, IARG_REG_VALUE, counter, IARG_RETURN_REGS, counter, IARG_END);
    if (option("other") && watched > all / 16)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Other), IARG_REG_VALUE, REG_STACK_PTR, IARG_END);
}

/* What the counting register has at the start: with marks, it points to the next one. */
static ADDRINT first(THREADID t) { return option("mark") ? ADDRINT(marks[t]) : 0; }

/* The loops that the thread has behind it are all there, and no more than it has begun. */
static VOID Entry(THREADID t, CONTEXT *context, SYSCALL_STANDARD, VOID *)
{
    static UINT64 last[most];
    if (PIN_GetContextReg(context, counter) - first(t) != array[t].n / 3 * (option("mark") ? 1 : 7))
        backwards++;
    if (array[t].n < last[t] || array[t].n != 3 * pointers[t]->n || array[t].n != 3 * table[t])
        backwards++;
    last[t] = array[t].n;
    watched = array[t].n;
    if (option("other") && watched > all / 16 && !calls)
        PIN_RemoveInstrumentation();
}

static VOID Start(THREADID t, CONTEXT *context, INT32, VOID *)
{
    pointers[t] = new Data();
    PIN_SetThreadData(key, new Data(), t);
    PIN_SetContextReg(context, reg, ADDRINT(new Data()));
    PIN_SetContextReg(context, counter, first(t));
}

static VOID End(THREADID t, const CONTEXT *context, INT32, VOID *)
{
    Data *d = reinterpret_cast<Data *>(PIN_GetContextReg(context, reg));
    __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&data_sum, static_cast<Data *>(PIN_GetThreadData(key, t))->n, __ATOMIC_RELAXED);
    __atomic_fetch_add(&register_sum, d->n, __ATOMIC_RELAXED);
    __atomic_fetch_add(&value_sum, PIN_GetContextReg(context, counter) - first(t), __ATOMIC_RELAXED);
}

static void show(const char *what, UINT64 n, UINT64 want)
{
    if (n == want)
        std::printf("%s exact\n", what);
    else
        std::printf("%s %lu of %lu\n", what, n, want);
}

static VOID Fini(INT32, VOID *)
{
    UINT64 sum[3] = {0, 0, 0};
    for (int i = 0; i < most; i++) {
        sum[0] += array[i].n;
        sum[1] += table[i];
        sum[2] += pointers[i] ? pointers[i]->n : 0;
    }
    std::printf("threads %lu\n", threads);
    show("array", sum[0], 3 * all);
    show("table", sum[1], all);
    show("pointers", sum[2], all);
    show("data", data_sum, 5 * all);
    show("register", register_sum, -all);
    show("value", value_sum, option("mark") ? all : 7 * all);
    if (option("mark"))
        show("marks", std::count(marks[0], marks[9], 1), all);
    std::printf(backwards ? "%lu times out of order\n" : "seen in order\n", backwards);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    key = PIN_CreateThreadDataKey(0);
    reg = PIN_ClaimToolRegister();
    counter = PIN_ClaimToolRegister();
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddSyscallEntryFunction(Entry, 0);
    PIN_AddThreadStartFunction(Start, 0);
    PIN_AddThreadFiniFunction(End, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
