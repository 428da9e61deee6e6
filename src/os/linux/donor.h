/* SPDX-License-Identifier: Apache-2.0
 * A thread of the host's libc without a kernel thread: a descriptor and a stack for a kernel thread that libc has
 * not made. To make one, a pthread is made that ends by a bare exit system call, which libc does not notice. */
#ifndef LP_LINUX_DONOR_H
#define LP_LINUX_DONOR_H
#include "os/linux/hoststack.h"

#include <setjmp.h>

struct donor {
    struct host_stack *stack;
    pthread_t thread;       /* also the value of the TLS register */
    u64 robust_head, robust_bytes;
    u64 sp;                 /* free stack below */
    u32 alive;              /* cleared and woken by the kernel at the donor's end */
    jmp_buf out;
};

s64 donor_make(struct donor *d); /* 0 or -errno; d stays where it is */
/* Called on the kernel thread that takes the donor over: from now on libc's records, and what the engine knows of
 * them, are about this thread. */
void donor_take(const struct donor *d);
/* Ends the thread as libc ends a pthread. */
void donor_end(struct donor *d) NORETURN;

#endif
