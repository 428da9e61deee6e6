/* SPDX-License-Identifier: Apache-2.0
 * Between decode.c, quick.c and effect.c. */
#ifndef LP_X86_EFFECT_H
#define LP_X86_EFFECT_H
#include "arch/effect.h"
#include "arch/x86/decoder.h"

/* Registers and flags; its class and what lowering makes of it are decode.c's. */
void effect_decoded(struct effect *e, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op);

#endif
