/* SPDX-License-Identifier: Apache-2.0
 * The debugger's stub, for the layers above it: start, and what the tool's functions ask (docs/design/debugger.md). */
#ifndef LP_DEBUGGER_H
#define LP_DEBUGGER_H
#include "debug/debug_thread.h"

struct bridge_state;
struct thread;

/* How the debugger is reached, from the options or from the tool (before the guest runs). */
struct debug_mode {
    bool on;
    bool stop;         /* before the first instruction */
    bool silent;       /* nothing is printed */
    bool remote;       /* from other machines, too */
    bool forks;        /* forks and programs executed are told, by the protocol of several processes */
    const char *inherit; /* another program has executed this one, and had a debugger (execs.c) */
    const char *path;  /* of a socket to wait at; NULL: TCP */
    const char *host;  /* connect there; NULL: wait */
    u32 port;          /* 0: any */
};
extern struct debug_mode debug_mode;

/* Before the guest runs, each does nothing when debug_mode.on is false. debug_open: debug_mode says how; *port is known
 * then. debug_start: once; says how to connect, and starts the debugger's thread. debug_end: takes debug_open back. */
void debug_open(void);
void debug_start(void);
void debug_end(void);
/* Reads the options. */
void debug_options(void);

bool debug_connected(void);
bool debug_wait_connected(u32 ms); /* ~0: for good. False: not yet */
/* Is the thread stopped, and does the debugger know? */
bool debug_is_stopped(const struct thread *t);

enum debug_type { DEBUGGER_IS_UNKNOWN, DEBUGGER_IS_GDB, DEBUGGER_IS_LLDB };
enum debug_type debug_type(void);

/* --- for the tool (DB10 to DB12) ---------------------------------------------------------------------------------- */
/* The calling guest thread stops when it is next in the dispatcher. */
void debug_stop_here(const char *message);
/* Of a thread whose stop the debugger does not know of yet; NULL: it does not stop. */
void debug_change_stop(struct thread *t, const char *message);
/* The tool is asked again whether it takes the breakpoint there, if there is one. */
void debug_reset_break(u64 at);

#define DEBUG_EMULATED_BYTES 64
enum debug_intercept { INTERCEPT_BREAK, INTERCEPT_STEP, INTERCEPT_ASYNC };
/* Filled by the API as the tool asks; NULL: it does not. */
struct debug_hooks {
    /* A command of the debugger's user, for the thread that it looks at. False: not known. */
    bool (*command)(struct thread *t, struct bridge_state *s, const char *text, const char **result);
    /* True: the tool makes the breakpoint itself. */
    bool (*takes_break)(u64 at, u64 bytes, bool insert);
    /* False: the debugger is not to hear of it. s may be changed. On the thread that stops, but for INTERCEPT_ASYNC. */
    bool (*intercept)(enum debug_intercept event, u32 tid, struct bridge_state *s);
    /* Registers that the tool describes, all of them or none. */
    u32 (*reg_bytes)(u32 n); /* 0: there is none of that number */
    void (*reg_get)(struct thread *t, struct bridge_state *s, u32 n, void *out);
    bool (*reg_set)(struct thread *t, struct bridge_state *s, u32 n, const void *in);
    char *(*description)(const char *name); /* from malloc */
};
extern struct debug_hooks debug_hooks;

#endif
