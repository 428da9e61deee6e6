/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files that lower guest instructions. */
#ifndef LP_X86_LOWER_H
#define LP_X86_LOWER_H
#include "arch/x86/emit.h"
#include "jit/build.h"

enum { MAP_GS_RAX = 1, MAP_GS_SWAPPED = 2 }; /* data of MAP_GS: rax is in slot 2; GS base is the guest's GS, its FS is in slot 4 */

/* data of MAP_REP_STEP, and of lower_repeat: which ZF ends the loop; the count is ecx. */
enum { REP_WHILE_ZERO = 1, REP_WHILE_NOT_ZERO = 2, REP_COUNT32 = 4 };

extern bool lower_no_near; /* -no_rip_near */

void lower_plain(struct build *b, const struct insn *in);
void lower_bad(struct build *b, const struct insn *in);
void lower_fsbase(struct build *b, const struct insn *in);
void lower_emulate(struct build *b, const struct insn *in);
enum gpr lower_free_register(const struct insn *in);

#endif
