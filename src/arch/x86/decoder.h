/* SPDX-License-Identifier: Apache-2.0
 * The one place where the full decoder, Zydis, is set up. Only src/arch/x86 includes it. */
#ifndef LP_X86_DECODER_H
#define LP_X86_DECODER_H
#include "base/base.h"

#include <Zydis/Zydis.h>

enum { DECODER_32 = 1, /* IA-32 code */
    DECODER_16 = 4,    /* code of 16 bits, which only systems have */
    DECODER_AMD = 2 }; /* an operand size prefix makes a near branch one of 16 bits; Intel's CPUs ignore it */

/* Decodes at most 15 of the `avail` bytes; op has room for ZYDIS_MAX_OPERAND_COUNT, NULL: operands are not wanted.
 * Bytes that mean something else to the CPU than to Zydis are corrected first. */
ZyanStatus decoder_full(const u8 *bytes, size_t avail, u32 how, ZydisDecodedInstruction *z, ZydisDecodedOperand *op);
/* The same for host code, of which 15 bytes can be read. */
bool decoder_host(const void *pc, ZydisDecodedInstruction *z, ZydisDecodedOperand *op);

/* The number of the general register that r is, or is a part of; -1: none. */
static inline int decoder_gpr(ZydisRegister r)
{
    ZydisRegister full = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
    return full >= ZYDIS_REGISTER_RAX && full <= ZYDIS_REGISTER_R15 ? (int)(full - ZYDIS_REGISTER_RAX) : -1;
}

#endif
