/* SPDX-License-Identifier: Apache-2.0
 * The place of the next record of the tool's trace buffer, carried in a register through all code of the cache.
 *
 * C1 At the start of a trace, at its exits that can be linked, in their stubs, in indirect entries and in the lookup
 *    behind them, its home has it (arch_info.carry), and the guest's value of that register is in the bridge's context
 *    (hold.h).
 * C2 Within a trace another register may have it, or memory (trace_buffer.next): build.next_in, map_entry.next_in and
 *    exit.carries say which. While a register has it, what is in memory is old.
 * C3 In the VM, in the gate for system calls and in bridges, memory has it.
 * C4 Whether this is done at all is decided before the first trace is made: a tool with one trace buffer. */
#ifndef LP_OPT_CARRY_H
#define LP_OPT_CARRY_H
#include "opt/hold.h"

/* The home, as build.next_in has it, and as a set. */
static inline u8 carry_home(void) { return (u8)(arch_info.carry + 1); }
static inline reg_set carry_bit(void) { return hold_bit(arch_info.carry); }

extern u32 carry_id; /* the buffer, 0: none */

/* C4, on first use. */
void carry_decide(void);
/* A trace begins. */
void carry_begin(struct pass *b);
/* Code for one of the moves below; the map's last entry describes the state at b->p. live: the guest's registers that
 * are still needed. */
void carry_take(struct pass *b, reg_set live);                /* to its home */
void carry_move(struct pass *b, u32 to, reg_set live);   /* to another register */
void carry_drop(struct pass *b);                          /* to memory */
/* Another way leads here, on which memory has it and all registers are in place. */
void carry_forget(struct pass *b);
/* Instruction i touches the register that has it: elsewhere with it. */
void carry_evade(struct pass *b, u32 i);
/* To a register that is not one of `used`, which the instructions from i on touch. */
void carry_keep_from(struct pass *b, u32 i, reg_set used);
/* trace_buffer.next of buffer id, from the start of struct thread. */
size_t carry_next(u32 id);
/* What the code at that cache address keeps elsewhere, as a map entry. Signals are not taken in other stubs than those of linked exits and of stale traces. */
struct map_entry carry_state(u64 pc);
/* Does it have the value in its home? Does it have the host's stack pointer, and the guest's in the context? */
bool carry_at(u64 pc);
bool carry_on_host_stack(u64 pc);
/* What the exit keeps of what was built. */
void carry_exit(struct exit *x, const struct pass_exit *from);

#endif
