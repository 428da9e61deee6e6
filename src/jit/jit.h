/* SPDX-License-Identifier: Apache-2.0
 * The translator, for the rest of the engine: start, hooks, and what messages ask. All functions but jit_lock_held take
 * jit_lock themselves, unless they say otherwise. */
#ifndef LP_JIT_H
#define LP_JIT_H
#include "base/base.h"

/* Makes an empty cache, and fills the parts of os_events and vm_events that are about it. */
void jit_init(void);
/* Does the calling thread hold jit_lock, because it is in an instrumentation callback? */
bool jit_lock_held(void);
/* The guest instruction whose analysis routine was called from the cache with host stack pointer sp; 0: not found. For
 * messages. */
u64 jit_call_site(u64 sp);

#include "opt/hooks.h"
/* Translated code at pc asks the VM from now on. */
void hook_add(gpc_t pc, enum hook_kind kind);
/* No longer. */
void hook_drop(gpc_t pc, enum hook_kind kind);
/* What is inserted into translations has changed: all are made anew, and copies of functions (clones.h) are made no
 * more. No guest thread runs. */
void jit_instrument_anew(void);
/* The same as hook_add with jit_lock held. */
void hook_add_locked(gpc_t pc, enum hook_kind kind);

#endif
