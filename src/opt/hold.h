/* SPDX-License-Identifier: Apache-2.0
 * Where the guest's registers are while a trace is lowered. An analysis call stores in the bridge's context
 * (arch_info.home) what it overwrites. What is there is loaded again only when an instruction needs it, or the trace is
 * left: between two calls most registers stay in the context. Map entries say which (map_entry.held). Under
 * jit_lock. */
#ifndef LP_OPT_HOLD_H
#define LP_OPT_HOLD_H
#include "opt/pass.h"

#define HOLD_ALL ((reg_set)~0)

static inline reg_set hold_bit(u32 r) { return (reg_set)(1u << r); }
/* All registers that are not in `used`. */
static inline reg_set hold_others(reg_set used) { return (reg_set)(arch_info.all & ~used); }
static inline void hold_forget_constant(struct pass *b) { b->constant.reg = -1; }

void hold_set(struct pass *b, struct hold h);
/* Code that stores registers to the context, and that loads them. The caller sets the state. */
void hold_emit_stores(struct emit *e, reg_set regs);
void hold_emit_loads(struct emit *e, reg_set regs);
/* Before instruction `i`: the flags are in their register again, if they are needed. */
void hold_flags_back(struct pass *b, gpc_t pc, u32 i);
/* Loads those of `regs` that are only in the context. Not the register that the flags are in. */
void hold_load(struct pass *b, gpc_t pc, reg_set regs);
/* Is the instruction lowered as it is, so that registers may stay in the context over it? */
static inline bool hold_keeps(const struct insn *in) { return in->effect.copied; }
/* Loads all registers that the guest needs before instruction `i`, but for the one that the carried value displaces
 * (carry.h). For code that does not know about registers in the context. */
void hold_sync(struct pass *b, gpc_t pc, u32 i);
/* The same for code that may use any register, or for the VM: the carried place (carry.h) goes to memory, too. */
void hold_release(struct pass *b, gpc_t pc, u32 i);
/* The same for an exit that can be linked. */
void hold_leave(struct pass *b, gpc_t pc, u32 i);
/* For an instruction that is not copied. all: for code that does not know about registers in the context. */
void hold_sync_insn(struct pass *b, u32 i, bool all);
/* To be called before an instruction, and after it. */
void hold_before(struct pass *b, const struct insn *in);
void hold_after(struct pass *b, const struct insn *in);
/* May exits leave registers in the context (bind.h)? */
bool hold_binds(void);
/* For an exit that may have registers in the context: hold_branch writes the code for it. */
void hold_leave_held(struct pass *b, gpc_t pc, u32 i);
/* A jump out of the trace to `target`, before instruction i or at it, with registers that have to be loaded first: that
 * is done in cold code. *patch: its displacement. False: there is nothing to load. */
bool hold_branch(struct pass *b, gpc_t pc, u32 i, gpc_t target, u8 *patch);
void hold_write_branches(struct pass *b);

#endif
