/* SPDX-License-Identifier: Apache-2.0
 * Traces are made: by build.c, with code emitted by the architecture (arch_lower_*). */
#ifndef LP_JIT_BUILD_H
#define LP_JIT_BUILD_H
#include "opt/pass.h"

struct ins_jump;

enum exit_kind { EXIT_KIND_BRANCH, EXIT_KIND_EMULATE, EXIT_KIND_FPU_SAVE, EXIT_KIND_STALE, EXIT_KIND_STEP, EXIT_KIND_STEP_JUMP, EXIT_KIND_FPU_SAVE_AT,
    EXIT_KIND_INT80, EXIT_KIND_INT80_DONE, /* int $0x80 that the tool sees: in front of it, behind it */
    EXIT_KIND_REPLACE, EXIT_KIND_RETURN, /* hooks.h */
    EXIT_KIND_FULL }; /* no room for trace records: goes on at resume */

/* How long traces get; a tool may change it. */
extern u32 build_max_ins, build_max_bbls;

u32 build_add_exit(struct build *b, gpc_t target, u8 *patch, enum exit_kind kind);
/* From p on, the state is ... (map_kind). */
void build_map(struct build *b, const u8 *p, enum map_kind kind, gpc_t pc, u16 data);
/* The exit that leads to the trace that may be made next, NULL: none that tells. */
void build_hint(const struct exit *from);
/* The trace for pc, made now, with an indirect entry if asked for; NULL: there is nothing to execute at *fetch_fault. jit_lock held. */
struct trace *build_trace(gpc_t pc, u16 version, bool indirect, u64 *fetch_fault);
/* Only the calls after the instruction at pc, which the VM has completed; NULL: there are none. jit_lock held. */
struct trace *build_after(gpc_t pc, u16 version);
/* Raises that fault for the guest; without jit_lock, because the guest's frame may go to a page that the jit watches. */
void build_raise_fetch_fault(u64 at);

/* --- owed by the architecture --------------------------------------------------------------------------- */
/* A new trace, whose instructions are known. */
void arch_plan_begin(struct build *b);
/* Takes the calls that only count out of the instructions' lists, and says where they are added up. */
void arch_plan_counts(struct build *b);
/* The additions in front of an instruction. */
void arch_lower_counts(struct build *b, u32 insn);
/* The records of trace buffers in front of an instruction. */
void arch_lower_fills(struct build *b, u32 insn);
void arch_lower_begin(struct build *b);
void arch_lower_insn(struct build *b, const struct insn *in);
/* Instruction i is not lowered as it is. all: for code that knows nothing of registers that are elsewhere. */
void arch_lower_sync(struct build *b, u32 i, bool all);
/* Is it a string instruction with a REP prefix? */
bool arch_insn_repeats(const struct insn *in);
bool arch_repeat_known(const struct insn *in); /* such a one, whose iterations are known when it begins */
/* One iteration, `calls` (or none) before it; the next one is a trace of its own. */
void arch_lower_repeat(struct build *b, const struct insn *in, struct ins *ins, const struct call *calls);
/* Analysis calls at a place of `in`; pc: the guest's, as they see it. */
enum bridge_place {
    BRIDGE_BEFORE, /* at the instruction's boundary */
    BRIDGE_TAKEN,  /* in front of an unconditional transfer, after its BRIDGE_BEFORE */
    BRIDGE_AFTER,  /* the instruction is done: behind it, or on the way to a branch's target */
};
void bridge_emit(struct build *b, const struct insn *in, struct ins *ins, const struct call *list, enum bridge_place place, gpc_t pc);
/* An instruction that needs the VM, with calls after it: they are run by the VM (build_after). A system call may come back elsewhere, later or twice. */
void arch_lower_with_after(struct build *b, const struct insn *in);
/* The calls after `in` alone: says in the context that they have begun, and goes back to the VM; never linked. */
void arch_lower_after(struct build *b, const struct insn *in, struct ins *ins, const struct call *list);
/* A conditional branch with calls where it is taken. */
void arch_lower_taken(struct build *b, const struct insn *in, struct ins *ins, const struct call *list);
/* Behind the trace. */
void arch_lower_end(struct build *b);
/* In front of the instruction: the VM looks at the guest (enum hook_kind). */
void arch_lower_hooks(struct build *b, const struct insn *in, u32 kinds);
/* A jump that the tool inserted at the instruction. */
void arch_lower_jump(struct build *b, const struct insn *in, const struct ins_jump *j);
/* After the last instruction, when it may fall through to `next`. */
void arch_lower_fall_through(struct build *b, gpc_t next);
/* The stubs of all exits, the first of which has that number, below b->data; and the place of one of them, from where b->data was. */
void arch_emit_stubs(struct build *b, u32 first_exit);
u8 *arch_stub_at(u8 *top, u32 i);
/* Emits at p the indirect entry of the trace with that key; returns its end. body NULL: it follows directly. */
u8 *arch_emit_ib_entry(const struct region *r, u8 *p, u64 key, const u8 *body);
/* What of it the exit keeps: carries, looks. */
void arch_exit_state(struct exit *x, const struct build_exit *from);
#define ARCH_IB_ENTRY_BYTES 48
/* What counts the returns to pc, in front of an indirect entry (clones.h); the count starts at its first offset, the entry itself behind it. */
enum { ARCH_IB_COUNT_ENTRY = 8, ARCH_IB_COUNT_BYTES = 39 };
u8 *arch_emit_ib_count(const struct region *r, u8 *p, gpc_t pc);
/* Where an exit with that binding can jump to in `to`, perhaps to code written now that moves registers; NULL: no room for it. */
u8 *arch_bound_entry(const struct exit_binding *has, struct trace *to, const struct trace_binding *wants);
/* Writes the common routines at the region's start and sets the pointers. */
void arch_emit_common(struct region *r);
/* Points the exit's branch at `to`; far: through a jump that it writes at far_stub (24 bytes). */
void arch_patch_branch(u8 *patch, const u8 *to);
bool arch_branch_reaches(const u8 *patch, const u8 *to);
void arch_emit_far_jump(u8 *at, const u8 *to);
bool arch_insn_ends_trace(const struct insn *in);
bool arch_insn_needs_vm(const struct insn *in); /* the VM carries it out, or a part of it; of system calls: may */
bool arch_insn_traps(const struct insn *in); /* and the kernel says it was behind it */
/* A place behind such an instruction, for that. */
void arch_lower_trap_end(struct build *b, const struct insn *in);
bool arch_insn_is_branch(const struct insn *in); /* conditional */
bool arch_insn_is_call(const struct insn *in);   /* direct or not */
bool arch_insn_is_return(const struct insn *in);
bool arch_insn_ends_block(const struct insn *in); /* the VM may go on elsewhere than behind it */
/* Carries out the guest instruction at vm_tc.cpu.pc that lowering left to the VM. False: it will fault, and shall be executed at the exit's resume address to do so. */
bool arch_emulate(void);
/* The guest instruction at vm_tc.cpu.pc has stored x87 state: puts the guest's address of the last x87 instruction there, and goes on behind it. */
void arch_fix_fpu_save(bool rewritten);
/* Memory operands with addresses from the tool. */
bool arch_insn_rewritten(const struct ins *ins);
void arch_lower_rewritten(struct build *b, const struct insn *in, struct ins *ins);

#endif
