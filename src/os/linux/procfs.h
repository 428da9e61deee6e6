/* SPDX-License-Identifier: Apache-2.0
 * Files of /proc that would show the host to the guest. Paths are the guest's, copied into host memory. procfs.c knows which file a path names and makes the answer; procview.c
 * makes the text. */
#ifndef LP_PROCFS_H
#define LP_PROCFS_H
#include "base/base.h"
#include "os/linux/boot.h"

#define PROCFS_NOT_OURS (-1000) /* the real call shall go on */

void procfs_init(const struct boot_info *boot);
/* For open, openat (dirfd AT_FDCWD where there is none) and openat2: a new descriptor for the guest, -errno, or PROCFS_NOT_OURS. */
int procfs_open(int dirfd, const char *path, int flags);
/* For readlink and readlinkat: bytes put into buf (not 0-terminated), -errno, or PROCFS_NOT_OURS. */
s64 procfs_readlinkat(int dirfd, const char *path, char *buf, size_t n);
s64 procfs_readlink(const char *path, char *buf, size_t n);
/* For execve and others that follow the link: the program's real path if `path` is its /proc/.../exe and the kernel would lead to the engine (BOOT_INPROC); else NULL. */
const char *procfs_exe_path(int dirfd, const char *path);
/* Set by whoever knows the guest's signal state, for /proc/.../status and stat: bit 0 is signal 1. False: thread not known. NULL: the kernel's is shown. */
extern bool (*procfs_signal_view)(int tid, u64 *blocked, u64 *ignored, u64 *caught);

/* --- procview.c: text in, text out ----------------------------------------------------------------------------- */
struct text {
    char *at;
    size_t bytes, room;
    bool failed; /* no memory */
};
void text_add(struct text *t, const char *from, size_t bytes);
void text_free(struct text *t);
/* `raw` is the kernel's text, 0-terminated at raw->at[raw->bytes]; it is used up. */
void procview_maps(struct text *raw, struct text *out);  /* maps and smaps */
void procview_numa(struct text *raw, struct text *out);
void procview_status(struct text *raw, struct text *out, int tid);
void procview_stat(struct text *raw, struct text *out, int tid);

#endif
