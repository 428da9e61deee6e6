/* SPDX-License-Identifier: Apache-2.0
 * Arguments of replacement routines, and the guest's state around guest functions that the tool calls. */
#ifndef LP_API_REPLACE_ARGS_H
#define LP_API_REPLACE_ARGS_H
#include "api/replace.h"

bool replace_argument_known(u16 iarg);
/* Ends the process with a message if the routine has no such argument. */
void replace_check_arguments(const struct call *c, const struct abi_proto *p);
/* Memory that the arguments need, on the stack of whoever makes the call, aligned to 64. */
size_t replace_arguments_bytes(const struct replacement *r);
void replace_arguments(struct abi_list *l, const struct replacement *r, const struct activation *a, void *memory);
/* The components of the guest's extended state that the function gets and leaves as they are in the CPU
 * (IARG_PRESERVE). */
u64 replace_exposed(const struct replacement *r);
/* After the call: the registers that the tool may change by IARG_PARTIAL_CONTEXT, and those of IARG_PRESERVE. */
void replace_give_back(const struct replacement *r, const void *memory);

/* A result of the tool's function for a register of the guest. */
void replace_set_reg(u16 reg, u64 value);

/* All of the thread's guest state that a guest function run in between may change. */
struct replace_saved;
size_t replace_saved_bytes(void);
void replace_save(struct replace_saved *s);
void replace_restore(const struct replace_saved *s);

#endif
