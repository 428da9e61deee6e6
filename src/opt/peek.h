/* SPDX-License-Identifier: Apache-2.0
 * Guest code that is read before it is translated, for what it says about registers after the end of a trace. Only code
 * that the guest cannot write is read; if it changes after all (unmapped, made writable), the whole cache is flushed.
 * Under jit_lock. */
#ifndef LP_OPT_PEEK_H
#define LP_OPT_PEEK_H
#include "base/base.h"

/* Copies up to `bytes` bytes of code at pc. Returns how many there are; 0: none that one may rely on. */
size_t peek_code(gpc_t pc, u8 *to, size_t bytes);
/* Has code in the range been read? Then what was read is forgotten. */
bool peek_forget(u64 start, u64 end);

#endif
