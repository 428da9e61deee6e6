/* SPDX-License-Identifier: Apache-2.0
 * The engine's options, parsed once at start (options.c), read-only afterwards. */
#ifndef LP_OPTIONS_H
#define LP_OPTIONS_H
#include "base/base.h"

struct options {
    u64 cc_memory_size;   /* bytes, 0: unbounded */
    u64 pin_memory_size;  /* bytes of the host heap, 0: unbounded */
    u32 trace_max_ins;    /* 0: the default */
    u32 random_flush;     /* flush after every N traces made, 0: never */
    bool no_link;
    bool no_rip_near;
    bool no_clone;        /* functions are not copied for the places that call them often (R1 to R6) */
    u32 clone_after;      /* returns, 0: the default */
    bool no_dead;         /* all registers and flags count as needed (O5) */
    bool no_inline;       /* analysis calls stay calls (O1, O8, O9) */
    bool no_light;        /* analysis calls save all state (O4, O6) */
    bool no_merge;        /* counters of a block are not added up, nor are those of the iterations of REP (O2, O10) */
    bool no_spread;       /* additions go to the counter itself (O3) */
    bool log_inline;
    bool stats;
    const char *stats_json;
    bool no_lazy;         /* registers and flags are put back after each call (O7, O14) */
    bool no_fold;         /* constant arguments of inlined routines are loaded into registers (O13) */
    bool no_partial;      /* analysis routines are inlined as a whole or not at all (O11) */
    bool no_carry;        /* the place of the next trace record is in memory between blocks (O12; C1 to C4) */
    bool wx;              /* no page of the engine is writable and executable at once */
    bool no_bind;         /* all registers are in place between traces (O15; B1 to B4) */
    bool no_join;         /* a trace does not end where another one begins (E7) */
    bool no_variants;     /* a trace that finds its source changed goes (E16) */
    bool follow_execv;
    int log_level;
    const char *logfile;
    const char *api_calls; /* directory, NULL: off */
    const char *tool;     /* NULL: none */
    int tool_argc;
    const char **tool_argv;
};

extern struct options options;

/* The words stay where they are: options point into them. */
void options_load(int argc, const char *const *word);

#endif
