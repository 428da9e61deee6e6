/* SPDX-License-Identifier: Apache-2.0
 * Restartable sequences (docs/design/rseq.md), as the rest of the system layer sees them; os.h has what the translator
 * uses. On the thread concerned, unless said. */
#ifndef LP_OS_LINUX_RSEQ_H
#define LP_OS_LINUX_RSEQ_H
#include "os/thread.h"

/* The calling thread has the area registered with the kernel; 0: none. */
void rseq_note(u64 area, u32 bytes, u32 signature);
/* The same for a thread of a process that was attached to. */
void rseq_adopt(u64 area, u32 bytes, u32 signature);
/* Something else comes next in the thread than the instruction at its pc: a signal handler, or a native run (RS5). The
 * thread is the calling one, or stands still. */
void rseq_interrupt(struct thread *t);
/* Has the kernel let the thread go on there, because it was interrupted in a section (RS4)? */
bool rseq_lands(u64 pc);
/* The guest thread is over, and nobody waits until its task is gone. */
void rseq_end_thread(void);

#endif
