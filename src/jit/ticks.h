/* SPDX-License-Identifier: Apache-2.0
 * Ticks of a program that is recorded or replayed (os/record.h, RP2). */
#ifndef LP_JIT_TICKS_H
#define LP_JIT_TICKS_H
#include "opt/pass.h"

/* Puts the engine's call at the instruction, if it ticks: before those of the tool. */
void ticks_instrument(struct ins *ins, const struct insn *in);

#endif
