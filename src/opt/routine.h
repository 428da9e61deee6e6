/* SPDX-License-Identifier: Apache-2.0
 * What an analysis routine can touch, found by following it and what it calls. It decides how much a bridge saves (A5).
 * Under jit_lock. */
#ifndef LP_OPT_ROUTINE_H
#define LP_OPT_ROUTINE_H
#include "opt/form.h"

struct routine {
    void *fn;
    bool light;       /* all of it is known: general registers, flags and the vector registers below; no direction
                       * flag, no x87, no upper halves of vectors */
    reg_set clobbers; /* light: registers written */
    u16 vectors;      /* light: vector registers of which the low half is written */
    const char *why;  /* not light: the reason */
    u8 result;        /* how many bytes of its result are defined: 1, or those of a word */
};

/* routine_result.c. Under jit_lock. */
bool routine_returns_byte(const struct form *form);

/* Remembered for each routine. Under jit_lock. */
const struct routine *routine_scan(void *fn);
/* A routine of IARG_CHECK_INLINE is called: said by -log_inline, an error with -assert_check_inline. */
void routine_check_inline(void *fn, const char *why);
/* For -log_inline: says how calls of fn are made, and why not in a cheaper way (NULL: no reason known); once for each
 * way. how NULL: says nothing. */
void routine_log(void *fn, const char *how, const char *why);

#endif
