/* SPDX-License-Identifier: Apache-2.0
 * Host file descriptors and host kernel threads, kept out of the guest's sight. */
#ifndef LP_HOSTFD_H
#define LP_HOSTFD_H
#include "base/base.h"

/* The engine's messages go to the stderr it was started with; silent if there is none. keep: to a high duplicate of
 * it (msg_fd), which the guest cannot close. Else, and where there are few descriptors, none is held: messages,
 * which are rare then, go to the guest's stderr as long as it is the same file, or to the same file by name. */
void hostfd_init(bool keep);
/* From now on as if none was kept: in probe mode the guest can close what is held. */
void hostfd_find_messages(void);
/* From now on messages go to the end of this file. Dies when it cannot be opened. */
void hostfd_open_log(const char *path);
bool hostfd_any(void);
/* A copy of an engine descriptor out of the guest's range, close-on-exec, and registered. -1: the kernel says no
 * (errno). */
int os_hidden_dup(int fd);
/* `holder` is where the owner keeps the number: hostfd_vacate may change it. NULL: the descriptor is never moved.
 * All numbers are below HOSTFD_MAX. */
#define HOSTFD_MAX 65536
int hostfd_dup_held(int fd, int *holder);
void hostfd_close(int fd);
bool hostfd_is(int fd);
s64 hostfd_next(u32 first, u32 last); /* the lowest host descriptor in [first, last], or -1 */
void hostfd_close_all(void); /* the engine leaves the process */
/* Around a call of host code that makes descriptors and does not wait for others; or, if it may, after it. The end
 * gets the number. */
void hostfd_begin(void);
void hostfd_end(s64 fd);
/* In between. Host code has got the number from the kernel: moves it out of the guest's range, with its flag, and
 * returns the new number; the same where there is no room elsewhere, hidden all the same. -EBADF: the guest has
 * closed it before. */
s64 hostfd_take(int fd);
/* Changes whenever host code has had a low number for a moment; odd: it has. */
u32 hostfd_transits(void);
/* The guest has got the number while that was so: returns the lowest that it can have, from `from` on, and has the
 * file there. */
s64 hostfd_settle(int fd, u32 from);
/* Called, if set, when the host has got a number below OS_HIGH_FD for good. No lock is held. */
extern void (*hostfd_low)(void);
/* Host code closes a descriptor by this call. */
s64 hostfd_closing(int fd, s64 (*call)(const u64 *), const u64 *args);
/* In between, too. The guest has used up its limit: the call once more, with some room. */
s64 hostfd_with_room(s64 (*call)(const u64 *), const u64 *args);
/* The calling process is the one whose descriptors these are. */
void hostfd_note_process(void);
/* A call that puts a descriptor onto one of the host's, which may be above the guest's soft limit. */
s64 hostfd_call_onto(int fd, s64 (*call)(const u64 *), const u64 *args);
/* RLIMIT_NOFILE, asked for or set by a library of the host's; NULL: not. Libraries believe that no descriptor is above
 * the soft limit (posix_spawn takes none from there, nor does popen), so they are told one that all of the host's are
 * below; and who puts back what it was told changes nothing. 0 or -errno. */
struct rlimit;
s64 hostfd_limit_call(const struct rlimit *set, struct rlimit *get);
/* No limit is raised in between: for a fork (hostfd_lock, hostfd_after_fork), an execve, and the guest's own limits. */
void hostfd_lock(void);
void hostfd_unlock(void);
void hostfd_after_fork(bool child);
/* A new process in this memory, with descriptors of its own: no program that it executes gets the host's (HF4). The
 * lock is held since before it was made. */
void hostfd_mark_copies(void);
/* A program that the guest executes gets none of them; one that host code executes may. */
struct hostfd_exec {
    bool changed;
    u64 stays[HOSTFD_MAX / 64];
};
void hostfd_before_exec(struct hostfd_exec *saved);
void hostfd_exec_failed(const struct hostfd_exec *saved);
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

/* What the kernel's getdents64 / getdents / getdents as a 32-bit call put into buf for dirfd, less what names the
 * host: descriptors in /proc/<self>/fd and fdinfo, threads in task, mappings in map_files. Returns the bytes left. 0
 * of bytes > 0 means that all were ours: call getdents again (hostfd_getdents64 does). */
s64 hostfd_filter_dirents(int dirfd, void *buf, s64 bytes);
s64 hostfd_filter_dirents_old(int dirfd, void *buf, s64 bytes);
s64 hostfd_filter_dirents_narrow(int dirfd, void *buf, s64 bytes);
/* The whole call; result or -errno. */
s64 hostfd_getdents64(int dirfd, void *buf, u64 room);

#endif
