/* SPDX-License-Identifier: Apache-2.0
 * What the VM keeps for each thread: where it is, what asks it to stop, the guest functions that host code has
 * called on it (call.h), what it counts (tally.h). */
#ifndef LP_VM_THREAD_H
#define LP_VM_THREAD_H
#include "base/base.h"

struct pause_change;
struct vm_call;
struct vm_note;

/* A host stack that calls of guest functions use from `depth` on. */
struct vm_stack {
    struct vm_stack *outer;
    u32 depth;
    u64 outer_limit;
};

struct vm_calls {
    struct vm_stack *stack; /* the innermost one; NULL: the thread's own */
    u64 stack_limit;        /* host stack below this is too short for one more call */
    struct vm_note *note;  /* [nnotes], the youngest last */
    u32 nnotes, notes_room;
    struct vm_call *top;
    void *activation;      /* the innermost replacement routine that runs (api/replace.c) */
    /* The cache address at which the guest goes on after an exit that the VM had to decide about. */
    u8 *resume;
    gpc_t skip_pc;         /* the replaced routine whose original is entered when the guest is there with skip_sp */
    u64 skip_sp;
};

enum indirect_kind { INDIRECT_JUMP, INDIRECT_CALL, INDIRECT_RETURN, INDIRECT_KINDS };

struct tally {
    u64 kind;                         /* of the last indirect branch */
    u64 executed[INDIRECT_KINDS];
    u64 directory[INDIRECT_KINDS];    /* missed the table, found in the directory */
    u64 missed[INDIRECT_KINDS];       /* missed both: the VM */
    u64 gate_calls;                   /* system calls made in the cache (E10) */
    u64 vm_calls;                     /* system calls that the VM has carried out */
    u64 emulated;                     /* instructions */
};

struct vm_thread {
    /* epoch of the cache code that the thread may be in (E9); ~0: it is not in the cache */
    u64 epoch;
    /* Epoch of the oldest cache code that a called guest function returns to (call.h); ~0: none. */
    u64 epoch_floor;
    void *run_frame;             /* vm_run's jmp_buf on this thread's host stack */
    struct vm_calls calls;
    s32 exit_code;               /* of the guest thread, once it has ended */
    bool waits_client;           /* for the client lock */
    u8 clock_place;              /* -stats (clock.h) */
    u64 clock_last;
    u32 pause_state;             /* enum pause_state (pause.h) */
    u32 held;                    /* does not go on with the others (ST4) */
    u64 pause_tls;               /* the guest's TLS base when it changed */
    struct pause_change *pause_change; /* registers that the tool has changed while the thread was stopped */
    struct tally tally;
};

#endif
