/* SPDX-License-Identifier: Apache-2.0
 * Hooks: guest addresses at which translated code asks the VM before it goes on. They are starts of replaced routines,
 * and places to which guest functions return that host code has called. Changed under jit_lock, read without. */
#ifndef LP_OPT_HOOKS_H
#define LP_OPT_HOOKS_H
#include "base/base.h"

enum hook_kind { HOOK_REPLACE = 1, HOOK_RETURN = 2 };

/* Notes a hook. True: it is new, and the caller has to remove the translations of that address (hook_add of jit.h).
 * Under jit_lock. */
bool hook_note(gpc_t pc, enum hook_kind kind);
/* A set of enum hook_kind; cheap as long as there is none. Takes no lock. */
u32 hook_at(gpc_t pc);

#endif
