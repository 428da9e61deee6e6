/* SPDX-License-Identifier: Apache-2.0
 * The common instructions decoded by tables of our own, several times faster than the full decoder; what is not common
 * is left to it. */
#ifndef LP_X86_QUICK_H
#define LP_X86_QUICK_H
#include "arch/x86/decode.h"

void quick_init(void);
/* in->bytes holds `avail` bytes. False: it is not one of the common ones; fields of `in` may have changed, and the full
 * decoder sets all of them again. effect: all of the effect is wanted, not only its class. */
bool quick_decode(struct insn *in, gpc_t pc, size_t avail, bool effect);

#endif
