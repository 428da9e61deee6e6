/* SPDX-License-Identifier: Apache-2.0
 * What decode.c, quick.c and effect.c share. No state. */
#ifndef LP_X86_EFFECT_H
#define LP_X86_EFFECT_H
#include "arch/effect.h"
#include "arch/x86/decoder.h"

/* Sets the registers and flags of the effect; its class, and how it is lowered, are set by decode.c. */
void effect_decoded(struct effect *e, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op);

#endif
