/* SPDX-License-Identifier: Apache-2.0
 * Records of trace buffers (api/buffer.h) written inline. The records of a basic block, or of a piece of it, get their
 * room together: a register points at it, each record is written before its instruction, and the place is compared with
 * the buffer's end once. When the piece is left in its middle, the records that were not written are taken back as
 * counters are (counts.h). Under jit_lock. */
#ifndef LP_OPT_FILL_H
#define LP_OPT_FILL_H
#include "opt/pass.h"

/* Planning, along the trace: fill_begin, then for each instruction fill_take or fill_end. */
void fill_begin(struct pass *b);
/* Are all calls before instruction i records that can be written inline? Then this takes them, and they will be. first:
 * the first instruction of its piece. */
bool fill_take(struct pass *b, u32 i, u32 first);
/* The piece of the block ends here. */
void fill_end(struct pass *b);

/* The records before an instruction. */
void fill_lower(struct pass *b, u32 insn);
/* fill_repeats: does the REP instruction write records in each iteration? fill_repeats_counted: only if it has any
 * iterations? They are written where fill_lower_iteration is called. */
bool fill_repeats(const struct pass *b, u32 insn);
bool fill_repeats_counted(const struct pass *b, u32 insn);
void fill_lower_iteration(struct pass *b, u32 insn);
/* Writes the cold code of the looks that found a full buffer. */
void fill_write_full(struct pass *b);

#endif
