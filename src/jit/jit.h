/* SPDX-License-Identifier: Apache-2.0
 * From guest address to cache address, and back. All functions but the lookups take jit_lock themselves. */
#ifndef LP_JIT_H
#define LP_JIT_H
#include "base/base.h"

struct cpu_state;

void jit_init(void);
/* Guest code in [start, end) has changed, is gone or is no longer executable: its translations go. Other threads may be running them; they leave at their next
 * exit. Cheap when nothing was translated there. */
void jit_invalidate(u64 start, u64 end);
/* A write by the guest to addr has faulted: true if that page was write-protected by us (E16); its traces are gone and it is writable again. */
bool jit_write_fault(u64 addr);
/* Before the kernel writes guest memory [start, end) for a system call: lifts our write protection there. Cheap when no page is protected. */
void jit_kernel_write(u64 start, u64 end);
/* Does the engine hold any page of the guest write-protected? */
bool jit_protects_pages(void);
/* The protection the kernel has for a page may differ from the guest's by E16: called after mprotect/mmap made the page writable+executable again etc. */
/* Is this host pc inside the cache (any region, stubs and common routines included)? */
bool jit_in_cache(u64 pc);
/* Is pc in the gate, behind its system call? */
bool jit_in_gate(u64 pc);
/* pc is a cache address and c holds the hardware registers there (gpr, flags; pc = cache pc). Rewrites c into the guest's state at the guest instruction that was being
 * executed (not yet done) or is next. Must succeed for every cache address (precise state). */
void jit_recover(struct cpu_state *c);
/* By the calling thread: it is in an instrumentation callback. */
bool jit_lock_held(void);
/* The guest instruction whose analysis routine was called from the cache with host stack pointer sp; 0: not found. For messages. */
u64 jit_call_site(u64 sp);
/* Before the tool makes a thread of its own. */
void jit_tool_thread(void);
/* The thread leaves the trace at that address for good: counters are made exact (counts.h). fault: the instruction's own, so the calls in front of it are done. */
void jit_settle(u64 cache_pc, bool fault);
/* os_syscall_interest has changed. */
void jit_syscall_interest_changed(void);
void jit_before_fork(void);
void jit_after_fork(bool child);

#endif
