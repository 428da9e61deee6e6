/* SPDX-License-Identifier: Apache-2.0
 * Traces: records that each thread collects in a buffer of its own, which the engine fills without a call, and that go to a file when the buffer is full and at every end of the
 * program. trace_start has the buffers; the file is the tool's (struct TraceFile), or Parquet (trace_parquet), with a second file that says what the instructions are. A child of
 * a fork has a file of its own, which begins with the fork. */
#ifndef TRACE_H
#define TRACE_H
#include "lib/parquet.h"
#include "lib/where.h"
#include "region.h"

struct TraceFile {
    size_t record_bytes;
    /* A buffer's records, in order. Any thread, one at a time for each of them. */
    VOID (*write)(THREADID tid, const VOID *records, UINT64 n);
    /* What was written is a whole trace from here on, though more may follow. Under the client lock. */
    VOID (*end)();
    /* Before a fork: nothing of the file waits in memory. In the child: nothing was written yet. */
    VOID (*before_fork)();
    VOID (*in_child)();
};

extern PIN_LOCK trace_lock; /* of the file: nobody holds it across a fork */

/* After where_start. */
BUFFER_ID trace_start(const TraceFile &file, UINT32 pages);
/* For the results function: what the calling thread has collected goes to the file, and that is made whole. */
VOID trace_end();
/* --- Parquet ----------------------------------------------------------------------------------------------------------- */

/* An instruction, or one operand of it, by a number that records have. */
struct TraceOp {
    ADDRINT pc;
    UINT32 ins, bytes;
    BOOL write;
};
/* At instrumentation. The same number for the same instruction; another one if the code there is another now. */
UINT32 trace_op(INS ins, UINT32 bytes, BOOL write);
/* Any thread, for numbers that records have. */
const TraceOp &trace_op_of(UINT32 number);

/* The columns that come after tid, seq, pc and ins, and what a record has for each of them. */
struct TraceColumns {
    size_t record_bytes, op_offset; /* where a record has its TraceOp's number, 4 bytes */
    std::vector<ParquetColumn> more;
    VOID (*add)(const VOID *record, const TraceOp &op, ParquetValues *more);
};

/* In place of trace_start. */
BUFFER_ID trace_parquet(const TraceColumns &columns, const std::string &name, int level, UINT32 pages);
UINT64 trace_rows(); /* in the file, and its size */
UINT64 trace_bytes();

#endif
