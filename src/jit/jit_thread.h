/* SPDX-License-Identifier: Apache-2.0
 * What the dispatcher keeps for each thread: a part of struct thread (os/thread.h), written by that thread alone. */
#ifndef LP_JIT_THREAD_H
#define LP_JIT_THREAD_H
#include "base/base.h"

/* What a debugger has to do with the thread. From JIT_STEPPED on: it is told before the thread goes on
 * (jit_events.stopped). */
enum jit_debug {
    JIT_FREE,
    JIT_STEP,    /* one instruction at a time */
    JIT_STEPPED, /* that instruction is done */
    JIT_BROKE,   /* at a breakpoint */
    JIT_HALT,    /* at the debugger's own wish */
};

struct jit_thread {
    u64 version;                 /* number of the version of traces that the thread runs (versions.h) */
    u8 *resume;                  /* cache address to go on at if the guest still stands at resume_pc */
    gpc_t resume_pc;
    u8 resume_how;               /* enum arch_entry */
    bool fell;                   /* the exit taken last was at the end of its trace (os_section_enter) */
    u8 debug;                    /* enum jit_debug */
    gpc_t last_pc;               /* last guest pc dispatched, for bug reports */
};

#endif
