/* SPDX-License-Identifier: Apache-2.0
 * Calls run once for each execution, also when signals arrive at any moment: counts by instruction from at_first to at_last, before, after and where taken. rewrite=1: memory operands get the
 * addresses that they have anyway. raise=1: the signals are sent by the calls, one by each, every one in a turn of its own, and each is to come. The instructions at_gone and at_jump are deleted, at_jump goes to at_landing. Rules A39, E18. */
#include "golden.h"

#include <map>
#include <signal.h>

struct counters {
    UINT64 before, after, taken;
    UINT64 turn; /* in which `before` raises; `after` does in the next one, `taken` in the one behind that */
    bool has_after, has_taken;
};
static std::map<ADDRINT, counters> all;

static VOID Leaf(UINT64 *n) { ++*n; }
static VOID __attribute__((noinline)) Deep(UINT64 *n) { *(volatile UINT64 *)n = *n + 1; }
static VOID Full(UINT64 *n)
{
    char text[32];
    std::snprintf(text, sizeof text, "%lu", *n); /* long enough for signals to come in it */
    if (text[0])
        Deep(n);
}

static VOID Raise(UINT64 *n, UINT64 turn)
{
    if (++*n == turn)
        raise(SIGALRM);
}

/* The same with the rare part as a Then call; raise=before: only in front of instructions. */
static ADDRINT IsTurn(UINT64 *n, UINT64 turn) { return ++*n == turn; }
static VOID RaiseNow() { raise(SIGALRM); }

/* One half is inlined, the other left to the routine itself, long enough for signals to come in it. */
static VOID __attribute__((noinline)) Other(UINT64 *n)
{
    __asm__ volatile("push %%rbx\n mov $300, %%ebx\n 1: dec %%ebx\n jnz 1b\n pop %%rbx" : : : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm1", "cc");
    ++*n;
}
static VOID Half(UINT64 *n)
{
    if (*n % 2)
        Other(n);
    else
        ++*n;
}

static ADDRINT Same(ADDRINT v) { return v; }

static VOID Change(INS ins)
{
    for (UINT32 i = 0; option("rewrite") && i < INS_MemoryOperandCount(ins); i++) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Same), IARG_MEMORYOP_EA, i, IARG_RETURN_REGS, REG(REG_INST_G0 + i), IARG_END);
        INS_RewriteMemoryOperand(ins, i, REG(REG_INST_G0 + i));
    }
    if (is_at(ins, "at_jump")) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Same), IARG_ADDRINT, at("at_landing"), IARG_RETURN_REGS, REG_INST_G9, IARG_END);
        INS_InsertIndirectJump(ins, IPOINT_AFTER, REG_INST_G9);
    }
    if (is_at(ins, "at_gone") || is_at(ins, "at_jump"))
        INS_Delete(ins);
}

static VOID Count(INS ins, IPOINT where, UINT64 *n, UINT64 turn)
{
    std::string raises = option("raise") ? option("raise") : "";
    if (raises == "before" && where != IPOINT_BEFORE)
        return;
    if (raises == "then" || raises == "before") {
        INS_InsertIfCall(ins, where, AFUNPTR(IsTurn), IARG_PTR, n, IARG_UINT64, turn, IARG_END);
        INS_InsertThenCall(ins, where, AFUNPTR(RaiseNow), IARG_END);
    } else if (option("raise"))
        INS_InsertCall(ins, where, AFUNPTR(Raise), IARG_PTR, n, IARG_UINT64, turn, IARG_END);
    else
        INS_InsertCall(ins, where, option("leaf") ? AFUNPTR(Leaf) : option("half") ? AFUNPTR(Half) : AFUNPTR(Full), IARG_PTR, n, IARG_END);
}

static VOID Instruction(INS ins, VOID *)
{
    if (option("raise"))
        *(volatile UINT64 *)at("at_quiet") = 1;
    if (!in_range(ins))
        return;
    bool fresh = !all.count(INS_Address(ins));
    counters &c = all[INS_Address(ins)];
    if (fresh)
        c.turn = 7 + 3 * all.size();
    Change(ins);
    Count(ins, IPOINT_BEFORE, &c.before, c.turn);
    c.has_after = (INS_IsValidForIpointAfter(ins) || INS_IsSyscall(ins));
    c.has_taken = INS_IsValidForIpointTakenBranch(ins);
    if (c.has_after)
        Count(ins, IPOINT_AFTER, &c.after, c.turn + 1);
    if (c.has_taken)
        Count(ins, IPOINT_TAKEN_BRANCH, &c.taken, c.turn + 2);
}

static VOID PrintSignals()
{
    UINT64 raised = 0;
    for (std::map<ADDRINT, counters>::iterator i = all.begin(); i != all.end(); ++i)
        raised += (i->second.before >= i->second.turn) + (i->second.after > i->second.turn) + (i->second.taken > i->second.turn + 1);
    std::printf("raised %lu, came %lu\n", raised, *(UINT64 *)at("at_hits"));
}

static VOID Fini(INT32, VOID *)
{
    for (std::map<ADDRINT, counters>::iterator i = all.begin(); i != all.end(); ++i) {
        std::printf("0x%lx %lu", i->first, i->second.before);
        if (i->second.has_after)
            std::printf(" after %lu", i->second.after);
        if (i->second.has_taken)
            std::printf(" taken %lu", i->second.taken);
        std::printf("\n");
    }
    if (option("raise"))
        PrintSignals();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
