/* SPDX-License-Identifier: Apache-2.0
 * The host's malloc (hostmalloc.c interposes the C library's). Tools and engine just call malloc. */
#ifndef LP_HOSTMALLOC_H
#define LP_HOSTMALLOC_H
#include "base/base.h"

/* Around a fork: holds the allocator and the registry of host memory (hostmem_before_fork included). Nests. libc's
 * fork() does it by itself, through atfork handlers; call these only around a bare clone. The forking thread may
 * allocate in between. */
void hostmalloc_before_fork(void);
void hostmalloc_after_fork(bool child);
/* Gives the calling thread's cache back; for a thread that ends by a bare exit system call. It may still allocate
 * and free afterwards. */
void hostmalloc_thread_end(void);
/* hostmem_confine was called: blocks elsewhere that are free by then are not handed out any more. */
void hostmalloc_confined(void);

#endif
