/* SPDX-License-Identifier: Apache-2.0
 * What the port does not do yet. Each of these says so and ends the process: none is reached by programs that are only
 * counted. */
#include "arch/riscv64/lower.h"

#include "opt/objects.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* The gate (E10): system calls are all made by the VM. */
void vm_gate_flushed(void) { missing("the gate"); }
u64 arch_gate_next_pc(u64 sysret) { missing("the gate"); }
u64 arch_leave_gate(struct cpu_state *c) { missing("the gate"); }

bool arch_emulate(u32 part) { missing("an instruction for the VM"); }

/* Guest functions called from the tool, changes of the guest's state by it. */
void arch_change_state(const u64 *was, const u64 *now, u32 n) { missing("a changed context"); }

/* Stepping. */
bool arch_step_begin(struct cpu_state *c, bool any) { missing("stepping"); }
void arch_step_stop(struct cpu_state *c) { missing("stepping"); }
void arch_step_end(struct cpu_state *c, u64 pc) { missing("stepping"); }
u64 arch_step_count(const struct cpu_state *c) { missing("stepping"); }
bool arch_step_shadow(u64 pc, u64 next) { missing("stepping"); }
bool arch_undo_call(struct cpu_state *c, gpc_t back) { return false; } /* branches fault where they lead */
bool arch_is_stack_fault(const struct cpu_state *c) { return false; }
void arch_keep_repeat(const struct cpu_state *c) {} /* no instruction repeats itself */

/* Forms of lowering that only tools ask for. */
void arch_lower_trap_end(struct pass *b, const struct insn *in) { missing("calls after a trap"); }
void arch_lower_hooks(struct pass *b, const struct insn *in, u32 kinds) { missing("replaced routines"); }
void arch_lower_jump(struct pass *b, const struct insn *in, const struct ins_jump *j) { missing("inserted jumps"); }
bool arch_bridge_again(u64 *pc, u64 *sp, struct arch_undo *u) { return false; }
bool arch_bridge_fault(u64 *pc) { return false; }

/* Inlined routines, records of trace buffers. */
bool arch_value(struct ins *ins, const struct call_arg *a, struct arch_value *to) { return false; }
void arch_add_const(struct emit *e, u32 to, u32 from, s32 more) { missing("trace buffers"); }
void arch_address(struct emit *e, u32 to, const struct arch_value *sum) { missing("inlined routines"); }
void arch_store_mem(struct emit *e, u32 base, s32 disp, u32 from, u32 bytes) { missing("trace buffers"); }
bool arch_store_mem_const(struct emit *e, u32 base, s32 disp, u64 v, u32 bytes) { return false; }
void arch_park_flags(struct pass *b, gpc_t pc) { missing("inlined routines"); }
u8 *arch_branch(struct emit *e, enum arch_condition if_what, u32 r, size_t what) { missing("inlined routines"); }
bool arch_cold_room(const struct pass *b, u32 n) { return false; }
void arch_add_cold(struct pass *b, const struct arch_cold *c) { missing("inlined routines"); }
void arch_lower_rest(struct pass *b, const struct rest *r) { missing("inlined routines"); }
u8 *arch_emit_rop(u8 *p, const struct rop *op) { missing("inlined routines"); }
bool arch_rop_reaches(const u8 *p, u64 address) { return false; }
u8 *arch_emit_rop_jump(u8 *p, int condition, bool wide) { missing("inlined routines"); }
bool arch_point_rop_jump(u8 *end, bool wide, const u8 *to) { missing("inlined routines"); }

/* Restartable sequences: arch_info.sections is false. */
u64 arch_insn_address(const struct insn *in, bool *loads) { return 0; }
bool arch_insn_stores_address(const struct insn *in, const u8 *next, size_t bytes) { return false; }

/* Copies of functions (jit/clones.h) are not made. */
u8 *arch_emit_ib_count(const struct region *r, u8 *p, const u32 *counter, u8 **start)
{
    missing("copies of functions");
}

/* What a tool opens is among the program's descriptors. */
u32 arch_find_host_calls(const struct arch_call_search *s, const u8 *text, u64 bytes, struct arch_host_call *out,
                         u32 room)
{
    return 0;
}
u8 *arch_redirect_host_call(const struct arch_host_call *c, u8 *stub) { missing("calls of libraries"); }
