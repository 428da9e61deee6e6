/* SPDX-License-Identifier: Apache-2.0
 * Words that were typed: the option that one is, and "did you mean", the name that is nearest to it. */
#ifndef LP_SUGGEST_H
#define LP_SUGGEST_H
#include "base/base.h"

/* Is the word this option? In names - and _ are one. */
bool option_is(const char *name, const char *word);

struct suggestion {
    const char *word;
    const char *best; /* NULL: none is near enough */
    u32 distance;     /* of the best: letters to put in, leave out, change or swap with their neighbour */
};

struct suggestion suggest_for(const char *word);
/* `name` must stay where it is. */
void suggest_try(struct suggestion *s, const char *name);

#endif
