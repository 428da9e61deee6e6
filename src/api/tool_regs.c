/* SPDX-License-Identifier: Apache-2.0
 * Registers of the tool's own: 64 bits each, one set for each thread (struct thread). Here only who has claimed
 * which. */
#include "base/base.h"
#include "linchpin/api_text.h"

static u32 claimed;

/* Each register is given out once. A tool that uses one by name without asking may get into conflict with a library
 * that was given it. */
REG PIN_ClaimToolRegister(void)
{
    u32 n = __atomic_fetch_add(&claimed, 1, __ATOMIC_RELAXED);
    return n <= REG_INST_TOOL_LAST - REG_INST_TOOL_FIRST ? (REG)(REG_INST_TOOL_FIRST + (int)n) : REG_INVALID_;
}
