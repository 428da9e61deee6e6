/* SPDX-License-Identifier: Apache-2.0
 * Which registers and flags of the guest are still needed at each instruction of a trace: what is not may be
 * overwritten by analysis code without being saved. At every way out of the trace all is needed. */
#ifndef LP_OPT_LIVE_H
#define LP_OPT_LIVE_H
#include "opt/pass.h"

/* In front of instruction i of b; i == b->ninsns: behind the last. Computed for the trace on first use, forgotten by
 * live_reset. -no_dead: all is needed everywhere. */
struct live live_before(struct pass *b, u32 i);
/* In front of the instruction at pc, which a branch leads to. */
struct live live_at(gpc_t pc);
/* Guest code read ahead (peek.h) has changed. */
void live_forget_code(void);
void live_reset(struct pass *b);
/* From now on calls see registers that the guest does not need any more. True: code made before does not know. */
bool live_observe(void);

#endif
