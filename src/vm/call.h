/* SPDX-License-Identifier: Apache-2.0
 * Guest functions called from host code: a dispatcher inside the dispatcher, on the same host stack, until the guest
 * arrives at the place of return. On the guest's thread, no lock held.
 *
 *  VC1  A call is over when the guest's pc and sp are its return_pc and return_sp. return_pc is VM_RETURN_PC, where no
 *       guest code is, or a guest address at which the jit looks (hooks.h, HOOK_RETURN).
 *  VC2  Calls that the guest has jumped over (longjmp, an exception) are dropped (A33) when an outer one returns, or
 *       when the dispatcher finds that their return address is gone from the stack. When calls have nearly used up a
 *       host stack, those that follow get another one, until they have returned or are dropped.
 *  VC3  Cache code that a call will return to is not freed before that (epoch_floor). */
#ifndef LP_VM_CALL_H
#define LP_VM_CALL_H
#include "vm/vm_thread.h"

#include <setjmp.h>

enum vm_run_how { RUN_FIRST, RUN_AGAIN, RUN_END, RUN_RETURNED };

struct vm_call {
    gpc_t return_pc;       /* set by the caller: VC1 */
    u64 return_sp;
    /* 0, or start and end of a replaced routine whose original is called: branches back to its start with this sp are
     * loops of the routine */
    gpc_t original_pc;
    gpc_t original_end;
    u64 original_sp;
    /* the other fields are set by call.c */
    struct vm_call *outer;
    void *activation;
    u64 outer_floor, floor, host_sp;
    u32 depth;
    bool completing;
    u64 slot[8];
    jmp_buf frame;
};

/* A note: a function to be called when the guest arrives at a place with a certain sp. */
typedef void vm_note_fn(u64 a, u64 b);
struct vm_note {
    gpc_t pc;
    u64 sp;
    vm_note_fn *fn;
    u64 a, b;
};

extern const char vm_return_place[];
#define VM_RETURN_PC ((u64)vm_return_place)

/* vm_tc.cpu is the guest's state at the start of the function, the return address on its stack. Back when the
 * function has returned, vm_tc.cpu as it was then. */
void vm_call_guest(struct vm_call *c);
/* Called by a dispatcher that begins with no calls. */
void vm_forget_calls(void);
/* fn(a, b) will be called when the guest is at pc with that sp; the youngest note first. */
void vm_note_return(gpc_t pc, u64 sp, vm_note_fn *fn, u64 a, u64 b);
/* Called when the thread ends. */
void vm_free_notes(void);
/* The guest has branched from `from` to its pc. True: that is a loop inside a replaced routine whose original runs. */
bool vm_in_original(gpc_t from);
/* The guest is at a place of return. Does not return if a call is over. */
void vm_check_return(void);
/* Forgets calls that the guest has jumped over (VC2). Does not return if there were any. */
void vm_drop_calls(void);

#endif
