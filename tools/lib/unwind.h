/* SPDX-License-Identifier: Apache-2.0
 * Call stacks for analysis routines that take many of them (heapcheck, malloctrace): by .eh_frame, and by frame pointers where there is none. What an address asks for is found once
 * for each thread, so that a frame costs a few nanoseconds. Needs no lock; each thread has an Unwinder of its own. */
#ifndef UNWIND_H
#define UNWIND_H
#include "tool.h"

#include <map>
#include <unordered_map>
#include <vector>

struct Result;

/* How to get from an instruction to its caller. */
struct UnwindRule {
    ADDRINT pc;
    INT32 cfa, bp; /* offsets: of the frame from its register; of the saved frame pointer from the frame, 0: not saved */
    UINT8 kind;
};

class Unwinder
{
  public:
    Unwinder() : generation(0), low(0), high(0), rules() {}
    /* The addresses of the instruction at pc and of the calls that led to it, the innermost first; returns how many. at_entry: pc is the first of a routine, so that the return address is
     * on top of the stack; the pc itself is left out then. */
    UINT32 Take(ADDRINT pc, ADDRINT sp, ADDRINT bp, BOOL at_entry, ADDRINT *to, UINT32 room);
    /* The stack that sp is on; FALSE: in no memory of the program's. */
    BOOL FindStack(ADDRINT sp);
    ADDRINT StackHigh() const { return high; }

  private:
    enum { RULES = 2048 };
    BOOL Step(ADDRINT *pc, ADDRINT *sp, ADDRINT *bp, BOOL is_call);
    BOOL Read(ADDRINT at, ADDRINT *value) const;
    const UnwindRule *RuleOf(ADDRINT pc);
    UINT32 generation;
    ADDRINT low, high; /* of the stack */
    UnwindRule rules[RULES];
};

/* Before PIN_StartProgram. */
VOID unwind_start();
/* Around a fork: no other thread is in the tables then. */
VOID unwind_before_fork();
VOID unwind_after_fork();
/* The routine that .eh_frame has at the address: FALSE: none. */
BOOL unwind_routine(ADDRINT address, ADDRINT *low, ADDRINT *high);

/* Stacks by number, each kept once. Number 0 is the empty one. */
class UnwindStacks
{
  public:
    UnwindStacks() : stacks(1), lock() { PIN_InitLock(&lock); }
    UINT32 Keep(const ADDRINT *frames, UINT32 n);
    /* The innermost first, as indexes of the result's frames. Under the client lock. */
    std::vector<int> Frames(UINT32 number, Result *result);
    /* Addresses of the innermost frames as they were taken. */
    std::vector<UINT32> Notes(UINT32 number);
    /* An image goes: what is in it is looked up now. Under the client lock. */
    VOID Leave(ADDRINT low, ADDRINT high);
    PIN_LOCK *Lock() { return &lock; }

  private:
    static const ADDRINT NOTED = ADDRINT(1) << 63; /* a number of where_note in place of an address */
    UINT32 Note(ADDRINT *frame);
    std::vector<std::vector<ADDRINT>> stacks;
    std::unordered_multimap<UINT64, UINT32> by_hash;
    std::map<UINT32, int> index; /* of a result's frames, by note */
    const Result *indexed = NULL;
    PIN_LOCK lock;
};

#endif
