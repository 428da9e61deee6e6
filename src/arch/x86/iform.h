/* SPDX-License-Identifier: Apache-2.0
 * Forms of instructions, numbered as they are asked for. Any thread; own lock. */
#ifndef LP_X86_IFORM_H
#define LP_X86_IFORM_H
#include "base/base.h"

struct ins_facts;
u32 iform_of(const struct ins_facts *f); /* 0: no instruction */
const char *iform_name(u32 number);      /* NULL: no such form yet */
void iform_lock(void); /* around a fork */
void iform_unlock(void);

#endif
