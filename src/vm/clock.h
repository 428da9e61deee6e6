/* SPDX-License-Identifier: Apache-2.0
 * Where the time goes, for -stats: each guest thread is at one place at a time, and the cycles that pass are counted
 * for that place. No lock. */
#ifndef LP_VM_CLOCK_H
#define LP_VM_CLOCK_H
#include "base/options.h"

enum clock_place {
    CLOCK_START,    /* until the first guest instruction */
    CLOCK_CACHE,    /* the program, with the tool's analysis routines */
    CLOCK_DIRECT,   /* the VM: a direct exit that was not linked (so for the next lines: why the cache was left) */
    CLOCK_INDIRECT, /* an indirect branch that missed */
    CLOCK_SYSCALL,  /* a system call; the kernel's time is in it */
    CLOCK_EMULATED, /* an instruction that the VM carries out */
    CLOCK_SIGNAL,   /* a signal, or a request to stop */
    CLOCK_STALE,    /* a trace that has found its source changed */
    CLOCK_FULL,     /* a full trace buffer; the tool's function for it */
    CLOCK_REPLACED, /* a routine that the tool has replaced, and its end */
    CLOCK_OTHER,    /* something else */
    CLOCK_DECODE,   /* translation: fetching and decoding */
    CLOCK_TOOL,     /* the tool's instrumentation functions */
    /* Analysis calls: what counts, what is inlined and with which registers, what the guest still needs. */
    CLOCK_OPTIMISE,
    CLOCK_ENCODE,   /* writing code, maps and stubs */
    CLOCK_PLACES
};

struct clock_total {
    u64 cycles, times;
};
extern struct clock_total clock_total[CLOCK_PLACES];

/* The calling thread is at p now; returns where it was. */
enum clock_place clock_switch(enum clock_place p);
static inline enum clock_place clock_at(enum clock_place p) { return UNLIKELY(options.stats) ? clock_switch(p) : p; }
/* The same, back to the place where it was before. That is not counted as another entry. */
void clock_return(enum clock_place p);
static inline void clock_back(enum clock_place p)
{
    if (UNLIKELY(options.stats))
        clock_return(p);
}
/* Adds what has passed since the last switch. */
void clock_stop(void);

#endif
