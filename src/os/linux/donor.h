/* SPDX-License-Identifier: Apache-2.0
 * A thread of the host's libc without a kernel thread: a descriptor and a stack for a kernel thread that libc has not made. A pthread is made and ends by a bare exit, unseen by libc. */
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
/* On the kernel thread that has taken it over: libc's records, and those that the engine has of libc's, are about this one. */
void donor_take(const struct donor *d);
/* The way of an ended pthread through libc. */
void donor_end(struct donor *d) NORETURN;

#endif
