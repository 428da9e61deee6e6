/* SPDX-License-Identifier: Apache-2.0
 * Between the files of jit/ and the dispatcher. */
#ifndef LP_JIT_INTERNAL_H
#define LP_JIT_INTERNAL_H
#include "cache/cache.h"

void jit_lock(void);
void jit_unlock(void);
/* --- jit_lock held --- */
/* The trace for pc, made if need be; NULL: nothing to execute at *fetch_fault. indirect: jit_make_indirect will
 * follow. */
struct trace *jit_trace(gpc_t pc, u16 version, bool indirect, u64 *fetch_fault);
/* The calls after the instruction at pc (build_after); NULL: none. */
struct trace *jit_after_trace(gpc_t pc, u16 version);
/* How long traces get; a tool may change it. */
extern u32 build_max_ins, build_max_bbls;
/* The exit that leads to the trace that may be made next, NULL: none that tells. */
void build_hint(const struct exit *from);
/* The trace for pc, made now, with an indirect entry if asked for; NULL: there is nothing to execute at *fetch_fault.
 * jit_lock held. */
struct trace *build_trace(gpc_t pc, u16 version, bool indirect, u64 *fetch_fault);
/* Only the calls after the instruction at pc, which the VM has completed; NULL: there are none. jit_lock held. */
struct trace *build_after(gpc_t pc, u16 version);
/* Raises that fault for the guest; without jit_lock, because the guest's frame may go to a page that the jit
 * watches. */
void build_raise_fetch_fault(u64 at);
/* Gives the trace an indirect entry, puts it into table and directory. */
void jit_make_indirect(struct trace *t);
/* Writes the indirect entry of the trace with that key at p, and what counts returns there before it; *entry: where it begins. body NULL: it follows directly. Returns its end. */
u8 *jit_emit_entry(const struct region *r, u8 *p, u64 key, const u8 *body, bool counts, u8 **entry);
void jit_kill(struct trace *t);
void jit_flush_locked(void);
/* Before a new region is made for code at pc: gives back one that is full of dead traces, where there is one. */
void jit_make_room(gpc_t pc, size_t bytes);
u64 jit_epoch(void);
/* Threads that wait in the gate come back to the VM, not to the cache (E10). */
void jit_evict_gates(void);
/* --- without it --- */
/* vm_events.dispatch (dispatch.c) */
void jit_dispatch(void) NORETURN;
/* A trace that checks itself has found its source changed. */
void jit_drop_stale(u64 key);

struct jit_stats {
    u64 traces, guest_bytes, cache_bytes, flushes, killed, reclaimed, write_faults, links, bound, entries, indirect,
        stale, clones;
};
extern struct jit_stats jit_stats;

#endif
