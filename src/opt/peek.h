/* SPDX-License-Identifier: Apache-2.0
 * Guest code read ahead of its translation, for what it says about registers at the end of a trace. Only code that the
 * guest cannot write; should it change after all (unmapped, made writable), the whole cache is flushed. Under
 * jit_lock. */
#ifndef LP_OPT_PEEK_H
#define LP_OPT_PEEK_H
#include "base/base.h"

/* Copies up to `bytes` of code at pc; returns how many there are, 0: none that may be relied on. */
size_t peek_code(gpc_t pc, u8 *to, size_t bytes);
/* Has code in the range been read? Then what was read is forgotten. */
bool peek_forget(u64 start, u64 end);

#endif
