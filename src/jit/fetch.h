/* SPDX-License-Identifier: Apache-2.0
 * Guest code as the engine reads it: from memory, or from the tool's fetch function. */
#ifndef LP_JIT_FETCH_H
#define LP_JIT_FETCH_H
#include "arch/arch.h"

/* Set once, before the guest runs. */
extern size_t (*code_fetch_hook)(void *to, u64 addr, size_t bytes);

/* Bytes read; fewer: the rest is not there. */
static inline size_t code_fetch(void *to, u64 addr, size_t bytes)
{
    return UNLIKELY(code_fetch_hook != NULL) ? code_fetch_hook(to, addr, bytes) : arch_safe_copy(to, (const void *)addr, bytes);
}

#endif
