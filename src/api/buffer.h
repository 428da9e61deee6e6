/* SPDX-License-Identifier: Apache-2.0
 * Trace buffers (buffer.c), as the thread callbacks need them. */
#ifndef LP_API_BUFFER_H
#define LP_API_BUFFER_H
#include "base/base.h"

#define FILL_MAX_FIELDS 32

/* One shape of record fields; kept for good, there are few. */
struct fill {
    struct fill *next;
    u32 id, n;
    u32 record, most; /* bytes of a record; how many of them a buffer has room for */
    struct { u32 offset, bytes; } field[FILL_MAX_FIELDS];
};


/* Has the tool defined one? */
bool buffer_any(void);
/* A guest thread begins: it gets a buffer of each kind. */
void buffer_thread_start(void);
/* t ends: what is in its buffers is given to the tool. */
struct thread;
void buffer_thread_end(struct thread *t, const void *context);

#endif
