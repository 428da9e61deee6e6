/* SPDX-License-Identifier: Apache-2.0
 * What the dispatcher keeps for each thread: a part of struct thread (os/thread.h), written by that thread alone. */
#ifndef LP_JIT_THREAD_H
#define LP_JIT_THREAD_H
#include "base/base.h"

struct jit_thread {
    u64 version;                 /* number of the version of traces that the thread runs (versions.h) */
    u8 *resume;                  /* cache address to go on at if the guest still stands at resume_pc */
    gpc_t resume_pc;
    u8 resume_how;               /* enum arch_entry */
    gpc_t last_pc;               /* last guest pc dispatched, for bug reports */
};

#endif
