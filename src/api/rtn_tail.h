/* SPDX-License-Identifier: Apache-2.0
 * IPOINT_AFTER of routines that do not return themselves but end in a jump to another routine. */
#ifndef LP_API_RTN_TAIL_H
#define LP_API_RTN_TAIL_H
#include "opt/objects.h"

struct rtn;

/* i is an instruction of r, which has calls after it: if it may leave r by a jump, these calls are made when the
 * routine that it jumps to has returned. jit_lock held. */
void rtn_tail_apply(const struct rtn *r, struct ins *i);
/* The routine whose part r is: compilers put code that is seldom run under a name of its own (NAME.cold). */
const struct rtn *rtn_whole(const struct rtn *r);

#endif
