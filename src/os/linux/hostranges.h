/* SPDX-License-Identifier: Apache-2.0
 * The set of ranges of hostmem's registry; for hostmem.c only. All but hostranges_next under hostmem's lock. */
#ifndef LP_HOSTRANGES_H
#define LP_HOSTRANGES_H
#include "base/base.h"

struct range {
    u64 start, end;
};

/* Before every insert or erase: room for what it may add. False: the kernel says no. */
bool hostranges_ensure_room(void);
void hostranges_insert(u64 start, u64 end);
void hostranges_erase(u64 start, u64 end);
/* The first range with end > addr. Any time, any place. */
bool hostranges_next(u64 addr, u64 *start, u64 *end);
u64 hostranges_total_bytes(void);
/* The start of the lowest range below top, going down from range to range as long as the gaps are at most `near`. */
u64 hostranges_lowest_below(u64 top, u64 near);
/* Where the set itself is. */
u64 hostranges_self(void);

#endif
