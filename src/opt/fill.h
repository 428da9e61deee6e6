/* SPDX-License-Identifier: Apache-2.0
 * Records of trace buffers (api/buffer.h) written inline. The records of a basic block, or of a piece of it, get their
 * room together: a register points at it, each record is written in front of its instruction, and the buffer's end is
 * compared once. When the piece is left in its middle, what was not written is taken back as for counters
 * (counts.h). */
#ifndef LP_OPT_FILL_H
#define LP_OPT_FILL_H
#include "opt/pass.h"

/* Planning, along the trace: begin, then for each instruction take or end. */
void fill_begin(struct pass *b);
/* Are all calls in front of instruction i records that can be written inline? Then they are, from now on. first: of the
 * piece of the block that it is in. */
bool fill_take(struct pass *b, u32 i, u32 first);
/* The piece of the block ends here. */
void fill_end(struct pass *b);

/* The records before an instruction. */
void fill_lower(struct pass *b, u32 insn);
/* Records of each iteration of a REP instruction; of its iterations alone, not where the count is 0? They are written
 * where fill_lower_iteration is called. */
bool fill_repeats(const struct pass *b, u32 insn);
bool fill_repeats_counted(const struct pass *b, u32 insn);
void fill_lower_iteration(struct pass *b, u32 insn);
/* Behind the trace. */
void fill_write_full(struct pass *b);

#endif
