/* SPDX-License-Identifier: Apache-2.0
 * What code in place of analysis calls keeps for each thread: registers of the tool's own, trace buffers, places of
 * counters. It is a part of struct thread (os/thread.h), and only that thread's code writes it. */
#ifndef LP_OPT_THREAD_H
#define LP_OPT_THREAD_H
#include "base/base.h"

#define THREAD_TOOL_REGS 30 /* REG_INST_G0 to G29 */
#define THREAD_BUFFERS 32
#define SPREAD_COUNTERS 32
#define SPREAD_PLACES 8

/* last: the last place where a record fits; next is never after it. limit: the last place where fill.slack records
 * fit. */
struct trace_buffer {
    u8 *start, *next, *last, *limit;
};

struct opt_thread {
    u64 tool_reg[THREAD_TOOL_REGS];
    struct trace_buffer buffer[THREAD_BUFFERS + 1]; /* by number, from 1 */
    struct {
        u64 place[SPREAD_COUNTERS][SPREAD_PLACES], flushed[SPREAD_COUNTERS];
    } spread;                    /* spread.h */
    struct {
        gpc_t pc;                /* of the gather or scatter that `address` is for, 0: none */
        u64 fault;               /* one of its addresses that cannot be accessed, 0: it is done */
        u64 address[16];         /* where the tool wants its elements */
    } scattered;
};

#endif
