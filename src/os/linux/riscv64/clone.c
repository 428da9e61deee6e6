/* SPDX-License-Identifier: Apache-2.0
 * clone onto another stack; the guest's start state. Threads of a process that is attached to are not for this port
 * yet: ptrace is not there where it is tested. */
#include "os/linux/clone.h"

#include "arch/arch.h"
#include "os/linux/sys.h"

/* a0: struct clone_call. The child's registers but a0 and sp are the parent's: s0 has the function, s1 its argument. */
__asm__(".text\n"
        ".globl clone_on_stack\n"
        ".type clone_on_stack, @function\n"
        "clone_on_stack:\n"
        "    addi sp, sp, -16\n"
        "    sd s0, 0(sp)\n"
        "    sd s1, 8(sp)\n"
        "    mv t0, a0\n"
        "    ld a7, 0(t0)\n"
        "    ld a0, 8(t0)\n"
        "    ld a1, 16(t0)\n"
        "    ld a2, 24(t0)\n"
        "    ld a3, 32(t0)\n"
        "    ld a4, 40(t0)\n"
        "    ld s0, 48(t0)\n"
        "    ld s1, 56(t0)\n"
        "    ecall\n"
        "    beqz a0, 1f\n"
        "    ld s0, 0(sp)\n"
        "    ld s1, 8(sp)\n"
        "    addi sp, sp, 16\n"
        "    ret\n"
        "1:  mv a0, s1\n"
        "    jalr s0\n"
        "    ebreak\n"
        ".size clone_on_stack, . - clone_on_stack\n");

_Static_assert(offsetof(struct clone_call, child) == 48 && offsetof(struct clone_call, arg) == 56,
               "used by the assembly above");

static void no_threads(void) NORETURN;
static void no_threads(void) { die(1, "RISC-V 64: attach and detach are not done in this port yet"); }

void boot_load_state(struct cpu_state *c, const struct boot_info *boot)
{
    c->pc = boot->regs.pc;
    c->gpr[SP] = boot->regs.sp;
}

void boot_load_thread(struct cpu_state *c, const struct boot_thread *t)
{
    (void)c, (void)t;
    no_threads();
}
void boot_save_thread(struct boot_thread *t, const struct cpu_state *c, u64 tls, bool xstate)
{
    (void)t, (void)c, (void)tls, (void)xstate;
    no_threads();
}
void boot_load_bases(struct cpu_state *c, const struct boot_thread *t)
{
    (void)c, (void)t;
    no_threads();
}
void boot_set_start(struct boot_thread *t, void (*fn)(void *), void *arg, u64 sp, u64 tls)
{
    (void)t, (void)fn, (void)arg, (void)sp, (void)tls;
    no_threads();
}
u64 boot_thread_pc(const struct boot_thread *t)
{
    (void)t;
    no_threads();
}
u64 boot_thread_call(const struct boot_thread *t)
{
    (void)t;
    no_threads();
}
u64 boot_tls_in_cache(const struct boot_thread *t)
{
    (void)t;
    no_threads();
}
bool boot_call_restarts(const struct boot_thread *t)
{
    (void)t;
    no_threads();
}
s64 tls_base_check(u64 base) { return (void)base, 0; }
