/* SPDX-License-Identifier: Apache-2.0
 * What clone.c shares with the files that lower returns and recover state. Under jit_lock. */
#ifndef LP_X86_CLONE_H
#define LP_X86_CLONE_H
#include "arch/x86/lower.h"

/* A return that is expected to go to `to`. */
void lower_ret_known(struct pass *b, const struct insn *in, gpc_t to);
/* The end of any other return, after lower_indirect_begin. */
void lower_ret_pops(struct pass *b, const struct insn *in);

#endif
