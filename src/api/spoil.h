/* SPDX-License-Identifier: Apache-2.0
 * A function of the API, or an argument of calls, that is wrong on purpose (-api_spoil): does a test see it? */
#ifndef LP_API_SPOIL_H
#define LP_API_SPOIL_H
#include "base/base.h"

struct call_arg;

/* The tool has been opened, its main not called yet. WHAT is NAME=0, NAME=1 or NAME=text: the tool's calls of NAME do
 * nothing but give that; or `IARG NUMBER`: that argument has another value, or is left out where it is no parameter. */
void spoil_start(void *tool, const char *what);
/* The argument that is spoilt, 0: none. */
extern u32 spoil_iarg;
/* What becomes of such an argument: something else of the same kind. */
void spoil_arg(struct call_arg *a);

#endif
