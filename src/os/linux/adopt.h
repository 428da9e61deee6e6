/* SPDX-License-Identifier: Apache-2.0
 * Attach: the threads that the process has already become the engine's (docs/design/attach.md). */
#ifndef LP_LINUX_ADOPT_H
#define LP_LINUX_ADOPT_H
#include "base/base.h"

/* On the agent, when tool and engine are ready: the threads start in translation, and the calling thread goes on as the agent. */
void adopt_threads(void) NORETURN;
u32 adopt_count(void); /* threads at the attach; 0: the program was launched */

#endif
