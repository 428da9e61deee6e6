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

/* Of an operand in memory: may the sum that is its address wrap at 4 GiB where something is mapped? Not one of a
 * register and at most 128 bytes: it lies just below 0 or 4 GiB then, or just above, where nothing is in either mode,
 * and the fault has the same 32 bits. sib: what follows ModRM. */
static inline bool transcode_wraps(u8 modrm, u8 sib)
{
    bool has_sib = (modrm & 7) == 4 && modrm < 0xc0, absolute = modrm < 0x40 && ((has_sib ? sib : modrm) & 7) == 5;
    return modrm < 0xc0 && (modrm >= 0x80 || absolute || (has_sib && (sib & 0x38) != 0x20));
}

#endif
