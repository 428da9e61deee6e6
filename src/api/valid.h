/* SPDX-License-Identifier: Apache-2.0
 * Arguments of analysis calls against the instruction that they are at. */
#ifndef LP_API_VALID_H
#define LP_API_VALID_H

struct ins;

/* Checks the arguments of the instruction's calls, and turns those that depend on it into the form that the bridge
 * knows (jit_events.resolve). */
void valid_resolve(struct ins *i);

#endif
