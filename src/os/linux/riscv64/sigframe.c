/* SPDX-License-Identifier: Apache-2.0
 * Signal frames of RISC-V 64 Linux. Owns the layout, and what the kernel does with it (setup_rt_frame,
 * restore_sigcontext). Knows nothing of actions, masks in force or pending signals (signal.c). No lock; the calling
 * thread's state only. */
#include "os/linux/sigframe.h"

#include "arch/arch.h"
#include "cpu.h"
#include "decode.h"
#include "os/linux/signal.h"
#include "os/linux/sys.h"
#include "os/os.h"
#include "os/os_thread.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

/* Where handlers return to: the kernel's own code, whose address it does not tell but to a handler. */
u64 sigframe_way_back;

/* Keeps the address, and lets the interrupted code go on behind the illegal instruction below. a2: the ucontext. */
void sigframe_probe_handler(void);
void sigframe_probe_insn(void);
__asm__(".text\n"
        ".option push\n"
        ".option norvc\n"
        ".hidden sigframe_probe_handler\n.globl sigframe_probe_handler\n"
        "sigframe_probe_handler:\n"
        "    lla t0, sigframe_way_back\n"
        "    sd ra, 0(t0)\n"
        "    ld t0, 176(a2)\n"
        "    addi t0, t0, 4\n"
        "    sd t0, 176(a2)\n"
        "    ret\n"
        ".hidden sigframe_probe_insn\n.globl sigframe_probe_insn\n"
        "sigframe_probe_insn:\n"
        "    unimp\n"
        "    ret\n"
        ".option pop\n");
_Static_assert(offsetof(struct sigframe, greg) - offsetof(struct sigframe, uc_flags) == 176,
               "used by the assembly above");

/* qemu-user (7.2) has x86's structure, with a restorer before the mask: so the mask stands in both places. */
s64 sigframe_action(int sig, const struct sig_action *set, struct sig_action *old)
{
    u64 word[4] = {0}, was[4];
    if (set)
        memcpy(word, &(u64[]){set->handler, set->flags, set->mask, set->mask}, sizeof word);
    s64 r = arch_raw_syscall(SYS_rt_sigaction, (u64)sig, set ? (u64)word : 0, old ? (u64)was : 0, sizeof(u64), 0, 0);
    if (r == 0 && old)
        *old = (struct sig_action){.handler = was[0], .flags = was[1], .mask = was[2]};
    return r;
}

void sigframe_probe(void)
{
    struct sig_action probe = {.handler = (u64)sigframe_probe_handler, .flags = SA_SIGINFO}, was;
    sigframe_action(SIGILL, &probe, &was);
    sigframe_probe_insn();
    sigframe_action(SIGILL, &was, NULL);
}

/* --- frames the kernel made -------------------------------------------------------------------------------- */
void sigframe_learn(const struct sigframe *f) { (void)f; }
bool sigframe_is_probe(const struct sigframe *f) { return (void)f, false; }

void sigframe_init_thread(struct os_thread *os, bool first)
{
    (void)first;
    os->alt_sp = os->alt_bytes = 0;
    os->alt_flags = SS_DISABLE;
}

static void get_registers(struct cpu_state *c, const struct sigframe *f)
{
    memcpy(&c->gpr[1], &f->greg[1], sizeof c->gpr - sizeof c->gpr[0]);
    c->pc = f->greg[GREG_IP];
    memcpy(c->fpr, f->fpr, sizeof c->fpr);
    c->fcsr = f->fcsr;
}

/* tp is the host's, the guest's is in the context. */
void sigframe_capture(struct cpu_state *c, struct os_thread *os, const struct sigframe *f)
{
    u64 tp = c->gpr[TP];
    (void)os;
    get_registers(c, f);
    c->gpr[TP] = tp;
}

void sigframe_note_status(struct cpu_state *c, const struct sigframe *f) { (void)c, (void)f; }
void sigframe_capture_undone(struct cpu_state *c, struct os_thread *os, const struct sigframe *f)
{
    sigframe_capture(c, os, f);
}
void sigframe_capture_fault(struct os_thread *os, const struct sigframe *f) { (void)os, (void)f; }

/* The frame does not say: the instruction does. */
bool sigframe_is_write_fault(const struct sigframe *f)
{
    struct insn in;
    return decode_insn(&in, f->greg[GREG_IP], (const u8 *)f->greg[GREG_IP], 4) && in.writes_memory;
}

bool sigframe_is_general_fault(const struct sigframe *f) { return (void)f, false; }
void sigframe_make_stack_fault(struct sigframe *f, siginfo_t *info) { (void)f, (void)info; }
bool sigframe_is_stepping(const struct sigframe *f) { return (void)f, false; }
void sigframe_set_gpr(struct sigframe *f, u32 reg, u64 value) { f->greg[reg] = value; }

void sigframe_set_step(struct sigframe *f)
{
    (void)f;
    die(1, "RISC-V 64: stepping is not done in this port yet");
}

void sigframe_redirect(struct sigframe *f, u64 pc, u64 sp)
{
    f->greg[GREG_IP] = pc;
    f->greg[GREG_SP] = sp;
    f->fcsr = 0;
}

bool sigframe_allow_unaligned(struct os_thread *os, struct sigframe *f, u64 blocked)
{
    (void)os, (void)f, (void)blocked;
    return false;
}

void sigframe_align_again(struct os_thread *os, struct sigframe *f) { (void)os, (void)f; }
void sigframe_enter_handler(const struct sigframe *f) { (void)f; }

/* --- frames for the guest ---------------------------------------------------------------------------------- */
/* False: it would run over the end of the alternate stack. */
static bool place_frame(const struct cpu_state *c, const struct os_thread *os, u64 flags, u64 *at)
{
    u64 sp = c->gpr[SP];
    bool bounded = sigframe_on_alt_stack(os, sp);
    if ((flags & SA_ONSTACK) && os->alt_bytes && !bounded) {
        sp = os->alt_sp + os->alt_bytes;
        bounded = true;
    }
    *at = (sp - sizeof(struct sigframe)) & ~15ul;
    return !bounded || sigframe_alt_holds(os, *at);
}

bool sigframe_push(struct cpu_state *c, struct os_thread *os, const struct sig_action *act, const siginfo_t *info,
                   u64 mask)
{
    struct sigframe f = {.info = *info, .mask = mask, .fcsr = (u32)c->fcsr};
    u64 at;
    f.stack = (stack_t){.ss_sp = (void *)os->alt_sp, .ss_flags = (int)os->alt_flags, .ss_size = os->alt_bytes};
    memcpy(f.greg, c->gpr, sizeof f.greg);
    f.greg[GREG_IP] = c->pc;
    memcpy(f.fpr, c->fpr, sizeof f.fpr);
    if (!place_frame(c, os, act->flags, &at) || !guest_write(at, &f, sizeof f))
        return false;
    c->gpr[RA] = sigframe_way_back;
    c->gpr[SP] = at;
    c->gpr[A0] = (u64)info->si_signo;
    c->gpr[A1] = at + offsetof(struct sigframe, info);
    c->gpr[A2] = at + offsetof(struct sigframe, uc_flags);
    c->pc = act->handler;
    return true;
}

bool sigframe_peek_mask(const struct cpu_state *c, u64 *mask)
{
    return guest_read(mask, c->gpr[SP] + offsetof(struct sigframe, mask), sizeof *mask);
}

bool sigframe_pop(struct cpu_state *c, struct os_thread *os)
{
    struct sigframe f;
    if (!guest_read(&f, c->gpr[SP], sizeof f))
        return false;
    get_registers(c, &f);
    sigframe_set_alt_stack(os, &f.stack, c->gpr[SP]); /* the kernel too ignores what this says */
    return true;
}

void sigframe_go_native(const struct cpu_state *c, struct os_thread *os, u64 mask) { (void)c, (void)os, (void)mask; }

bool os_int80_entry(void) { return true; } /* there is no such instruction */
s64 os_syscall_of_narrow(u64 nr, const u64 args[6]) { return (void)nr, (void)args, -ENOSYS; }
bool mem_place(u64 *addr, u64 bytes) { return (void)addr, (void)bytes, false; } /* the kernel chooses */

void sigframe_mark_fault(struct cpu_state *c) { (void)c; }

/* The code that handlers return to is not the guest's under every kernel: what it does, a system call, is done here. If
 * a signal comes first, it is made again from its start. */
bool os_call_special_page(void)
{
    struct cpu_state *c = &vm_tc.cpu;
    if (c->pc != sigframe_way_back)
        return false;
    u64 a0 = c->gpr[A0];
    c->pc += arch_info.syscall_bytes;
    sys_rt_sigreturn();
    if (c->pc == sigframe_way_back)
        c->gpr[A0] = a0;
    return true;
}
