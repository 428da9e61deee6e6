/* SPDX-License-Identifier: Apache-2.0
 * Guest addresses at which translated code asks the VM before it goes on: starts of replaced routines, places where
 * guest functions return to that host code has called. */
#ifndef LP_OPT_HOOKS_H
#define LP_OPT_HOOKS_H
#include "base/base.h"

enum hook_kind { HOOK_REPLACE = 1, HOOK_RETURN = 2 };

/* True: it is new, and the caller sees to it that translations of the place go (hook_add of jit.h). Under jit_lock. */
bool hook_note(gpc_t pc, enum hook_kind kind);
/* A set of enum hook_kind; cheap as long as there is none. Takes no lock. */
u32 hook_at(gpc_t pc);

#endif
