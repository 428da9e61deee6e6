/* SPDX-License-Identifier: Apache-2.0
 * What the architecture keeps of the translation of one trace (opt/pass.h): nothing yet. */
#ifndef LP_RISCV64_PASS_ARCH_H
#define LP_RISCV64_PASS_ARCH_H
#include "base/base.h"

struct pass_arch {
    u32 none;
};

#endif
