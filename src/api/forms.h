/* SPDX-License-Identifier: Apache-2.0
 * Forms of instructions (xed_iform_enum_t), numbered in the order in which they are first asked for: the numbers hold
 * for one run only. Any thread, without a lock. */
#ifndef LP_API_FORMS_H
#define LP_API_FORMS_H
#include "base/base.h"

struct ins_facts;
u32 forms_number(const struct ins_facts *f); /* 0: no instruction */
const char *forms_name(u32 number);          /* NULL: no such form yet */

#endif
