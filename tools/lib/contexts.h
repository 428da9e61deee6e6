/* SPDX-License-Identifier: Apache-2.0
 * -stack N for tools that count often: by the place and the N calls that led to it. The calls are followed (calltree.h) instead of looked up at each count, as callers.h does for what
 * is rare; a count is an addition in the trace where the same was counted in the same calls before. */
#ifndef CONTEXTS_H
#define CONTEXTS_H
#include "lib/calltree.h"

#include <functional>

extern BOOL contexts_asked; /* somebody has asked for stacks; else nothing of them may be called */

/* After where_start. by_thread: the tool wants to count here what -by thread asks for, even without -stack. */
VOID contexts_start(BOOL by_thread = FALSE);

/* Counts, within the region, the executions of the instruction; those at which it jumps. what: a number of the tool's. */
VOID contexts_count(INS ins, UINT32 what);
VOID contexts_count_taken(INS ins, UINT32 what);

/* Calls f(what, how often, node, thread) for all that was counted. */
VOID contexts_each(const std::function<VOID(UINT32, UINT64, const CallNode *, THREADID)> &f);

/* The place at a noted address as stacks tell it apart, by routine and line unless -by says something else; and the calls that led to it, the innermost first. */
typedef std::vector<ResultPlace> Context;
Context contexts_of(UINT32 id, const CallNode *node, THREADID tid);

/* Sums by place and calls, which become stacks of a result, the largest first. */
class ContextCounts
{
  public:
    explicit ContextCounts(size_t metrics) : metrics(metrics) {}
    VOID Add(UINT32 id, const CallNode *node, THREADID tid, size_t metric, UINT64 n);
    VOID Into(Result *result) const;

  private:
    size_t metrics;
    std::map<Context, ResultValues> sums;
};

/* In the child of a fork. */
VOID contexts_reset();

#endif
