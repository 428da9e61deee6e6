/* SPDX-License-Identifier: Apache-2.0
 * The place of the next record of the tool's trace buffer, carried in a register through all code of the cache. Its
 * *home* is the register arch_info.carry. Under jit_lock.
 *
 * C1 The place is in its home, and the guest's value of that register in the bridge's context (hold.h): at the start of
 *    a trace, at its exits that can be linked, in their stubs, in indirect entries and in the lookup of indirect
 *    branches.
 * C2 Within a trace another register may have it, or memory (trace_buffer.next): pass.next_in, map_entry.next_in and
 *    exit.carries say which. While a register has it, the value in memory is out of date.
 * C3 In the VM, in the gate for system calls and in bridges, memory has it.
 * C4 Whether it is carried at all is decided before the first trace is made: it is for a tool with one trace buffer. */
#ifndef LP_OPT_CARRY_H
#define LP_OPT_CARRY_H
#include "opt/hold.h"

/* The home, in the form of pass.next_in and as a set. */
static inline u8 carry_home(void) { return (u8)(arch_info.carry + 1); }
static inline reg_set carry_bit(void) { return hold_bit(arch_info.carry); }

extern u32 carry_id; /* number of the buffer whose place is carried; 0: none */

/* Decides (C4), when it is first called. */
void carry_decide(void);
/* Sets the state at a trace's start. */
void carry_begin(struct pass *b);
/* Code for one of the moves below; the map's last entry describes the state at b->p. live: the guest's registers that
 * are still needed. */
void carry_take(struct pass *b, reg_set live);                /* to its home */
void carry_move(struct pass *b, u32 to, reg_set live);   /* to another register */
void carry_drop(struct pass *b);                          /* to memory */
/* From here on memory has it and all registers are in place, because code comes here on another way, too. */
void carry_forget(struct pass *b);
/* Instruction i touches the register that has it: moves it elsewhere. */
void carry_evade(struct pass *b, u32 i);
/* Moves it to a register that is not in `used` and that the instructions from i on do not touch. */
void carry_keep_from(struct pass *b, u32 i, reg_set used);
/* trace_buffer.next of buffer id, from the start of struct thread. */
size_t carry_next(u32 id);
/* What the code at that cache address keeps elsewhere, as a map entry. Signals are not taken in other stubs than those
 * of linked exits and of stale traces. */
struct map_entry carry_state(u64 pc);
/* Does it have the value in its home? Does it have the host's stack pointer, and the guest's in the context? */
bool carry_at(u64 pc);
bool carry_on_host_stack(u64 pc);
/* What the exit keeps of what was built. */
void carry_exit(struct exit *x, const struct pass_exit *from);

#endif
