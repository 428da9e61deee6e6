/* SPDX-License-Identifier: Apache-2.0
 * The engine's handler (one for all signals) and the delivery to the guest (E13). The handler runs on the thread's engine-owned signal stack with all asynchronous
 * signals blocked; it only moves state and decides where the interrupted code goes on, it never looks at the guest's actions. Delivery runs in the dispatcher, in
 * host code, and builds the guest's frame. Invariants: signal_private.h. */
#include "os/linux/signal_private.h"

#include "jit/jit.h"
#include "vm/vm.h"

#include <string.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif
#define SEGV_INFO_MAPERR 1
#define SECCOMP_TRAP 1 /* si_code of SIGSYS */
#define TRAP_STEP 2    /* si_code of SIGTRAP: single step */

/* The entry routine: the guest's state is intact in vm_tc.cpu at every pc of it (E3). */
extern char vm_enter_begin[], vm_enter_end[];

/* --- what waits -------------------------------------------------------------------------------------------- */
static const int late_signals[ARRAY_LEN(((struct os_thread *)0)->late_info)] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};

/* A synchronous-class signal that somebody sent: the kernel could not hold it back, so we do. Like the kernel, one of each. */
static void put_late(const siginfo_t *info)
{
    u64 bit = SIG_BIT(info->si_signo);
    for (u32 i = 0; i < ARRAY_LEN(late_signals); i++)
        if (late_signals[i] == info->si_signo && !(signal_late_pending() & bit))
            vm_tc.os.late_info[i] = *info;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_or_fetch(&vm_tc.os.late_pending, bit, __ATOMIC_RELAXED);
    signal_set_attention();
}

bool signal_take_late(u64 set, siginfo_t *info)
{
    for (u32 i = 0; i < ARRAY_LEN(late_signals); i++) {
        u64 bit = SIG_BIT(late_signals[i]);
        if (!(signal_late_pending() & set & bit))
            continue;
        *info = vm_tc.os.late_info[i];
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        __atomic_and_fetch(&vm_tc.os.late_pending, ~bit, __ATOMIC_RELAXED);
        return true;
    }
    return false;
}

/* S1: together with the slot, the interrupted code's mask is closed. */
static void put_slot(struct sigframe *f, const siginfo_t *info)
{
    f->mask = SIG_ASYNC;
    __atomic_store_n(&vm_tc.os.kernel_mask, SIG_ASYNC, __ATOMIC_RELAXED);
    if (UNLIKELY(signal_slot_full())) { /* host code has opened the mask behind our back */
        signal_requeue(info);
        return;
    }
    vm_tc.os.pending_info = *info;
    signal_set_attention();
}

static void put_pending(struct sigframe *f, const siginfo_t *info)
{
    if (signal_is_sync(info->si_signo) && !signal_is_fault(info))
        put_late(info);
    else
        put_slot(f, info);
}

/* --- the handler ------------------------------------------------------------------------------------------- */
static void resume_in_vm(struct sigframe *f)
{
    sigframe_redirect(f, (u64)vm_resume, vm_tc.cpu.host_sp);
}

/* A write to a page that we protect (E16)? */
static bool is_own_fault(const struct sigframe *f, const siginfo_t *info)
{
    return info->si_signo == SIGSEGV && info->si_code == SEGV_ACCERR && sigframe_is_write_fault(f) && jit_write_fault((u64)info->si_addr);
}

/* Where the kernel reports the instruction's address, it is the guest's. */
static void fix_fault_address(siginfo_t *info)
{
    if (info->si_code != SI_KERNEL && info->si_signo != SIGSEGV && info->si_signo != SIGBUS)
        info->si_addr = (void *)arch_pc(&vm_tc.cpu);
}

static void from_cache(struct sigframe *f, siginfo_t *info)
{
    sigframe_capture(&vm_tc.cpu, &vm_tc.os, f);
    jit_recover(&vm_tc.cpu);
    if (!signal_is_fault(info)) {
        put_pending(f, info);
    } else if (!is_own_fault(f, info)) {
        sigframe_capture_fault(&vm_tc.os, f);
        fix_fault_address(info);
        put_slot(f, info);
    }
    resume_in_vm(f);
}

/* The engine's own bug, or the tool's. */
static void NORETURN report_host_fault(const struct sigframe *f, const siginfo_t *info)
{
    BUG("signal %d code %d in host code at pc 0x%lx, address 0x%lx, sp 0x%lx; thread %d, guest pc 0x%lx, last dispatched 0x%lx", info->si_signo, info->si_code,
        f->greg[GREG_IP], (u64)info->si_addr, f->greg[15], vm_tc.os.tid, arch_pc(&vm_tc.cpu), vm_tc.last_pc);
}

/* A guest that single-steps itself has its trap flag on while its state is being loaded and saved: no trap of its own. */
static bool is_step(const siginfo_t *info)
{
    return info->si_signo == SIGTRAP && info->si_code == TRAP_STEP;
}

static void from_entry(struct sigframe *f, const siginfo_t *info)
{
    if (is_step(info))
        return;
    if (signal_is_fault(info))
        report_host_fault(f, info);
    put_pending(f, info);
    resume_in_vm(f);
}

static void from_host(struct sigframe *f, const siginfo_t *info)
{
    if (is_step(info))
        return;
    if (signal_is_fault(info))
        report_host_fault(f, info);
    put_pending(f, info);
    arch_gate_interrupt(&f->greg[GREG_IP]);
}

/* A thread of the tool or of the engine: such threads block all signals, so this is a fault, or somebody's mistake that must not lose a signal. */
static void from_other_thread(struct sigframe *f, const siginfo_t *info)
{
    if (signal_is_fault(info))
        report_host_fault(f, info);
    f->mask = SIG_ASYNC;
    signal_requeue_process(info);
}

void signal_handler(int sig, siginfo_t *info, void *ucontext)
{
    struct sigframe *f = sigframe_of(ucontext);
    (void)sig;
    sigframe_enter_handler(f);
    u64 pc = f->greg[GREG_IP];
    if (signal_is_fault(info) && (arch_safe_copy_fault(&f->greg[GREG_IP]) || sigframe_is_probe(f)))
        return;
    if (UNLIKELY(!vm_tc.os.sigs))
        from_other_thread(f, info);
    else if (jit_in_cache(pc))
        from_cache(f, info);
    else if (pc >= (u64)vm_enter_begin && pc < (u64)vm_enter_end)
        from_entry(f, info);
    else
        from_host(f, info);
}

/* --- delivery ---------------------------------------------------------------------------------------------- */
/* The guest's action, used up when it is a one-shot. */
static struct sig_action take_action(int sig)
{
    struct sig_table *t = vm_tc.os.sigs;
    hostlock_take(&t->lock);
    struct sig_action act = t->act[sig];
    if ((act.flags & SA_RESETHAND) && HANDLER_IS_CODE(act.handler))
        t->act[sig].handler = HANDLER_DEFAULT;
    hostlock_give(&t->lock);
    return act;
}

/* The action has become the default one since the signal came, or it is of the synchronous class, whose default the kernel cannot carry out. */
static void take_default(const siginfo_t *info)
{
    if (signal_is_sync(info->si_signo))
        signal_die(info->si_signo);
    signal_requeue(info);
}

/* The kernel's signal_delivered. */
static void enter_handler_mask(int sig, const struct sig_action *act)
{
    struct os_thread *os = &vm_tc.os;
    os->mask_saved = false;
    os->guest_mask |= act->mask | (act->flags & SA_NODEFER ? 0 : SIG_BIT(sig));
    os->guest_mask &= ~SIG_UNBLOCKABLE;
    if (os->alt_flags & SS_AUTODISARM) {
        os->alt_sp = os->alt_bytes = 0;
        os->alt_flags = SS_DISABLE;
    }
}

/* All asynchronous signals are blocked. */
static void deliver(siginfo_t *info)
{
    struct os_thread *os = &vm_tc.os;
    int sig = info->si_signo;
    bool blocked = os->guest_mask & SIG_BIT(sig), forced = signal_is_fault(info);
    if (blocked && !forced) { /* by the handler of a forced signal, since it came */
        signal_requeue(info);
        return;
    }
    struct sig_action act = take_action(sig);
    if (forced && (blocked || !HANDLER_IS_CODE(act.handler)))
        signal_die(sig);
    if (act.handler == HANDLER_IGNORE)
        return;
    if (act.handler == HANDLER_DEFAULT) {
        take_default(info);
        return;
    }
    if (sig == SIGSYS && info->si_code == SECCOMP_TRAP)
        info->si_call_addr = (void *)arch_pc(&vm_tc.cpu);
    if (sigframe_push(&vm_tc.cpu, os, &act, info, os->mask_saved ? os->saved_mask : os->guest_mask)) {
        enter_handler_mask(sig, &act);
        return;
    }
    if (sig == SIGSEGV)
        signal_die(SIGSEGV);
    siginfo_t segv = {.si_signo = SIGSEGV, .si_code = SI_KERNEL};
    deliver(&segv);
}

static bool take_slot(siginfo_t *info)
{
    if (!signal_slot_full())
        return false;
    *info = vm_tc.os.pending_info;
    __atomic_store_n(&vm_tc.os.pending_info.si_signo, 0, __ATOMIC_RELAXED);
    return true;
}

static bool take_any(siginfo_t *info)
{
    if (take_slot(info))
        return true;
    if (LIKELY(!(signal_late_pending() & ~vm_tc.os.guest_mask)))
        return false;
    signal_block_all();
    return take_slot(info) || signal_take_late(~vm_tc.os.guest_mask, info);
}

/* The wait with a temporary mask was ended by a signal that then needed no handler. */
static void restore_saved_mask(void)
{
    if (!vm_tc.os.mask_saved || signal_attention())
        return;
    vm_tc.os.mask_saved = false;
    vm_tc.os.guest_mask = vm_tc.os.saved_mask;
}

static void __attribute__((noinline)) deliver_waiting(void)
{
    siginfo_t info;
    while (signal_attention()) {
        __atomic_store_n(&vm_tc.os.pending, false, __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (take_any(&info))
            deliver(&info);
        restore_saved_mask();
        if (!signal_slot_full())
            signal_apply_mask();
        if (signal_late_pending() & ~vm_tc.os.guest_mask)
            signal_set_attention();
    }
}

void os_deliver_pending(void)
{
    if (UNLIKELY(signal_attention()))
        deliver_waiting();
}

void signal_force(const siginfo_t *info)
{
    siginfo_t copy = *info;
    signal_block_all();
    deliver(&copy);
    signal_set_attention(); /* for the kernel's mask */
}

/* --- faults found by the engine ---------------------------------------------------------------------------- */
static const struct {
    int sig, code;
    u64 trapno, err;
    bool with_cr2, at_pc;
} faults[] = {
    [OS_FAULT_EXEC_UNMAPPED] = {SIGSEGV, SEGV_INFO_MAPERR, 14, 0x14, true, false},
    [OS_FAULT_EXEC_PROTECTED] = {SIGSEGV, SEGV_ACCERR, 14, 0x15, true, false},
    [OS_FAULT_ILLEGAL] = {SIGILL, ILL_ILLOPN, 6, 0, false, true},
    [OS_FAULT_GENERAL] = {SIGSEGV, SI_KERNEL, 13, 0, false, false},
    [OS_FAULT_BUS] = {SIGBUS, BUS_ADRERR, 14, 0x14, true, false},
};

void os_raise_fault(enum os_fault kind, u64 addr)
{
    struct os_thread *os = &vm_tc.os;
    if (signal_attention())
        return; /* what came first goes first; the instruction will fault again */
    siginfo_t info = {.si_signo = faults[kind].sig, .si_code = faults[kind].code};
    if (faults[kind].at_pc)
        info.si_addr = (void *)arch_pc(&vm_tc.cpu);
    else if (faults[kind].with_cr2)
        info.si_addr = (void *)addr;
    os->fault_trapno = faults[kind].trapno;
    os->fault_err = faults[kind].err;
    if (faults[kind].with_cr2)
        os->fault_cr2 = addr;
    signal_force(&info);
}
