/* SPDX-License-Identifier: Apache-2.0
 * Memory of the host's objects that never changes any more. */
#ifndef LP_HOSTCONST_H
#define LP_HOSTCONST_H
#include "base/base.h"

/* *value: what is at addr, for good. False: it may change, or is nobody's. Under jit_lock. */
bool hostconst_read(u64 addr, unsigned bytes, u64 *value);

#endif
