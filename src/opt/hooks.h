/* SPDX-License-Identifier: Apache-2.0
 * Hooks: guest addresses at which translated code asks the VM before it goes on. They are starts of replaced routines,
 * places to which guest functions return that host code has called, and a debugger's breakpoints. Changed under
 * jit_lock, read without. */
#ifndef LP_OPT_HOOKS_H
#define LP_OPT_HOOKS_H
#include "base/base.h"

/* HOOK_SECTION is none of the table: the instruction is in a restartable sequence (docs/design/rseq.md). */
enum hook_kind { HOOK_REPLACE = 1, HOOK_RETURN = 2, HOOK_SECTION = 4, HOOK_BREAK = 8 };

/* Notes a hook. True: it is new, and the caller has to remove the translations of that address (hook_add of jit.h).
 * Under jit_lock. */
bool hook_note(gpc_t pc, enum hook_kind kind);
/* Forgets one. True: it was there, and the same holds. */
bool hook_forget(gpc_t pc, enum hook_kind kind);
/* Has there ever been one? Then each instruction is looked at for itself. */
bool hook_any(void);
/* A set of enum hook_kind; cheap as long as there is none. Takes no lock. */
u32 hook_at(gpc_t pc);

#endif
