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
    bool no_clone;        /* functions are not copied for the places that call them often */
    u32 clone_after;      /* returns, 0: the default */
    bool no_dead;         /* all registers and flags count as needed */
    bool no_inline;       /* analysis calls stay calls */
    bool no_light;        /* analysis calls save all state */
    bool no_merge;        /* counters of a block are not added up */
    bool no_spread;       /* additions go to the counter itself */
    bool log_inline;
    bool stats;
    const char *stats_json;
    bool no_lazy;
    bool no_fold;         /* constant arguments of inlined routines are loaded into registers */
    bool no_partial;      /* analysis routines are inlined as a whole or not at all */
    bool no_carry;
    bool no_bind;
    bool no_join;
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
