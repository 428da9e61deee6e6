/* SPDX-License-Identifier: Apache-2.0
 * Files of /proc that would show the host to the guest. Paths are the guest's, copied into host memory. procfs.c
 * knows which file a path names, procread.c answers reads, procview.c makes the text. */
#ifndef LP_PROCFS_H
#define LP_PROCFS_H
#include "base/base.h"
#include "os/linux/boot.h"

#define PROCFS_NOT_OURS (-1000) /* the real call shall go on */

enum proc_file {
    PROC_OTHER,
    PROC_EXE,
    PROC_HOST_FD,
    PROC_MAPS, /* from here on: text that is changed when it is read */
    PROC_SMAPS,
    PROC_NUMA,
    PROC_STATUS,
    PROC_STAT,
    PROC_STATM,
    PROC_LIMITS,
};
#define PROC_FIRST_TEXT PROC_MAPS
#define PROC_LAST_TEXT PROC_LIMITS

/* --- procfs.c ---------------------------------------------------------------------------------------------------- */
void procfs_init(const struct boot_info *boot);
/* For open, openat (dirfd AT_FDCWD where there is none) and openat2: a new descriptor for the guest, -errno, or
 * PROCFS_NOT_OURS. */
int procfs_open(int dirfd, const char *path, int flags);
/* Which of them the descriptor is; *tid: whose. */
enum proc_file procfs_file_of(int fd, int *tid);
/* The kernel has opened `path` for the guest as fd. True: reads of it are to go through procread_*. */
bool procfs_opened(int fd, const char *path, int flags);
/* Does the path name a host descriptor, for which there is nothing there? */
bool procfs_is_host_fd(int dirfd, const char *path);
/* For readlink and readlinkat: bytes put into buf (not 0-terminated), -errno, or PROCFS_NOT_OURS. */
s64 procfs_readlinkat(int dirfd, const char *path, char *buf, size_t n);
s64 procfs_readlink(const char *path, char *buf, size_t n);
/* For execve and others that follow the link: the program's real path if `path` is its /proc/.../exe and the kernel
 * would lead to the engine (BOOT_INPROC); else NULL. */
const char *procfs_exe_path(int dirfd, const char *path);

struct text;

/* --- procread.c: the guest's descriptors of such files ------------------------------------------------------------ */
#define PROCREAD_MAX 4095u /* the most that one read gives, as the kernel's */
bool procread_begin(int fd, enum proc_file file, int tid); /* false: no memory */
/* Is any such descriptor open? A hint, without a lock. */
bool procread_any(void);
/* May fd be one? */
bool procread_is(int fd);
/* Text from position `at`, -1: the file's own, which moves on. Bytes, -errno, or PROCFS_NOT_OURS: it is not one any
 * more. */
s64 procread_read(int fd, s64 at, char *out, size_t bytes);
s64 procread_seek(int fd, s64 offset, int whence);
/* All of the text, from the kernel's own descriptor. 0 or -errno; out is free of memory then. */
s64 procread_whole(int fd, enum proc_file file, int tid, struct text *out);
/* Before the guest closes what it has in [first, last], after it has made `to` a duplicate of `from`. */
void procread_closing(u32 first, u32 last);
void procread_duplicated(int from, int to);
void procread_before_fork(void);
void procread_after_fork(bool child);

/* --- procview.c: text in, text out ----------------------------------------------------------------------------- */
/* Set by whoever knows the guest's signal state, for /proc/.../status and stat: bit 0 is signal 1. False: thread not
 * known. NULL: the kernel's is shown. */
extern bool (*procfs_signal_view)(int tid, u64 *blocked, u64 *ignored, u64 *caught);
/* Set by whoever knows the guest's resource limits; false: the kernel's is shown. */
extern bool (*procfs_limit_view)(int resource, u64 *soft, u64 *hard);

struct text {
    char *at;
    size_t bytes, room;
    bool failed; /* no memory */
};
void text_add(struct text *t, const char *from, size_t bytes);
void text_free(struct text *t);
/* `raw` is the kernel's text, 0-terminated at raw->at[raw->bytes]; it is used up. */
void procview_make(enum proc_file file, struct text *raw, struct text *out, int tid);

#endif
