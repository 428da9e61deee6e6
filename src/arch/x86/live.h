/* SPDX-License-Identifier: Apache-2.0
 * Which registers and flags of the guest are still needed at each instruction of a trace: what is not may be overwritten by analysis code without being saved.
 * At every way out of the trace all is needed. */
#ifndef LP_X86_LIVE_H
#define LP_X86_LIVE_H
#include "jit/build.h"

#define LIVE_FLAGS 0x8d5u /* OF SF ZF AF PF CF */

struct live {
    u16 regs;  /* general registers, one bit each */
    u16 flags; /* as in RFLAGS, within LIVE_FLAGS */
};

/* In front of instruction i of b; i == b->ninsns: behind the last. Computed for the trace on first use, forgotten by live_reset. -no_dead: all is needed everywhere. */
struct live live_before(struct build *b, u32 i);
/* In front of the instruction at pc, which a branch leads to. */
struct live live_at(gpc_t pc);
void live_reset(void);
/* From now on calls see registers that the guest does not need any more. True: code made before does not know. */
bool live_observe(void);

/* What one instruction does, for routines too. */
struct live_effect {
    u16 reads, kills, writes;     /* kills: written as a whole, always; writes: perhaps, or in part, too */
    u16 flags_read, flags_killed;
    bool flags_touched;           /* it reads or writes any flag, perhaps */
};
bool live_effect(const u8 *bytes, size_t avail, struct live_effect *out);
/* Of an instruction of the trace in hand, as it was decoded. */
bool live_effect_in(const struct insn *in, struct live_effect *e);
/* The same without the short cut (quick.h). */
bool live_effect_fully(const u8 *bytes, size_t avail, struct live_effect *out);

#endif
