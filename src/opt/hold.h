/* SPDX-License-Identifier: Apache-2.0
 * Where the guest's registers are while a trace is lowered. An analysis call stores in the bridge's context
 * (arch_info.home) what it overwrites, and what is there is loaded again only when an instruction needs it, or the
 * trace is left: between two calls most registers stay in the context. Map entries say which (map_entry.held). */
#ifndef LP_OPT_HOLD_H
#define LP_OPT_HOLD_H
#include "opt/pass.h"

#define HOLD_ALL ((reg_set)~0)

static inline reg_set hold_bit(u32 r) { return (reg_set)(1u << r); }
/* All but those. */
static inline reg_set hold_others(reg_set used) { return (reg_set)(arch_info.all & ~used); }
static inline void hold_forget_constant(struct pass *b) { b->constant.reg = -1; }

void hold_set(struct pass *b, struct hold h);
/* Stores, loads; the state is the caller's to set. */
void hold_emit_stores(struct emit *e, reg_set regs);
void hold_emit_loads(struct emit *e, reg_set regs);
/* Before instruction `i`: the flags are in their register again, if they are needed. */
void hold_flags_back(struct pass *b, gpc_t pc, u32 i);
/* What of regs is only in the context is loaded. Not the register that the flags are in. */
void hold_load(struct pass *b, gpc_t pc, reg_set regs);
/* Is the instruction lowered as it is, so that registers may stay in the context over it? */
static inline bool hold_keeps(const struct insn *in) { return in->effect.copied; }
/* Everything that is needed before instruction `i` is in registers, but for what the carried value displaces (carry.h);
 * for code that knows nothing of this. */
void hold_sync(struct pass *b, gpc_t pc, u32 i);
/* The same for code that may use any register, or for the VM: also what is carried (carry.h) is in memory. */
void hold_release(struct pass *b, gpc_t pc, u32 i);
/* The same for an exit that can be linked. */
void hold_leave(struct pass *b, gpc_t pc, u32 i);
/* Instruction i is not lowered as it is. all: for code that knows nothing of registers that are elsewhere. */
void hold_sync_insn(struct pass *b, u32 i, bool all);
/* Before an instruction, and after it. */
void hold_before(struct pass *b, const struct insn *in);
void hold_after(struct pass *b, const struct insn *in);
/* May exits leave registers in the context (bind.h)? */
bool hold_binds(void);
/* The same for one that may have registers in the context: what is written for it is hold_branch's. */
void hold_leave_held(struct pass *b, gpc_t pc, u32 i);
/* A jump out of the trace, to target, before instruction i or at it, whose way has registers to load first: written
 * behind the trace. *patch: its displacement. False: there are none. */
bool hold_branch(struct pass *b, gpc_t pc, u32 i, gpc_t target, u8 *patch);
void hold_write_branches(struct pass *b);

#endif
