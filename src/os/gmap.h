/* SPDX-License-Identifier: Apache-2.0
 * The guest's mappings as the guest believes them to be (E15): start, end, protection, sharing, backing file. Fed at
 * start from /proc/self/maps less the host's ranges, then by the memory system calls after the kernel has carried
 * them out. Sorted, adjacent equal areas merged. */
#ifndef LP_GMAP_H
#define LP_GMAP_H
#include "base/base.h"

enum { GMAP_READ = 1, GMAP_WRITE = 2, GMAP_EXEC = 4, GMAP_SHARED = 8, GMAP_STACK = 16, GMAP_HEAP = 32, GMAP_VDSO = 64,
    GMAP_VSYSCALL = 128 };

struct gmap_area {
    u64 start, end;
    u32 flags;      /* GMAP_* */
    u32 dev_major, dev_minor;
    u64 ino, off;   /* backing file (0: anonymous) and offset of `start` in it */
};

void gmap_init(void);
/* The area that holds addr; false: unmapped. A miss at an address just below the GMAP_STACK area re-reads the
 * kernel's view (the stack grows by itself). */
bool gmap_find(u64 addr, struct gmap_area *out);
/* First area with end > addr. */
bool gmap_next(u64 addr, struct gmap_area *out);
void gmap_add(const struct gmap_area *area);        /* replaces whatever was in the range */
void gmap_remove(u64 start, u64 end);
void gmap_protect(u64 start, u64 end, u32 rwx);
void gmap_move(u64 old, u64 old_bytes, u64 new_addr, u64 new_bytes, bool keep_old); /* mremap */
/* As the kernel counts them for RLIMIT_AS and RLIMIT_DATA; how far stacks have grown is asked first. Walks all
 * areas. */
struct gmap_totals {
    u64 all_bytes, data_bytes;
};
void gmap_totals(struct gmap_totals *out);
/* Mapped bytes in [start, end). */
u64 gmap_bytes_in(u64 start, u64 end);
/* Private, writable and not a stack: what RLIMIT_DATA limits. */
static inline bool gmap_is_data(u32 flags)
{
    return (flags & (GMAP_WRITE | GMAP_SHARED | GMAP_STACK)) == GMAP_WRITE;
}
/* Takes the lock for a fork; the child calls gmap_after_fork too. */
void gmap_before_fork(void);
void gmap_after_fork(bool child);
#endif
