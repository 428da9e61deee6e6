/* SPDX-License-Identifier: Apache-2.0
 * The calls that a thread is in, as a tree for each thread. A register of the tool's leads to the node of the innermost call, so that the tool counts there without looking for it.
 * Nodes are added and never move or go, so a tree may be walked while its thread goes on. */
#ifndef CALLTREE_H
#define CALLTREE_H
#include "lib/where.h"

/* What a tool counts in a call, by a number of its own (contexts.h). */
struct CallCounter {
    UINT64 n;
    CallCounter *next;
    UINT32 what;
};
/* Where a counter is, by the node's and the counter's last bits. */
struct CallSlot {
    struct CallNode *node;
    UINT64 *n;
    UINT32 what;
};

/* A call site on the way that led to it. The root of a thread has none. */
struct CallNode {
    UINT64 self, calls;
    CallNode *parent, *child, *sibling;
    CallCounter *counters;
    CallSlot *slots; /* the thread's */
    UINT32 site, target; /* noted addresses; target: only where every call is told apart */
    UINT32 depth, hash;
};

/* A call that has not returned. It is over when the stack pointer is where it was before, or above: so longjmp and exceptions do no harm. */
struct CallFrame {
    CallNode *node;
    ADDRINT sp;
};
/* Where a call has led to before. */
struct CallStep {
    const CallNode *from;
    CallNode *to;
    UINT32 site, target;
};
struct CallTree {
    CallNode *root;
    std::vector<CallFrame> frames;
    THREADID tid;
    UINT32 nodes;
    CallStep recent[1024];
    CallSlot slots[8192];
};

/* Of all threads that there were: a thread's number may be used again. */
extern std::vector<CallTree *> calltrees;
/* The tool's register with the node; for calls inserted at an instruction before those of this module (CALL_ORDER_DEFAULT). */
extern REG calltree_reg;

/* After where_start. Calls deeper than depth count for the call at this depth, or with short_stacks a node is told apart by the last so many sites, and targets are not;
 * with a depth of 0 there are only the roots. */
VOID calltree_start(UINT32 depth, BOOL short_stacks);
/* In the child of a fork: all counts are 0. */
VOID calltree_reset();

#endif
