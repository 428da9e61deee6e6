/* SPDX-License-Identifier: Apache-2.0
 * Which of the guest's descriptors are files on a disk or in memory: no signal ends a read or a write there, so threads
 * that are to stop may make it in the cache (CLASS_FILE, pause.h). Nothing is known of the others, nor of any while no
 * thread may be stopped. */
#ifndef LP_FILEFD_H
#define LP_FILEFD_H
#include "base/base.h"

/* The guest is about to use fd. */
void filefd_learn(u32 fd);
/* Around a call that may close descriptors in [first, last], or have another file there. */
void filefd_begin(u32 first, u32 last);
void filefd_end(void);
/* From now on nothing is known: descriptors come and go unseen, or threads have different ones. */
void filefd_off(void);
void filefd_note_clone(u64 flags); /* before it */
void filefd_after_fork(void);      /* in a child */

#endif
