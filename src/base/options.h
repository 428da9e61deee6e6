/* SPDX-License-Identifier: Apache-2.0
 * The engine's options, parsed once at start (options.c), read-only afterwards. */
#ifndef LP_OPTIONS_H
#define LP_OPTIONS_H
#include "base/base.h"

struct options {
    u64 cc_memory_size;   /* bytes, 0: unbounded */
    u64 pin_memory_size;  /* bytes of the host heap, 0: unbounded */
    u32 trace_max_ins;    /* 0: the default */
    u32 region_max_bbls;  /* blocks of a trace, 0: the default */
    u32 thread_stack_size; /* KiB for the tool's routines on each thread, 0: the default */
    const char *reserve_memory; /* file with ranges that are to be memory of the program's; NULL: none */
    bool probe;           /* probe mode, whichever function the tool starts the program with */
    u32 pause_tool;       /* seconds to wait when the tool is loaded, so that a debugger can be attached; 0: none */
    u32 pause;            /* the same at the engine's start */
    const char *tool_load_option; /* NULL: none */
    const char *error_file; /* NULL: none */
    bool unique_error_file; /* the process' number is added to its name */
    const char *pin_log;  /* under the command pin: the log of errors where no -logfile is given; NULL: not under it */
    bool assert_check_inline; /* a routine with IARG_CHECK_INLINE that is not inlined is an error */
    const char *mesgon[8]; /* classes of messages that are switched on */
    u32 nmesgon;
    bool no_save_x87;     /* analysis calls leave x87's registers as the routine leaves them (-bridge_save_x87 0) */
    bool no_save_mxcsr;   /* the same for MXCSR */
    bool unique_logfile;  /* the process' number is added to the log file's name */
    const char *ignored[32]; /* options of Pin that mean nothing here */
    u32 nignored;
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
    bool progress;        /* on a terminal a line says how far the program is */
    u32 progress_every;   /* seconds, 0: not asked for; the same wherever standard error goes */
    bool no_lazy;         /* registers and flags are put back after each call (O7, O14) */
    bool no_fold;         /* constant arguments of inlined routines are loaded into registers (O13) */
    bool no_partial;      /* analysis routines are inlined as a whole or not at all (O11) */
    bool no_carry;        /* the place of the next trace record is in memory between blocks (O12; C1 to C4) */
    bool wx;              /* no page of the engine is writable and executable at once */
    bool no_bind;         /* all registers are in place between traces (O15; B1 to B4) */
    bool no_large_pages;  /* all of the engine's memory is in small pages, made when they are touched */
    bool no_runs;         /* each instruction is decoded and copied for itself */
    bool no_quick_decode; /* every instruction by the full decoder */
    bool no_quick_save;   /* vector registers are saved and loaded by XSAVE and XRSTOR alone */
    bool no_ahead;        /* no code is made or linked before the guest comes to it (jit/ahead.h) */
    bool no_join;         /* a trace does not end where another one begins (E7) */
    bool no_variants;     /* a trace that finds its source changed goes (E16) */
    bool follow_execv;
    const char *record;   /* the folder of a recording that is to be made, NULL: none */
    const char *replay;   /* of the one that runs in place of a program */
    bool show_output;     /* what the recorded program has written to its standard output and error is written again */
    u32 generation;       /* how many programs this process and those before it have executed that were followed */
    u32 patience;         /* seconds for the tool's functions at the end, 0: the default */
    bool appdebug;          /* a debugger is waited for before the first instruction */
    bool appdebug_enable;   /* one may come at any time */
    bool appdebug_off;      /* neither, for this program */
    bool appdebug_silent;
    bool appdebug_allow_remote;
    bool appdebug_forks;    /* forks and programs executed are told to it */
    u32 appdebug_server_port; /* 0: any free one */
    u32 appdebug_ready;     /* a descriptor of the launcher's to tell that the debugger may come, 0: none */
    const char *appdebug_exclude;    /* the launcher's business; here for programs that are followed */
    const char *appdebug_inherit; /* of the engine that has executed this program: its debugger's connection */
    const char *appdebug_connection; /* NULL: it is waited for at a TCP port */
    int log_level;
    const char *logfile;
    struct addresses pin_memory_range, cc_memory_range; /* end 0: none */
    const char *api_calls; /* directory, NULL: off */
    const char *api_spoil; /* what is wrong on purpose, NULL: nothing */
    const char *tool;     /* NULL: none */
    const char *narrow_tool, *wide_tool; /* instead of it, for programs of one kind; NULL: none */
    int tool_argc;
    const char **tool_argv;
};

extern struct options options;

/* The word after the n-th that is `name` among the tool's own options, "" if it is the last; NULL: there are not so
 * many. */
const char *options_of_tool(const char *name, u32 n);
/* Has -mesgon switched the class on? */
bool options_message_class(const char *name);
/* The tool is the one for programs of this kind, if one is named. Before anybody looks at it. */
void options_choose_tool(bool narrow);
/* The words stay where they are: options point into them. */
void options_load(int argc, const char *const *word);

#endif
