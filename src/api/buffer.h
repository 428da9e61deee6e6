/* SPDX-License-Identifier: Apache-2.0
 * Trace buffers (buffer.c), as the thread callbacks need them. */
#ifndef LP_API_BUFFER_H
#define LP_API_BUFFER_H
#include "base/base.h"

/* Has the tool defined one? */
bool buffer_any(void);
struct thread;
/* A guest thread begins: it gets a buffer of each kind that it has none of. */
void buffer_thread_start(struct thread *t);
/* Thread t ends: gives what is in its buffers to the tool. */
void buffer_thread_end(struct thread *t, const void *context);

#endif
