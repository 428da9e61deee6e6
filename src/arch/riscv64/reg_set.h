/* SPDX-License-Identifier: Apache-2.0
 * Sets of general registers (x0 to x31), for code that does not know them. There are no flags. */
#ifndef LP_RISCV64_REG_SET_H
#define LP_RISCV64_REG_SET_H
#include "base/base.h"

typedef u32 reg_set;
typedef u8 flag_set;

#define REG_SET_REGISTERS 32
#define FLAG_SET_ALL 0u

#endif
