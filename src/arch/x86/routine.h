/* SPDX-License-Identifier: Apache-2.0
 * What an analysis routine can touch, found by decoding it and what it calls: decides how much a bridge saves (A5). */
#ifndef LP_X86_ROUTINE_H
#define LP_X86_ROUTINE_H
#include "base/base.h"

struct routine {
    void *fn;
    bool light;      /* all of it is known: general registers, flags and the vector registers below; no direction flag, no x87, no upper halves of vectors */
    u16 clobbers;    /* light: general registers written, one bit each */
    u16 vectors;     /* light: low halves of vector registers written */
    const char *why; /* not light: the reason */
    bool byte;       /* returns a byte: only al counts */
};

/* routine_result.c. Under jit_lock. */
bool routine_returns_byte(void *fn);

/* Remembered for each routine. Under jit_lock. */
const struct routine *routine_scan(void *fn);
/* -log_inline: how calls of fn are made, and why not better (NULL: no reason known); said once for each way. how NULL: nothing to say yet. */
void routine_log(void *fn, const char *how, const char *why);

#endif
