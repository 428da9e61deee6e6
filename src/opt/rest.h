/* SPDX-License-Identifier: Apache-2.0
 * The rest of an analysis routine that is inlined in part: cold code that puts the routine's registers into their
 * places, calls the routine in its middle, lets it run to its end, and comes back after the inlined part. Under
 * jit_lock. */
#ifndef LP_OPT_REST_H
#define LP_OPT_REST_H
#include "opt/hold.h"

bool rest_room(const struct pass *b, u32 n);
void rest_add(struct pass *b, const struct rest *r);
/* Writes the cold code of all rests of the trace. */
void rest_write_all(struct pass *b);

#endif
