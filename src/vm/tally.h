/* SPDX-License-Identifier: Apache-2.0
 * What each thread counts for itself, without locks: how often the program's indirect branches were executed, by
 * kind, and how their targets were found (E8), system calls, and instructions that the VM carries out. Cache code
 * counts only with -stats. */
#ifndef LP_VM_TALLY_H
#define LP_VM_TALLY_H
#include "vm/vm_thread.h"

/* All threads, those that have ended included. */
struct tally tally_sum(void);
/* By a thread that ends, under the lock of the list of threads. */
void tally_thread_gone(void);

#endif
