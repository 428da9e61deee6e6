/* SPDX-License-Identifier: Apache-2.0
 * Names of forms of instructions. */
#ifndef LP_X86_IFORM_H
#define LP_X86_IFORM_H
#include "base/base.h"

#define IFORM_NAME_BYTES 96

struct ins_facts;
bool iform_name(const struct ins_facts *f, char name[IFORM_NAME_BYTES]); /* false: no instruction */

#endif
