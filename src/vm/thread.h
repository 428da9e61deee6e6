/* SPDX-License-Identifier: Apache-2.0
 * The thread context (E1) and the list of threads. */
#ifndef LP_VM_THREAD_H
#define LP_VM_THREAD_H
#include "cpu.h"
#include "os/os.h"
#include "os/os_thread.h"
#include "vm/call.h"
#include "vm/tally.h"

#define THREAD_TOOL_REGS 30 /* REG_INST_G0 to G29 */
#define THREAD_BUFFERS 32
#define SPREAD_COUNTERS 32
#define SPREAD_PLACES 8

#define THREAD_REPS_KEPT 4

struct rep_note {
    u64 pc, count, sp;
};

struct thread {
    struct cpu_state cpu;        /* first: assembly uses offsets from the context's start */
    struct os_thread os;         /* what the OS layer keeps: signals, robust list, tids (src/os/linux) */
    struct thread *next, *prev;  /* all threads, under vm_lock_threads */
    u64 epoch;                   /* cache epoch seen when the thread was last in the VM (E9); ~0: not in the cache */
    u32 id;                      /* 0, 1, ...: threads of the tool included; not used again before PIN_MAX_THREADS others */
    bool has_id;                 /* false: a thread that the tool made by itself */
    bool waits_client;           /* for the client lock */
    bool tool_started;           /* those for its start have begun */
    bool tool_told;              /* the tool's functions for the end of this thread have run */
    bool has_buffers;            /* trace buffers (api/buffer.c): cache code fills them */
    struct trace_buffer { u8 *start, *next, *last, *limit; } buffer[THREAD_BUFFERS + 1]; /* by number, from 1; last: the latest place where a record fits, next is never behind it; limit: where fill.slack more fit */
    s32 exit_code;               /* of the guest thread, once it has ended */
    u64 uid;                     /* 0, 1, ...: never used twice */
    u64 epoch_floor;             /* cache code of this epoch waits for a guest function to return (vm/call.h); ~0: none */
    u8 clock_place;              /* -stats (clock.h) */
    u64 clock_last;
    u32 stop_state;              /* enum stop_state (pause.h) */
    u64 version;                 /* number of the version of traces that the thread runs (jit/versions.h) */
    u64 stop_tls;                /* the guest's TLS base when it changed */
    struct stop_change *stop_change; /* registers that the tool has changed while the thread was stopped */
    u8 *resume;                  /* dispatcher: cache address to go on at if the guest still stands at resume_pc */
    gpc_t resume_pc;
    u8 resume_how;               /* enum arch_entry */
    void *run_frame;             /* vm_run's jmp_buf on this thread's host stack */
    struct vm_calls calls;
    gpc_t last_pc;               /* last guest pc dispatched, for bug reports */
    u64 tool_reg[THREAD_TOOL_REGS]; /* registers that only the tool sees */
    struct rep_note rep;         /* the REP instruction that has iterations to go, where a tool asks (IARG_FIRST_REP_ITERATION) */
    struct rep_note rep_kept[THREAD_REPS_KEPT]; /* those that handlers of signals have interrupted, the latest */
    u32 nreps_kept;
    struct {
        u64 place[SPREAD_COUNTERS][SPREAD_PLACES], flushed[SPREAD_COUNTERS];
    } spread;                    /* counters (jit/spread.h) */
    struct tally tally;
    u64 memory_ptr[3];           /* addresses of rewritten memory operands, for calls after the instruction */
    struct {
        gpc_t pc;                /* of the gather or scatter that `address` is for, 0: none */
        u64 fault;               /* one of its addresses that cannot be accessed, 0: it is done */
        u64 address[16];         /* where the tool wants its elements */
    } scattered;
};

struct stop_change {
    u32 n;
    u64 word[]; /* n from before, n from after */
};

extern __thread struct thread vm_tc;

/* First thread: called once at start; others: by the new thread itself before it runs guest code. */
void thread_register(void);
void thread_unregister(void);
void thread_list_lock(void);
void thread_list_unlock(void);
struct thread *thread_first(void); /* list lock held */
u32 thread_count(void);
/* A number of its own for the calling thread, which is one of the tool's (not in the list), and back. */
void thread_take_id(void);
void thread_give_id(void);
/* A handler is about to run: a REP instruction that goes on behind it is still the same execution. */
void thread_keep_rep(void);
/* In the child of a fork: only the calling thread is left. */
void thread_after_fork(void);

#endif
