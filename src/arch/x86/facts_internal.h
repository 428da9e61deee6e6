/* SPDX-License-Identifier: Apache-2.0
 * What facts.c and facts_fix.c share. No state. */
#ifndef LP_X86_FACTS_INTERNAL_H
#define LP_X86_FACTS_INTERNAL_H
#include "arch/x86/facts.h"

#include "arch/x86/decoder.h"

/* The decoder's mnemonic for a class, 0: none. */
u32 facts_mnemonic_of(u16 iclass);
/* Names: iclass, category, extension. */
void facts_fix_names(struct ins_facts *f, const ZydisDecodedInstruction *z);
/* Operands: order, access, sizes, visibility. Registers and memory operands are not numbered yet. */
void facts_fix_operands(struct ins_facts *f, const ZydisDecodedInstruction *z);

/* What the decoder is told. */
static inline u32 facts_decoder(u8 mode) { return mode == CODE_32 ? DECODER_32 : mode == CODE_16 ? DECODER_16 : 0; }

#endif
