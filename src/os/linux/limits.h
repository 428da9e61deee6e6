/* SPDX-License-Identifier: Apache-2.0
 * Memory limits as the guest has them (limits.c), kept apart from the kernel's, which must leave room for the
 * engine. */
#ifndef LP_LIMITS_H
#define LP_LIMITS_H
#include "os/linux/boot.h"

struct rlimit64;

void limits_init(const struct boot_info *boot);
/* Is it one of those that are kept here? */
bool limits_is_ours(u64 resource);
void limits_get(u64 resource, struct rlimit64 *out);
/* 0 or -errno. */
s64 limits_set(u64 resource, const struct rlimit64 *now);
/* prlimit64 or setrlimit, made by a library of the host's (L3): 0 or -errno. */
s64 limits_library_call(u64 nr, const u64 *args);

/* --- what they allow, as the kernel would say; mem_lock held ------------------------------------------------------ */
bool limits_any(void); /* cheap: is there anything to ask? */
/* May the guest map `bytes` more, which take the place of `replaced`, with the protection and sharing of `flags`
 * (GMAP_*)? */
bool limits_allow_map(u32 flags, u64 bytes, u64 replaced);
bool limits_allow_break(u64 from, u64 to);
/* Where in [start, end) the first area begins that may not become data; end: nowhere. */
u64 limits_protect_end(u64 start, u64 end, u32 rwx);
/* The kernel has refused memory that the guest's limits allow: says why, once, if it is because of the engine. */
void limits_note_refused(void);
/* The kernel has refused memory. True: because another process has set a limit for this one; the kernel's is as high as
 * possible again, and the guest's limits are what that one has set. */
bool limits_set_outside(void);
/* The kernel's idea of the program's data and break has changed. */
void limits_forget_layout(void);

/* --- exec: the new program gets the guest's limits ---------------------------------------------------------------- */
struct limits_saved {
    bool lowered;
    struct boot_limit was[BOOT_LIMITS];
};
/* Would they be other limits than the kernel has? A hard limit that has been lowered may stay low, so an execve that is
 * known to fail must not get further. */
bool limits_exec_changes(struct limits_saved *saved);
void limits_before_exec(struct limits_saved *saved); /* after limits_exec_changes has said so */
void limits_exec_failed(const struct limits_saved *saved);
/* Around a fork, which waits for an execve that has lowered the kernel's limits (L2): the child would have them,
 * too. */
void limits_before_fork(void);
void limits_after_fork(void);
/* The engine leaves the process: the kernel gets the guest's. Takes no lock. */
void limits_leave(void);

#endif
