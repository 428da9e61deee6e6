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
    u32 slack;        /* how many are written after one look at its limit, at most */
    struct { u32 offset, bytes; } field[FILL_MAX_FIELDS];
};


/* Has the tool defined one? */
bool buffer_any(void);
/* The one that it has defined, 0: none or several. */
u32 buffer_only(void);
/* The calling thread, in the VM: there is no room for what its code wants to write. */
void buffer_make_room(void);
/* A guest thread begins: it gets a buffer of each kind. */
void buffer_thread_start(void);
/* t ends: what is in its buffers is given to the tool. */
struct thread;
void buffer_thread_end(struct thread *t, const void *context);

#endif
