/* SPDX-License-Identifier: Apache-2.0
 * Analysis routines as operations (rop.h), made once for each and kept. */
#ifndef LP_OPT_FORM_H
#define LP_OPT_FORM_H
#include "opt/rop.h"

#define FORM_MAX 600

/* All that its branches and jumps reach, not what it calls; the first is where it begins. */
struct form {
    u64 fn;
    u32 n;
    bool cut; /* there is more of it: operations that go on at ROP_END without being its end */
    struct form *next;
    struct rop op[];
};

/* Under jit_lock. */
const struct form *form_of(const void *fn);

#endif
