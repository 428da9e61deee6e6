/* SPDX-License-Identifier: Apache-2.0
 * What the files of src/jit share with each other and with no other folder: traces, found and made; the dispatcher. */
#ifndef LP_JIT_INTERNAL_H
#define LP_JIT_INTERNAL_H
#include "cache/cache.h"
#include "opt/parts.h"

void jit_lock(void);
void jit_unlock(void);
/* --- jit_lock held --- */
/* The trace for pc, which is made if there is none yet; NULL: nothing can be executed at *fetch_fault. indirect: the
 * caller will call jit_make_indirect. */
struct trace *jit_trace(gpc_t pc, u16 version, bool indirect, u64 *fetch_fault);
/* The same for the address of a trace that has left by x because its source has changed. */
struct trace *jit_stale(const struct exit *x, u64 *fetch_fault);
/* The trace of the calls after the instruction at pc (build_after); NULL: there are none. */
struct trace *jit_after_trace(gpc_t pc, u16 version);
/* The trace of the one instruction at pc (build_single); NULL: nothing can be executed at *fetch_fault. */
struct trace *jit_single_trace(gpc_t pc, u16 version, u64 *fetch_fault);
/* How long traces get; a tool may change it. */
extern u32 build_max_ins, build_max_bbls;
/* `from` leads to the trace that may be made next; NULL: no exit does. The trace is made to fit the registers that the
 * exit leaves in the context (opt/bind.h). */
void build_hint(const struct exit *from);
/* Makes the trace for pc, with an indirect entry if `indirect`; NULL: nothing can be executed at *fetch_fault. jit_lock
 * held. */
struct trace *build_trace(gpc_t pc, u16 version, bool indirect, u64 *fetch_fault);
/* Makes a trace of the calls after the instruction at pc, which the VM has completed, and of nothing else; NULL: there
 * are no such calls. Gives the instruction; length 0: it cannot be fetched any more. jit_lock held. */
struct trace *build_after(gpc_t pc, u16 version, u8 source[LONGEST_INSN], u32 *len);
/* Makes a trace of the one instruction at pc that always comes back to the VM; NULL: as for build_trace. Gives the
 * instruction. jit_lock held. */
struct trace *build_single(gpc_t pc, u16 version, u8 source[LONGEST_INSN], u32 *len, u64 *fetch_fault);
/* Raises the fault of an instruction fetch at `at` for the guest. Called without jit_lock, because the guest's frame
 * may go to a page that the jit watches. */
void build_raise_fetch_fault(u64 at);
/* Gives the trace an indirect entry, and puts it into the table. The directory has it when an indirect branch has
 * missed it there. */
void jit_make_indirect(struct trace *t);
/* Writes the indirect entry of the trace with that key at p, and what counts returns there before it; *entry: where it
 * begins. body NULL: it follows directly. Returns its end. */
u8 *jit_emit_entry(const struct region *r, u8 *p, u64 key, const u8 *body, const u32 *counter, u8 **entry);
void jit_kill(struct trace *t);
/* Translations without anything of the tool's take the place of all others, soon. Waits for no lock. */
void jit_tool_leaves(void);
void jit_flush_locked(void);
/* Before a new region is made for code at pc: gives back one that is full of dead traces, where there is one. */
void jit_make_room(gpc_t pc, size_t bytes);
u64 jit_epoch(void);
/* Threads that wait in the gate come back to the VM, not to the cache (E10). */
void jit_evict_gates(void);
/* --- without jit_lock --- */
/* vm_events.dispatch (dispatch.c) */
void jit_dispatch(void) NORETURN;

struct jit_stats {
    u64 traces, guest_bytes, cache_bytes, flushes, killed, reclaimed, write_faults, links, bound, entries, indirect,
        stale, clones;
};
extern struct jit_stats jit_stats;

#endif
