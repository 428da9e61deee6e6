/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files that lower guest instructions. */
#ifndef LP_X86_LOWER_H
#define LP_X86_LOWER_H
#include "arch/x86/emit.h"
#include "opt/pass.h"

/* The tool's register n in the context (os/thread.h). */
#define TOOL_REG(n) ctx_disp(offsetof(struct thread, opt.tool_reg) + (size_t)(n) * 8)

#define MEMORY_PTR(n) ctx_disp(offsetof(struct thread, arch.memory_ptr) + (size_t)(n) * 8)

/* Of the counts of indirect branches there. */
#define TALLY(field) ctx_disp(offsetof(struct thread, vm.tally.field))

enum { MAP_GS_RAX = 1, MAP_GS_SWAPPED = 2 }; /* data of MAP_GS: rax is in slot 2; GS base is the guest's GS, its FS is in slot 4 */

/* data of MAP_REP_STEP, and of lower_repeat: which ZF ends the loop; the count is ecx. */
enum { REP_WHILE_ZERO = 1, REP_WHILE_NOT_ZERO = 2, REP_COUNT32 = 4 };

/* data of MAP_JUMP: a general register, or a tool register; rcx and rax are in slots 0 and 1. */
enum { MAP_JUMP_TOOL = 0x20, MAP_JUMP_SLOTS = 0x100 };

/* data of MAP_COUNT: bits 0-3 register in slot 5, 4-7 register in slot 7, 8-9 how many of them; and whether flags are in slot 3. */
enum { MAP_COUNT_FLAGS = 1 << 10 };

#define CARRY_HOME R11 /* compilers use it least (opt/carry.h) */
#define CARRY_HOME_BIT ((u16)(1u << CARRY_HOME))

/* The place of the guest's register in the bridge's context. */
#define HOLD_GPR(r) ctx_disp(offsetof(struct cpu_state, bridge.gpr) + (size_t)(r) * 8)

extern bool lower_no_near; /* -no_rip_near */

/* Offsets in indirect entries, as their emitters found them; they are the same in all. For recover.c. */
struct ib_marks {
    /* arch_emit_ib_count, from its start: the way to the VM has the target in rcx; the count begins, with the target in rcx, then in rax; its end. */
    u8 count_moved, count_entry, count_bytes;
    /* arch_emit_ib_entry, from its start: rcx is the difference between the target and the trace's key; rcx is the guest's again. */
    u8 compared, restored;
};
extern struct ib_marks ib_marks;

void lower_plain(struct build *b, const struct insn *in);
void lower_bad(struct build *b, const struct insn *in);
void lower_fsbase(struct build *b, const struct insn *in);
void lower_emulate(struct build *b, const struct insn *in);
enum gpr lower_free_register(const struct insn *in);
u8 *lower_jmp(u8 *p, u8 **patch); /* for an exit; returns its end */
void lower_exit_jmp(struct build *b, gpc_t target, enum exit_kind kind);
/* Parts of branch.c that rewritten transfers of control share (E7, E8). */
void lower_indirect_begin(struct build *b, const struct insn *in);
void lower_load_target(struct build *b, const struct insn *in);
void lower_indirect_end(struct build *b, const struct insn *in);
void lower_push_constant(struct build *b, u64 v);
u32 lower_ret_bytes(const struct insn *in);
void lower_exit_to_target(struct build *b, const struct insn *in); /* a direct call's, all else done */
void lower_fpu_save_exit(struct build *b, const struct insn *in, enum exit_kind kind);

#endif
