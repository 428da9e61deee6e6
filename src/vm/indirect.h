/* SPDX-License-Identifier: Apache-2.0
 * How often the program's indirect branches were executed, by kind, and how their targets were found (E8). Cache code counts only with -stats_indirect. */
#ifndef LP_VM_INDIRECT_H
#define LP_VM_INDIRECT_H
#include "base/base.h"

enum indirect_kind { INDIRECT_JUMP, INDIRECT_CALL, INDIRECT_RETURN, INDIRECT_KINDS };

/* Of one thread, in its context. */
struct indirect_counts {
    u64 kind;                         /* of the last one */
    u64 executed[INDIRECT_KINDS];
    u64 directory[INDIRECT_KINDS];    /* missed the table, found in the directory */
    u64 missed[INDIRECT_KINDS];       /* missed both: the VM */
};

/* All threads, those that have ended included. */
struct indirect_counts indirect_sum(void);
/* By a thread that ends, under the lock of the list of threads. */
void indirect_thread_gone(void);

#endif
