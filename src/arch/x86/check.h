/* SPDX-License-Identifier: Apache-2.0
 * Traces that check themselves (E16): the comparison at their start, and constants that vary. */
#ifndef LP_X86_CHECK_H
#define LP_X86_CHECK_H
#include "opt/pass.h"

/* At the start of every trace; of one that does not check itself, nothing is emitted. */
void check_lower(struct pass *b);
/* An instruction whose constant varies: it takes what the comparison has found in the program's code. False: it is not
 * one. */
bool check_lower_constant(struct pass *b, const struct insn *in);

#endif
