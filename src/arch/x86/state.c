/* SPDX-License-Identifier: Apache-2.0
 * Access to the guest's state for the parts that know no registers; CPU detection; where code that may fault goes on.
 * No state but what the CPU has. */
#include "arch/arch.h"

#include "base/options.h"
#include "arch/x86/context.h"
#include "arch/x86/decode.h"
#include "arch/x86/lower.h"
#include "os/thread.h"

#include <cpuid.h>
#include <sys/auxv.h>

#include "arch/x86/cpu_offsets_check.h"

static u32 xstate_bytes;
static u64 xstate_mask;

s32 ctx_disp(size_t field)
{
    u64 fs;
    __asm__("mov %%fs:0, %0" : "=r"(fs));
    return (s32)((u64)&vm_tc + field - fs);
}

u64 *context_tool_regs(struct cpu_state *c) { return ((struct thread *)c)->opt.tool_reg; }

u64 arch_cycles(void) { return __builtin_ia32_rdtsc(); }

u64 arch_pc(const struct cpu_state *c) { return c->pc; }
void arch_set_pc(struct cpu_state *c, u64 pc) { c->pc = pc; }
u64 arch_sp(const struct cpu_state *c) { return c->gpr[RSP]; }
void arch_set_sp(struct cpu_state *c, u64 sp) { c->gpr[RSP] = sp; }

u64 *arch_syscall_word(struct cpu_state *c, u32 which)
{
    static const u8 place[] = {RDI, RSI, RDX, R10, R8, R9, [WORD_NUMBER] = RAX, [WORD_RESULT] = RAX};
    return which == WORD_IN_GATE ? &c->slot[6] : &c->gpr[place[which]];
}

void arch_restart_syscall(struct cpu_state *c, u64 nr)
{
    c->pc -= SYSCALL_BYTES;
    c->gpr[RAX] = nr;
}

void arch_syscall_move(struct cpu_state *c, enum arch_syscall_point to)
{
    switch (to) {
    case SYSCALL_BEFORE:
        c->pc -= SYSCALL_BYTES;
        c->gpr[RCX] = c->slot[0];
        break;
    case SYSCALL_AFTER:
        c->pc += SYSCALL_BYTES;
        c->gpr[RCX] = c->pc;
        break;
    case SYSCALL_ENTER:
        c->gpr[R11] = c->flags;
        break;
    }
}

/* The thread leaves the gate, but not by its continuation: where the guest goes on. */
u64 arch_leave_gate(struct cpu_state *c)
{
    u64 to = __atomic_exchange_n(&c->sysret, 0, __ATOMIC_SEQ_CST);
    u64 next = !to || to == (u64)vm_gate_flushed ? c->sysret_pc : arch_gate_next_pc(to);
    c->pc = c->gpr[RCX] = next;
    return c->slot[6];
}

u64 arch_tls_base(void)
{
    u64 v;
    __asm__ volatile("rdgsbase %0" : "=r"(v));
    return v;
}

void arch_set_tls_base(u64 base)
{
    __asm__ volatile("wrgsbase %0" : : "r"(base));
}

u32 context_xstate_bytes(void) { return xstate_bytes; }

void arch_init_cpu(void)
{
    u32 a, b, c, d;
    if (!(getauxval(AT_HWCAP2) & 2))
        die(1, "this CPU or kernel does not let programs set segment bases (FSGSBASE): Linux 5.9 or later on a CPU "
               "since 2012 is needed");
    if (!__get_cpuid_count(0xd, 0, &a, &b, &c, &d) || b > XSAVE_MAX_BYTES)
        die(1, "the CPU's extended state is missing or larger than %u bytes", XSAVE_MAX_BYTES);
    xstate_bytes = b;
    ibt_mixes = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_BMI2);
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    xstate_mask = (u64)d << 32 | a;
    context_init();
}

void arch_init_thread(struct cpu_state *c)
{
    if (options.no_quick_decode)
        decode_no_quick();
    if (options.no_quick_save)
        context_no_quick_save();
    c->xsave_mask = xstate_mask;
    c->bridge.kind = CONTEXT_LIVE;
    if (*(u16 *)c->xsave == 0) { /* no image given: the initial state */
        *(u16 *)c->xsave = 0x37f;
        *(u32 *)(c->xsave + 24) = 0x1f80;
    }
}

extern char safe_copy_word[], safe_copy_insn[], safe_copy_landing[], host_gate_begin[], host_gate_call[],
    host_gate_abort[];

void arch_host_fpu(void)
{
    u32 mxcsr = 0x1f80;
    __asm__ volatile("fninit; ldmxcsr %0" : : "m"(mxcsr));
}

bool arch_land(u64 *pc, enum arch_landing what)
{
    bool copy = what == LANDING_COPY;
    if (*pc < (u64)(copy ? safe_copy_word : host_gate_begin) || *pc > (u64)(copy ? safe_copy_insn : host_gate_call))
        return false;
    *pc = (u64)(!copy ? host_gate_abort : *pc < (u64)safe_copy_insn ? safe_copy_insn : safe_copy_landing);
    return true;
}

void arch_change_state(const u64 *was, const u64 *now, u32 n)
{
    struct bridge_state s = {.kind = CONTEXT_COPY};
    u64 *word = (u64 *)&s;
    context_take(&s, &vm_tc.cpu);
    for (u32 i = 0; i < n; i++)
        if (was[i] != now[i])
            word[i] = now[i];
    context_give(&vm_tc.cpu, &s);
}

void arch_keep_repeat(const struct cpu_state *c)
{
    struct arch_thread *t = &vm_tc.arch;
    if (UNLIKELY(t->rep.pc) && t->rep.pc == c->pc)
        t->rep_kept[t->nreps_kept++ % THREAD_REPS_KEPT] = t->rep;
}
