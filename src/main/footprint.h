/* SPDX-License-Identifier: Apache-2.0
 * How much memory the engine has, by kind, for -stats. No state; the functions say which lock they take. */
#ifndef LP_MAIN_FOOTPRINT_H
#define LP_MAIN_FOOTPRINT_H
#include "base/base.h"

struct footprint_row {
    const char *name;
    u64 bytes;
};
#define FOOTPRINT_ROWS 18
/* Returns their number. Takes jit_lock. */
u32 footprint(struct footprint_row row[FOOTPRINT_ROWS]);
/* Guest code that is in the cache now, each byte once. Takes jit_lock. */
u64 footprint_guest_bytes(void);

#endif
