/* SPDX-License-Identifier: Apache-2.0
 * Elements of an operand, each with an address of its own: of gathers, scatters, masked accesses, vectors. On the
 * thread that accesses them, in host code. */
#ifndef LP_OPT_ELEMENTS_H
#define LP_OPT_ELEMENTS_H
#include "base/base.h"

#define ELEMENTS_MAX 64

struct element {
    u64 address;  /* 0: of a register */
    u32 offset;   /* within the operand */
    u32 bytes;    /* 8 at most, where it is in memory that is accessed by elements_access */
    bool on;      /* not masked off */
};

/* Reads those of n elements that are on from guest memory into data, or writes them from there, in their order.
 * Returns how many are done; fewer than n: the next one cannot be accessed, at the address *fault. */
u32 elements_access(const struct element *e, u32 n, u8 *data, bool write, u64 *fault);

#endif
