/* SPDX-License-Identifier: Apache-2.0
 * Counts signals that are intercepted, delivered and returned from, and takes every fourth of the queued ones away. */
#include "golden.h"

#include <csignal>
#include <unistd.h>

enum { THREADS = 64, DEPTH = 256 };
static unsigned long queued, passed, entered, returned, faults, faults_entered, wrong;
static struct { ADDRINT sp[DEPTH]; int depth; } stack[THREADS];
static int first_pid;

static BOOL Queued(THREADID, INT32 sig, CONTEXT *, BOOL handler, const EXCEPTION_INFO *info, VOID *)
{
    wrong += sig != SIGRTMIN || !handler || info;
    bool pass = queued++ % 4 != 3;
    passed += pass;
    return pass;
}

static BOOL Fault(THREADID, INT32, CONTEXT *, BOOL, const EXCEPTION_INFO *info, VOID *)
{
    ADDRINT at = 0;
    faults++;
    wrong += !info || !PIN_GetFaultyAccessAddress(info, &at) || at != 8 || PIN_GetFaultyAccessType(info) != FAULTY_ACCESS_WRITE;
    return true;
}

static VOID Change(THREADID tid, CONTEXT_CHANGE_REASON why, const CONTEXT *from, CONTEXT *to, INT32 sig, VOID *)
{
    if (getpid() != first_pid)
        return;
    if (why == CONTEXT_CHANGE_REASON_SIGNAL && sig == SIGSEGV) {
        faults_entered++;
    } else if (why == CONTEXT_CHANGE_REASON_SIGNAL) {
        entered++;
        if (stack[tid].depth < DEPTH)
            stack[tid].sp[stack[tid].depth] = PIN_GetContextReg(from, REG_STACK_PTR);
        stack[tid].depth++;
    } else if (why == CONTEXT_CHANGE_REASON_SIGRETURN) {
        returned++;
        stack[tid].depth--;
        wrong += stack[tid].depth < 0 || (stack[tid].depth < DEPTH && stack[tid].sp[stack[tid].depth] != PIN_GetContextReg(to, REG_STACK_PTR));
    } else {
        wrong++;
    }
}

static VOID Fini(INT32, VOID *)
{
    if (getpid() == first_pid)
        std::printf("queued %lu passed %lu entered %lu returned %lu faults %lu entered %lu wrong %lu\n", queued, passed, entered, returned, faults, faults_entered, wrong);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    first_pid = getpid();
    PIN_InterceptSignal(SIGRTMIN, Queued, 0);
    PIN_InterceptSignal(SIGSEGV, Fault, 0);
    PIN_AddContextChangeFunction(Change, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
