/* SPDX-License-Identifier: Apache-2.0
 * Guest addresses at which translated code asks the VM before it goes on: starts of replaced routines, places where guest functions return to that host code has called. */
#ifndef LP_JIT_HOOKS_H
#define LP_JIT_HOOKS_H
#include "base/base.h"

enum hook_kind { HOOK_REPLACE = 1, HOOK_RETURN = 2 };

/* Translations of the place go, if it is new. */
void hook_add(gpc_t pc, enum hook_kind kind);
/* The same with jit_lock held. */
void hook_add_locked(gpc_t pc, enum hook_kind kind);
/* A set of enum hook_kind; cheap as long as there is none. Takes no lock. */
u32 hook_at(gpc_t pc);

#endif
