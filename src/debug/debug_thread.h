/* SPDX-License-Identifier: Apache-2.0
 * What the debugger keeps for each guest thread: a part of struct thread (os/thread.h). Written by the thread, and by
 * the debugger's thread while it stands still. */
#ifndef LP_DEBUG_THREAD_H
#define LP_DEBUG_THREAD_H
#include "base/base.h"

#include <signal.h>

/* Why the thread waits for the debugger. */
enum debug_event {
    EVENT_NONE,
    EVENT_ENTRY,  /* before the program's first instruction */
    EVENT_STEP,
    EVENT_BREAK,
    EVENT_WATCH,
    EVENT_SIGNAL, /* about to get one */
    EVENT_TOOL,   /* the tool has asked for it */
    EVENT_FORK,   /* it has made a child */
    EVENT_VFORK,  /* it is a child of vfork, and has its parent's state */
    EVENT_VFORK_DONE, /* such a child has gone */
    EVENT_VFORK_END,  /* so has one that the debugger went on with, by its end */
    EVENT_EXEC,   /* before the first instruction of a program that was executed in another one's place */
};

/* Of the child of vfork that has the thread's state (vforks.c). */
enum debug_vfork {
    VFORK_NONE,     /* there is none, or the debugger does not know of it */
    VFORK_TOLD,
    VFORK_FREE,     /* the debugger has let it go, and hears when the parent goes on */
    VFORK_FOLLOWED, /* the debugger goes on with it */
    VFORK_EXECUTES, /* a program to which the connection goes */
};

struct fork_gate;

struct debug_thread {
    u8 event;                  /* enum debug_event */
    bool told;                 /* the debugger knows of it */
    u8 vfork;                  /* enum debug_vfork */
    int vfork_child;           /* its number */
    int vfork_status;          /* EVENT_VFORK_END: of its end; less than 0: by a signal */
    u8 watch;                  /* EVENT_WATCH: enum watch_kind */
    bool watch_waits;          /* for the end of the instruction, which is stepped */
    bool watch_compares;       /* EVENT_WATCH: only if something has changed by then */
    bool watch_steps;          /* it is stepped by the debugger, too */
    int signal;                /* EVENT_SIGNAL: which; the debugger may change it, 0: none */
    int pass;                  /* sent by the debugger itself: not told to it again */
    int last;                  /* the last signal that the thread was given */
    siginfo_t info;            /* of `signal` */
    u64 range_start, range_end; /* stepped as long as it is in there */
    u64 watch_at;
    u64 told_at;               /* which event that was told was its last */
    u64 skip;                  /* a breakpoint that the tool has kept from the debugger: passed once */
    char *message;             /* EVENT_TOOL, from malloc */
    struct fork_gate *fork;    /* EVENT_FORK, and while it forks: of the child (forks.c) */
};

#endif
