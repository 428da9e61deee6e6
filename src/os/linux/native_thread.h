/* SPDX-License-Identifier: Apache-2.0
 * Who a thread is that comes from a probe: a descriptor and a stack of the host's libc for each thread of the program
 * that has met one (docs/design/probes.md, PB4). native_find, of the architecture's folder, runs with the guest's TLS
 * register and on a stack of its own, under native_page->lock, all signals blocked: it uses nothing of libc and no
 * vector register. Everything else is host code. */
#ifndef LP_LINUX_NATIVE_THREAD_H
#define LP_LINUX_NATIVE_THREAD_H
#include "os/linux/donor.h"

#define NATIVE_TABLE 4096u
#define NATIVE_STACK_BYTES 16384u

enum native_change { NATIVE_SETTLED, NATIVE_FRESH, NATIVE_TAKEN_OVER };

struct native_thread {
    u64 host_tls;            /* the launcher knows these three as a struct boot_identity, */
    struct native_thread *next;
    u64 due_at;
    u64 guest_tls;           /* assembly the offsets of these */
    u64 low, high;           /* its stack; a thread elsewhere is looked for by its tid */
    const u32 *tid_word;     /* where the program's libc has its tid, NULL: not known */
    u32 tid;                 /* 0: nobody's */
    u32 change;              /* enum native_change: what the host's side has to do */
    u32 visitor;             /* a vfork child that has come by another stack: its tid */
    u32 strays;              /* how often it was met outside of its stack */
    struct donor donor;      /* not of the first thread */
};

extern struct native_thread *native_table[NATIVE_TABLE]; /* by the guest's TLS register */
extern struct native_thread *native_threads, *native_spare;
extern u32 native_pid;       /* of the process that the threads are in */
extern u32 native_told_pid;         /* of the last one whose fork was seen, and which the tool knows of */
extern u8 native_stack[NATIVE_STACK_BYTES]; /* native_find's; a thread on it has the guest's TLS register */
/* The kernel empties this page in a child of fork, which has its own copy of everything else: a thread that held the
 * lock then is not there. */
struct native_page {
    u32 own;  /* 0 in a child of fork */
    u32 lock; /* assembly knows its offset */
};
extern struct native_page *native_page;
struct native_thread *native_find(u64 tls, u64 sp);

#endif
