/* SPDX-License-Identifier: Apache-2.0
 * What the files bridge*.c share. Code is written when a trace is lowered, under jit_lock. */
#ifndef LP_X86_BRIDGE_H
#define LP_X86_BRIDGE_H
#include "opt/objects.h"
#include "arch/x86/lower.h"
#include "opt/hold.h"
#include "opt/needs.h"

#define BRIDGE_GPR(r) HOLD_GPR(r)

/* Argument registers that loading the arguments of c overwrites. */
u16 bridge_args_clobber(const struct call *c);
/* Written before flags change: computes the conditions and predicates that arguments need. */
void bridge_early_values(struct bridge *g);
/* The value of a register of the guest or the tool. */
void bridge_store_pc(struct bridge *g, const struct call *c);
void bridge_load_reg(struct bridge *g, const struct call *c, enum gpr to, u16 reg);
void bridge_load_args(struct bridge *g, const struct call *c);
void bridge_drop_args(struct bridge *g, const struct call *c);
void bridge_store_result(struct bridge *g, const struct call *c);
void bridge_context_address(struct bridge *g, enum gpr to, s32 disp);

/* Loads a guest register into a register of the call. */
void bridge_load_gpr(struct bridge *g, enum gpr to, enum gpr r);

/* --- bridge_sysargs.c: a system call's number, arguments and result --- */
u16 bridge_sysarg_expose(const struct call_arg *a);
bool bridge_sysarg_load(struct bridge *g, const struct call *c, const struct call_arg *a, enum gpr to);

/* For light bridges: low halves of vector registers into the context and back; a call of host code. */
void bridge_emit_vectors(struct emit *e, u16 vectors, bool store);
void bridge_emit_call(struct pass *b, struct emit *e, const void *fn);

/* A look, on the host's stack; flags are lost. If a signal has come, what follows is stepped to the next boundary
 * (MAP_COMMIT). */
void bridge_emit_look(struct emit *e, const struct pass *b);

/* IARG_EXPOSE: the routine runs with the guest's MXCSR and keeps what it makes of it. */
void bridge_expose_mxcsr(struct bridge *g, bool enter);

/* --- bridge_temp.c: arguments with memory of their own --- */
bool bridge_temp_known(u16 iarg);
u16 bridge_temp_expose(const struct call_arg *a);
bool bridge_temp_need_all(const struct call_arg *a);
/* Written before the arguments, and after the call (keeps rax). */
void bridge_temp_make(struct bridge *g, const struct call *c);
void bridge_temp_drop(struct bridge *g, const struct call *c);
/* False: not one of these. */
bool bridge_temp_load(struct bridge *g, const struct call *c, const struct call_arg *a, enum gpr to);
void bridge_temp_result(struct bridge *g, const struct call *c);
/* Emits a test of the instruction's predicate (ZF: not executed); false: it has none. */
bool bridge_test_predicate(struct bridge *g);

#endif
