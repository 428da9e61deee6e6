/* SPDX-License-Identifier: Apache-2.0
 * Instrumentation of a trace that is being made: the tool's callbacks see its instructions and insert calls (A4). */
#ifndef LP_JIT_INSTRUMENT_H
#define LP_JIT_INSTRUMENT_H
#include "base/callback.h"
#include "opt/pass.h"


/* Runs the tool's callbacks over b->insn; sets b->ins. Returns the number of calls inserted plus 1, 0: no tool wants
 * traces. */
size_t instrument_trace(struct pass *b);

/* The trace has been made: runs the functions that want to know where it is in the cache. */
void instrument_inserted(const struct trace *t);

typedef void instrument_fn(u32 handle, void *arg);
enum instrument_kind { INSTRUMENT_TRACE, INSTRUMENT_INS, INSTRUMENT_INSERTED, INSTRUMENT_KINDS };
extern struct tool_callback *instrument_callbacks[INSTRUMENT_KINDS];
bool instrument_active(void);
/* Traces that are made from now on have nothing of the tool's. */
void instrument_tool_left(void);
/* Are the callbacks of a trace at work, so that its objects are in use? */
bool instrument_running(void);

/* The trace that the callbacks see now. */
struct trace_view {
    gpc_t pc;
    u32 head, tail, nbbls, nins, bytes;
    u16 version;
    const struct trace *cached; /* NULL: not translated yet */
};
extern struct trace_view instrument_view;

#endif
