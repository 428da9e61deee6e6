/* SPDX-License-Identifier: Apache-2.0
 * Where an inlined analysis routine is left for the routine itself, which goes on to its end: code behind the trace
 * that puts its registers into their places, calls it in its midst, and comes back behind the inlined part. */
#ifndef LP_OPT_REST_H
#define LP_OPT_REST_H
#include "opt/hold.h"

bool rest_room(const struct pass *b, u32 n);
void rest_add(struct pass *b, const struct rest *r);
/* Behind the trace. */
void rest_write_all(struct pass *b);

#endif
