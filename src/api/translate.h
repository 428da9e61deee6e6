/* SPDX-License-Identifier: Apache-2.0
 * The tool's translation of addresses (PIN_AddMemoryAddressTransFunction): asked for arguments that are pointers to operands, and for what the engine itself reads and writes in place of an
 * instruction. On the guest thread concerned. */
#ifndef LP_API_TRANSLATE_H
#define LP_API_TRANSLATE_H
#include "base/base.h"

enum translate_flag { TRANSLATE_ENGINE = 1, TRANSLATE_ATOMIC = 2, TRANSLATE_PREFETCH = 4, TRANSLATE_RMW = 8 };

bool translate_active(void);
/* The address itself where the tool has no function. */
u64 translate_address(u64 address, size_t bytes, gpc_t pc, bool write, u32 flags);

#endif
