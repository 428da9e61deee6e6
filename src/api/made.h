/* SPDX-License-Identifier: Apache-2.0
 * Arguments of analysis calls that are made by host code when the call is made. */
#ifndef LP_API_MADE_H
#define LP_API_MADE_H
#include "base/base.h"

struct call_arg;
struct ins;

/* What valid_resolve makes of others: bytes that an XSAVE or XRSTOR touches; a memory operand's address as the tool
 * translates it; the target in such an operand. */
enum { IARG_MADE_XSAVE_SIZE = 2000, IARG_MADE_TRANSLATED, IARG_MADE_TARGET };
bool made_known(u16 iarg);
/* One of these becomes IARG_MADE; others stay as they are. Under jit_lock. */
void made_resolve(struct ins *i, struct call_arg *a, bool after);

#endif
