/* SPDX-License-Identifier: Apache-2.0
 * Which registers and flags of the guest are still needed at each instruction of a trace. Analysis code may overwrite
 * the others without saving them. Where it is not known what follows after the trace, all are needed. Under
 * jit_lock. */
#ifndef LP_OPT_LIVE_H
#define LP_OPT_LIVE_H
#include "opt/pass.h"

/* What is needed before instruction i of b; for i == b->ninsns, after the last one. It is computed for the trace when
 * it is first asked for, and forgotten by live_reset. With -no_dead, all is needed everywhere. */
struct live live_before(struct pass *b, u32 i);
/* What is needed before the instruction at pc, which a branch leads to. */
struct live live_at(gpc_t pc);
/* Guest code that was read ahead (peek.h) has changed: forgets what was found there. */
void live_forget_code(void);
void live_reset(struct pass *b);
/* From now on calls see registers that the guest does not need any more. True: there may be code that was made before
 * and does not save them. */
bool live_observe(void);

#endif
