/* SPDX-License-Identifier: Apache-2.0
 * Sets of general registers (enum gpr) and of flags (as in RFLAGS), for code that knows neither. */
#ifndef LP_X86_REG_SET_H
#define LP_X86_REG_SET_H
#include "base/base.h"

typedef u16 reg_set;
typedef u16 flag_set;

#define REG_SET_REGISTERS 16
#define FLAG_SET_ALL 0x8d5u /* OF SF ZF AF PF CF */

#endif
