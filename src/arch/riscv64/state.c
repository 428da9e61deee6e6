/* SPDX-License-Identifier: Apache-2.0
 * Access to the guest's state for the parts that know no registers; landings of code that may fault; into the cache and
 * out of it. */
#include "arch/riscv64/lower.h"

#include "os/thread.h"

#include "arch/riscv64/cpu_offsets_check.h"

bool arch_narrow, arch_narrow_tool;

#define ECALL_BYTES 4

u64 arch_cycles(void)
{
    u64 v;
    __asm__ volatile("rdtime %0" : "=r"(v));
    return v;
}

u64 arch_pc(const struct cpu_state *c) { return c->pc; }
void arch_set_pc(struct cpu_state *c, u64 pc) { c->pc = pc; }
u64 arch_sp(const struct cpu_state *c) { return c->gpr[SP]; }
void arch_set_sp(struct cpu_state *c, u64 sp) { c->gpr[SP] = sp; }
u64 arch_tls_base(void) { return vm_tc.cpu.gpr[TP]; }
void arch_set_tls_base(u64 base) { vm_tc.cpu.gpr[TP] = base; }

/* Cache code reaches the context by 12 bits from tp. */
void arch_init_cpu(void)
{
    if (!fits_bits(ctx_disp(offsetof(struct cpu_state, bridge) + sizeof(struct bridge_state)), 12))
        die(1, "the thread context is too far from the thread pointer (%d bytes)", ctx_disp(0));
}

void arch_init_thread(struct cpu_state *c) { (void)c; }
void arch_fork(bool before) { (void)before; }
void arch_host_fpu(void) { __asm__ volatile("fscsr zero"); }

/* --- system calls ------------------------------------------------------------------------------------------------- */

u64 *arch_syscall_word(struct cpu_state *c, u32 which)
{
    ASSERT(which != WORD_IN_GATE); /* there is none */
    static const u8 place[] = {A0, A1, A2, A3, A4, A5, [WORD_NUMBER] = A7, [WORD_RESULT] = A0};
    return &c->gpr[place[which]];
}

void arch_restart_syscall(struct cpu_state *c, u64 nr)
{
    c->pc -= ECALL_BYTES;
    c->gpr[A7] = nr;
    c->gpr[A0] = c->slot[SLOT_A0];
}

void arch_syscall_move(struct cpu_state *c, enum arch_syscall_point to)
{
    if (to == SYSCALL_BEFORE)
        c->pc -= ECALL_BYTES;
    else if (to == SYSCALL_AFTER)
        c->pc += ECALL_BYTES;
}

/* --- landings ----------------------------------------------------------------------------------------------------- */
extern char safe_copy_begin[], safe_copy_landing[], host_gate_begin[], host_gate_call[], host_gate_abort[];

bool arch_land(u64 *pc, enum arch_landing what)
{
    bool copy = what == LANDING_COPY && *pc >= (u64)safe_copy_begin && *pc < (u64)safe_copy_landing;
    bool gate = what == LANDING_GATE && *pc >= (u64)host_gate_begin && *pc <= (u64)host_gate_call;
    if (copy || gate)
        *pc = (u64)(copy ? safe_copy_landing : host_gate_abort);
    return copy || gate;
}

/* --- into the cache and out of it --------------------------------------------------------------------------------- */

void arch_enter_cache(struct cpu_state *c, u32 how)
{
    u32 first;
    memcpy(&first, (void *)c->enter, sizeof first);
    if (how != ENTRY_TRACE || first != emit_body_word())
        missing("to go on amid a trace");
    c->slot[SLOT_T0] = c->gpr[T0];
}

void arch_cache_left(struct cpu_state *c)
{
    if (c->exit_id == EXIT_INDIRECT)
        c->pc = c->slot[SLOT_TARGET];
}
