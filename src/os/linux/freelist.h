/* SPDX-License-Identifier: Apache-2.0
 * A small set of free ranges of addresses, for hostmem.c only and under its lock. It may forget the smallest of them
 * when there are many. */
#ifndef LP_FREELIST_H
#define LP_FREELIST_H
#include "os/linux/hostranges.h"

#define FREELIST_MAX 128

struct freelist {
    struct range at[FREELIST_MAX];
    u32 n;
};

/* Joined with its neighbours; the range that it is part of then, which is not put in if it begins at `edge`. */
struct range freelist_add(struct freelist *l, u64 start, u64 end, u64 edge);
/* Takes the range out in whose upper end so much fits, or with `low` in its lower end, the smallest that there is.
 * *place: where. False: none. */
bool freelist_best(struct freelist *l, size_t bytes, size_t align, bool low, struct range *out, u64 *place);
/* Somebody has it. */
void freelist_fill(struct freelist *l, u64 start, u64 end);
u64 freelist_bytes(const struct freelist *l);

#endif
