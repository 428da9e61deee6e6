/* SPDX-License-Identifier: Apache-2.0
 * The thread context (E1) and the list of threads. The context is one block of memory, because cache code reaches
 * all of it by constants from the thread register; each layer owns a part of it, which its own header says
 * (src/layers.list, `part`). */
#ifndef LP_OS_THREAD_LIST_H
#define LP_OS_THREAD_LIST_H
#include "api/tool_thread.h"
#include "cpu.h"
#include "debug/debug_thread.h"
#include "jit/jit_thread.h"
#include "opt/opt_thread.h"
#include "os/os.h"
#include "os/os_thread.h"
#include "vm/vm_thread.h"

struct thread {
    struct cpu_state cpu;        /* first: assembly uses offsets from the context's start */
    struct tool_thread tool;
    struct opt_thread opt;
    struct arch_thread arch;
    /* From here on, beside libc's own part of the thread: what a fork writes to (FORK_WRITES). */
    struct os_thread os;         /* signals, robust list, tids (src/os/linux) */
    struct thread *next, *prev;  /* all threads, under thread_list_lock */
    /* 0, 1, ...: threads of the tool included; not used again before PIN_MAX_THREADS others */
    u32 id;
    bool has_id;                 /* false: a thread that the tool made by itself */
    u64 uid;                     /* 0, 1, ...: never used twice */
    struct vm_thread vm;
    struct jit_thread jit;
    struct debug_thread debug;
};

extern __thread struct thread vm_tc;

/* First thread: called once at start; others: by the new thread itself before it runs guest code. */
void thread_register(void);
void thread_unregister(void);
void thread_list_lock(void);
void thread_list_unlock(void);
struct thread *thread_first(void); /* list lock held */
u32 thread_count(void);
/* A number of its own for the calling thread, which is one of the tool's (not in the list), and back. */
void thread_take_id(void);
void thread_give_id(void);
/* In the child of a fork: only the calling thread is left. */
void thread_after_fork(void);

#endif
