/* SPDX-License-Identifier: Apache-2.0
 * The form of an analysis routine: its operations (rop.h), made once for each routine and kept. Under jit_lock. */
#ifndef LP_OPT_FORM_H
#define LP_OPT_FORM_H
#include "opt/rop.h"

#define FORM_MAX 600

/* All operations that its branches and jumps reach, without those of what it calls; the first is its start. */
struct form {
    u64 fn;
    u32 n;
    bool cut; /* it is incomplete: some operations go on at ROP_END that are not its end */
    struct form *next;
    struct rop op[];
};

/* Under jit_lock. */
const struct form *form_of(const void *fn);

#endif
