/* SPDX-License-Identifier: Apache-2.0
 * Between clone.c and the files that lower returns and recover state. */
#ifndef LP_X86_CLONE_H
#define LP_X86_CLONE_H
#include "arch/x86/lower.h"

/* A return that is expected to go to `to`. */
void lower_ret_known(struct pass *b, const struct insn *in, gpc_t to);
/* The rest of any other, behind lower_indirect_begin. */
void lower_ret_pops(struct pass *b, const struct insn *in);

#endif
