/* SPDX-License-Identifier: Apache-2.0
 * What each thread counts for itself, without locks: how often the program's indirect branches were executed, by kind, and how their targets were found (E8), system calls, and
 * instructions that the VM carries out. Cache code counts only with -stats. */
#ifndef LP_VM_TALLY_H
#define LP_VM_TALLY_H
#include "base/base.h"

enum indirect_kind { INDIRECT_JUMP, INDIRECT_CALL, INDIRECT_RETURN, INDIRECT_KINDS };

/* Of one thread, in its context. */
struct tally {
    u64 kind;                         /* of the last indirect branch */
    u64 executed[INDIRECT_KINDS];
    u64 directory[INDIRECT_KINDS];    /* missed the table, found in the directory */
    u64 missed[INDIRECT_KINDS];       /* missed both: the VM */
    u64 gate_calls;                   /* system calls made in the cache (E10) */
    u64 vm_calls;                     /* those that the VM was asked for */
    u64 emulated;                     /* instructions */
};

/* All threads, those that have ended included. */
struct tally tally_sum(void);
/* By a thread that ends, under the lock of the list of threads. */
void tally_thread_gone(void);

#endif
