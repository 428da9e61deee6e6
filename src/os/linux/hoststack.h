/* SPDX-License-Identifier: Apache-2.0
 * Host stacks for guest threads and vfork children, with a guard page, used again and again. Any thread, own lock. */
#ifndef LP_HOSTSTACK_H
#define LP_HOSTSTACK_H
#include "base/base.h"
#include <pthread.h>

struct host_stack {
    struct host_stack *all, *next; /* every stack; the queue of free ones */
    u8 *base;                      /* above the guard page */
    size_t bytes;
    bool joinable;                 /* `thread` has run on it, is ending, and must be joined before the next use */
    pthread_t thread;
    pthread_mutex_t used;          /* robust; taken by a thread that ends on the stack, and let go of by the kernel */
};

struct host_stack *hoststack_get(void); /* NULL: no memory */
void hoststack_put(struct host_stack *s);
/* By a thread that runs on s, as its last act but for returning from its start routine. */
void hoststack_put_ending(struct host_stack *s, pthread_t self);
u64 hoststack_bytes(void);          /* of one, with its guard page */
u64 hoststack_resident_bytes(u32 *count); /* of all, and how many there are */
/* Around a fork. In the child all stacks are free but those that the one thread left stands on. */
void hoststack_before_fork(void);
void hoststack_after_fork(bool child);
#endif
