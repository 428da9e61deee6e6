/* SPDX-License-Identifier: Apache-2.0
 * See regset.h. Owns the copies of sets that tools have given, for good. Under jit_lock. */
#include "opt/regset.h"

#include <stdlib.h>
#include <string.h>

struct kept {
    struct regset_pair pair;
    struct kept *next;
};

static struct kept *all;

const struct regset_pair *regset_keep(const struct regset *in, const struct regset *out)
{
    static const struct regset none;
    const struct regset *i = in ? in : &none, *o = out ? out : &none;
    for (struct kept *k = all; k; k = k->next)
        if (!memcmp(&k->pair.in, i, sizeof *i) && !memcmp(&k->pair.out, o, sizeof *o))
            return &k->pair;
    struct kept *k = malloc(sizeof *k);
    if (!k)
        die(1, "out of memory for register sets");
    k->pair = (struct regset_pair){*i, *o};
    k->next = all;
    all = k;
    return &k->pair;
}
