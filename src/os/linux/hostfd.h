/* SPDX-License-Identifier: Apache-2.0
 * Host file descriptors and host kernel threads, kept out of the guest's sight. */
#ifndef LP_HOSTFD_H
#define LP_HOSTFD_H
#include "base/base.h"

/* The engine's messages go to the stderr it was started with; silent if there is none. keep: to a high duplicate of
 * it (msg_fd), which the guest cannot close. Else no descriptor is held: messages, which are rare then, go to the
 * guest's stderr as long as it is the same file, or to the same file by name. */
void hostfd_init(bool keep);
/* From now on messages go to the end of this file. Dies when it cannot be opened. */
void hostfd_open_log(const char *path);
bool hostfd_any(void);
/* A copy of an engine descriptor out of the guest's range, close-on-exec, and registered. -1: the kernel says no
 * (errno). */
int os_hidden_dup(int fd);
/* `holder` is where the owner keeps the number: hostfd_vacate may change it. NULL: the descriptor is never moved. Up
 * to HOSTFD_MAX in all. */
#define HOSTFD_MAX 256
int hostfd_dup_held(int fd, int *holder);
void hostfd_close(int fd);
bool hostfd_is(int fd);
void hostfd_close_all(void); /* the engine leaves the process */
/* The tool's own (toolfd.c): around the time in which it, and not yet the guest, opens files; and at the end. */
void toolfd_before(void);
void toolfd_after(void);
void toolfd_close_all(void);
/* The guest is about to put a descriptor of its own at fd by dup2 or dup3: moves a host descriptor out of the way.
 * False: it cannot be moved (the guest's call answers EBADF). */
bool hostfd_vacate(int fd);
/* The guest's close_range, around host descriptors. Returns 0 or -errno. */
s64 hostfd_close_range(u32 first, u32 last, u32 flags);

/* Kernel threads of the engine and the tool that are not guest threads (hosttask.c). */
void hosttask_note(int tid);
/* A guest thread has this number now: whatever had it before is gone. */
void hosttask_forget(int tid);
bool hosttask_is(int tid);
bool hosttask_any(void); /* has there ever been one? */
void hosttask_after_fork(void); /* in the child: they are gone */
/* Is tid, as /proc counts, any thread of this process? */
bool hosttask_in_process(u64 tid);

/* What the kernel's getdents64 / getdents put into buf for dirfd, less what names the host: descriptors in
 * /proc/<self>/fd and fdinfo, threads in task, mappings in map_files. Returns the bytes left. 0 of bytes > 0 means
 * that all were ours: call getdents again (hostfd_getdents64 does). */
s64 hostfd_filter_dirents(int dirfd, void *buf, s64 bytes);
s64 hostfd_filter_dirents_old(int dirfd, void *buf, s64 bytes);
/* The whole call; result or -errno. */
s64 hostfd_getdents64(int dirfd, void *buf, u64 room);

#endif
