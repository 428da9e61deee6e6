/* SPDX-License-Identifier: Apache-2.0
 * Between clone.c and the files that lower returns and recover state. */
#ifndef LP_X86_CLONE_H
#define LP_X86_CLONE_H
#include "opt/pass.h"

/* arch_emit_ib_count: the way to the VM (target in rax, then in rcx), then the entry: target in rcx, from its second instruction to its last in rax. */
enum { IB_COUNT_MOVED = 3, IB_COUNT_ENTRY = ARCH_IB_COUNT_ENTRY, IB_COUNT_BYTES = ARCH_IB_COUNT_BYTES };
static inline bool is_ib_count(const u8 *entry) { return entry[1] == 0x89; }
static inline bool ib_count_in_rax(u64 off) { return off < IB_COUNT_MOVED || (off > IB_COUNT_ENTRY && off < IB_COUNT_BYTES); }

/* A return that is expected to go to `to`. */
void lower_ret_known(struct build *b, const struct insn *in, gpc_t to);
/* The rest of any other, behind lower_indirect_begin. */
void lower_ret_pops(struct build *b, const struct insn *in);

#endif
