/* SPDX-License-Identifier: Apache-2.0
 * IA-32 instructions as 64-bit code (docs/design/ia32.md). No state. */
#ifndef LP_X86_TRANSCODE_H
#define LP_X86_TRANSCODE_H
#include "arch/x86/decode.h"
#include "arch/x86/decoder.h"

/* in: the instruction at in->pc, its bytes and length as the program has them. Becomes what lowering needs: its class,
 * its target, and bytes that do the same in 64-bit mode with the upper halves of registers 0. Instructions whose class
 * is INSN_EMULATE or INSN_BAD keep their own bytes. */
void transcode(struct insn *in, const ZydisDecodedInstruction *z);

#endif
