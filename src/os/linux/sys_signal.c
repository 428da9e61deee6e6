/* SPDX-License-Identifier: Apache-2.0
 * The signal system calls as the guest sees them: same checks, same order of errors as the kernel's. Waits are made
 * through the gate, so a signal that comes before the call is delivered first and the instruction runs again. Never
 * delivers by itself (signal_deliver.c). Invariants: signal_private.h. */
#include "os/linux/signal_private.h"

#include "os/events.h"
#include "os/linux/sys.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif
/* All flags that the kernel knows (UAPI_SA_FLAGS); it clears the others, so that programs can find out. */
#define SA_KNOWN_FLAGS \
    (SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER | SA_RESETHAND | 0x800 | \
     0x04000000ul)
#define SIGSET_BYTES 8
#define NS_PER_SECOND 1000000000l

/* --- actions ----------------------------------------------------------------------------------------------- */
static s64 check_action(int sig, bool set)
{
    if (sig < 1 || sig > SIGNALS || (set && (SIG_UNBLOCKABLE & SIG_BIT(sig))))
        return -EINVAL;
    return 0;
}

static void exchange_action(int sig, const struct sig_action *act, struct sig_action *old)
{
    struct sig_table *t = vm_tc.os.sigs;
    hostlock_take(&t->lock);
    *old = t->act[sig];
    if (act) {
        signal_install(sig, old, act);
        t->act[sig] = *act;
    }
    hostlock_give(&t->lock);
}

s64 signal_action(int sig, struct sig_action *act, struct sig_action *old)
{
    s64 r = check_action(sig, act != NULL);
    if (r)
        return r;
    if (act && signal_slot_full())
        return -512; /* the call is made again */
    if (act) {
        act->flags &= SA_KNOWN_FLAGS;
        act->mask &= ~SIG_UNBLOCKABLE;
    }
    exchange_action(sig, act, old);
    return 0;
}

void sys_rt_sigaction(void)
{
    int sig = (int)sys_arg(0);
    u64 act_addr = sys_arg(1), old_addr = sys_arg(2);
    struct sig_action act, old;
    if (sys_arg(3) != SIGSET_BYTES) {
        sys_finish(-EINVAL);
        return;
    }
    if (act_addr && !guest_read(&act, act_addr, sizeof act)) {
        sys_finish(-EFAULT);
        return;
    }
    s64 r = signal_action(sig, act_addr ? &act : NULL, &old);
    if (r == 0 && old_addr && !guest_write(old_addr, &old, sizeof old))
        r = -EFAULT;
    sys_finish(r);
}

/* --- masks ------------------------------------------------------------------------------------------------- */
static bool combine_mask(int how, u64 set, u64 *mask)
{
    switch (how) {
    case SIG_BLOCK:
        *mask |= set;
        return true;
    case SIG_UNBLOCK:
        *mask &= ~set;
        return true;
    case SIG_SETMASK:
        *mask = set;
        return true;
    }
    return false;
}

void sys_rt_sigprocmask(void)
{
    u64 set_addr = sys_arg(1), old_addr = sys_arg(2), old = vm_tc.os.guest_mask, mask = old, set;
    if (sys_arg(3) != SIGSET_BYTES) {
        sys_finish(-EINVAL);
        return;
    }
    if (set_addr) {
        if (!guest_read(&set, set_addr, sizeof set)) {
            sys_finish(-EFAULT);
            return;
        }
        if (!combine_mask((int)sys_arg(0), set & ~SIG_UNBLOCKABLE, &mask)) {
            sys_finish(-EINVAL);
            return;
        }
        if (mask != old && !signal_change_mask(mask)) {
            sys_restart();
            return;
        }
    }
    sys_finish(old_addr && !guest_write(old_addr, &old, sizeof old) ? -EFAULT : 0);
}

void sys_rt_sigpending(void)
{
    u64 set = 0, bytes = sys_arg(1);
    if (bytes > SIGSET_BYTES) {
        sys_finish(-EINVAL);
        return;
    }
    arch_raw_syscall(SYS_rt_sigpending, (u64)&set, sizeof set, 0, 0, 0, 0);
    set &= vm_tc.os.guest_mask; /* without those that only the engine has blocked */
    sys_finish(!bytes || guest_write(sys_arg(0), &set, bytes) ? 0 : -EFAULT);
}

static bool __attribute__((noinline)) pop_frame_shown(void)
{
    struct cpu_state from = vm_tc.cpu;
    if (!sigframe_pop(&vm_tc.cpu, &vm_tc.os))
        return false;
    os_events.context_change(OS_CHANGE_SIGRETURN, &from, &vm_tc.cpu, 0);
    return true;
}

void sys_rt_sigreturn(void)
{
    u64 mask;
    if (!sigframe_peek_mask(&vm_tc.cpu, &mask)) {
        signal_force_frame();
        return;
    }
    if (!signal_change_mask(mask & ~SIG_UNBLOCKABLE)) {
        sys_restart();
        return;
    }
    if (!(UNLIKELY(os_events.context_change != NULL) ? pop_frame_shown() : sigframe_pop(&vm_tc.cpu, &vm_tc.os)))
        signal_force_frame();
    else if (os_syscalls_watched())
        sys_tool_handler_left();
}

/* --- alternate stack --------------------------------------------------------------------------------------- */
stack_t signal_alt_stack(u64 sp)
{
    const struct os_thread *os = &vm_tc.os;
    stack_t ss;
    memset(&ss, 0, sizeof ss);
    u32 state = !os->alt_bytes ? SS_DISABLE : sigframe_on_alt_stack(os, sp) ? SS_ONSTACK : 0;
    ss.ss_sp = (void *)os->alt_sp;
    ss.ss_size = os->alt_bytes;
    ss.ss_flags = (int)(state | (os->alt_flags & SS_AUTODISARM));
    return ss;
}

void sys_sigaltstack(void)
{
    u64 new_addr = sys_arg(0), old_addr = sys_arg(1), sp = arch_sp(&vm_tc.cpu);
    stack_t ss, old = signal_alt_stack(sp);
    s64 r = 0;
    if (new_addr)
        r = guest_read(&ss, new_addr, sizeof ss) ? sigframe_set_alt_stack(&vm_tc.os, &ss, sp) : -EFAULT;
    if (r == 0 && old_addr && !guest_write(old_addr, &old, sizeof old))
        r = -EFAULT;
    sys_finish(r);
}

/* --- waits ------------------------------------------------------------------------------------------------- */
/* Was the wait ended by a signal that the temporary mask let through? */
static bool wait_was_ended(u64 mask)
{
    int sig = vm_tc.os.pending_info.si_signo;
    return sig && !(mask & SIG_BIT(sig));
}

/* While the kernel waits, the temporary mask is the guest's mask, for our handler too. It goes to the kernel as the
 * guest gave it, synchronous signals included: nothing can fault meanwhile, and a handler that may run under it touches
 * only its own memory. When a signal has ended the wait, the frame will hold the mask from before, and the handler's
 * mask comes from the temporary one: the kernel's saved_sigmask. */
static void wait_with_mask(u64 mask)
{
    struct os_thread *os = &vm_tc.os;
    u64 old = os->guest_mask;
    os->outer_mask = old;
    os->waits_masked = true;
    os->guest_mask = mask & ~SIG_UNBLOCKABLE;
    s64 r = sys_call();
    os->waits_masked = false;
    if (r == -EINTR && wait_was_ended(mask)) {
        os->saved_mask = old;
        os->mask_saved = true;
    } else {
        os->guest_mask = old;
        if (signal_late_pending() & ~old)
            /* It was put back under the temporary mask, and the guest's mask is open for it now. */
            signal_set_attention();
    }
    sys_finish(r);
}

void sys_rt_sigsuspend(void)
{
    u64 mask;
    if (sys_arg(1) != SIGSET_BYTES)
        sys_finish(-EINVAL);
    else if (!guest_read(&mask, sys_arg(0), sizeof mask))
        sys_finish(-EFAULT);
    else
        wait_with_mask(mask);
}

#define URING_EXT_ARG 8 /* IORING_ENTER_EXT_ARG: the argument points to a struct whose first word points to the mask */

/* Where a call has its mask. */
static const struct masked_call {
    u16 nr;
    u8 mask_arg;
    bool indirect; /* the argument points to {pointer, size} */
} masked_calls[] = {
    {SYS_pselect6, 5, true},
    {SYS_ppoll, 3, false},
    {SYS_epoll_pwait, 4, false},
    {SYS_epoll_pwait2, 4, false},
    {SYS_io_pgetevents, 5, true},
    {SYS_io_uring_enter, 4, false},
};

/* Reads the mask that the call has given. False: it has none, or none that the kernel will accept. */
static bool read_wait_mask(const struct masked_call *m, u64 *mask)
{
    u64 at = sys_arg(m->mask_arg);
    bool indirect = m->indirect || (m->nr == SYS_io_uring_enter && (sys_arg(3) & URING_EXT_ARG));
    if (at && indirect && !guest_read(&at, at, sizeof at))
        return false;
    return at && guest_read(mask, at, sizeof *mask);
}

void sys_masked_wait(void)
{
    u64 nr = sys_nr(), mask;
    for (u32 i = 0; i < ARRAY_LEN(masked_calls); i++)
        if (masked_calls[i].nr == nr) {
            if (read_wait_mask(&masked_calls[i], &mask))
                wait_with_mask(mask);
            else
                sys_pass();
            return;
        }
    BUG("system call %lu has no mask", nr);
}

static struct timespec now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t;
}

static struct timespec time_after(struct timespec wait)
{
    struct timespec t = now();
    t.tv_nsec += wait.tv_nsec;
    if (__builtin_add_overflow(t.tv_sec, wait.tv_sec, &t.tv_sec))
        t.tv_sec = LONG_MAX - 1;
    return (struct timespec){t.tv_sec + t.tv_nsec / NS_PER_SECOND, t.tv_nsec % NS_PER_SECOND};
}

/* What is left until then, 0 when it has passed. */
static struct timespec time_left(struct timespec then)
{
    struct timespec t = now();
    bool borrow = then.tv_nsec < t.tv_nsec;
    struct timespec left = {then.tv_sec - t.tv_sec - borrow, then.tv_nsec - t.tv_nsec + borrow * NS_PER_SECOND};
    if (left.tv_sec < 0)
        left.tv_sec = left.tv_nsec = 0;
    return left;
}

/* The wait for signals of which some are of the synchronous class. These are open in other threads although the guest
 * blocks them there (E11). Such a thread puts the signal back, but may have taken it after the kernel had woken this
 * one for it. Then the kernel says EINTR, though no handler is to run, and the wait goes on. */
static s64 wait_for_sync(void)
{
    struct timespec left, end = {0};
    u64 args[6];
    sys_args(args);
    if (args[2] && guest_read(&left, args[2], sizeof left) && left.tv_sec >= 0 && (u64)left.tv_nsec < NS_PER_SECOND)
        end = time_after(left); /* else the kernel refuses the call */
    s64 r = sys_call();
    while (r == -EINTR && !signal_attention()) {
        left = time_left(end);
        if (args[2])
            args[2] = (u64)&left;
        r = sys_call_with(args);
        if (sys_not_made(r))
            return -EINTR;
    }
    return r;
}

/* In the siginfo that the program has got. */
static void restore_code(u64 at)
{
    siginfo_t info;
    if (!at || !signal_sent_faults || !guest_read(&info, at, sizeof info))
        return;
    signal_restore_code(&info);
    guest_write(at, &info, sizeof info);
}

/* A signal that was put back and is consumed here need no longer be blocked in the kernel. */
void sys_rt_sigtimedwait(void)
{
    /* Signals of faults are open while the engine runs; one that is sent meanwhile would interrupt the wait for it
     * instead of ending it. */
    u64 set = 0, sync = guest_read(&set, sys_arg(0), sizeof set) ? set & vm_tc.os.guest_mask & SIG_SYNC : 0;
    u64 waited = sync & ~vm_tc.os.kernel_mask;
    if (waited)
        arch_raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, (u64)&waited, 0, sizeof waited, 0, 0);
    s64 r = sync ? wait_for_sync() : sys_call();
    if (waited)
        arch_raw_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, (u64)&waited, 0, sizeof waited, 0, 0);
    if (r > 0 && signal_is_sync((int)r)) {
        __atomic_and_fetch(&vm_tc.os.late_pending, ~SIG_BIT(r), __ATOMIC_RELAXED);
        signal_set_attention();
        restore_code(sys_arg(1));
    }
    sys_finish(r);
}

/* --- signals with a siginfo of the program's --------------------------------------------------------------- */
/* The kernel is asked by a signal that is none, with a code that only the process itself may send. */
static bool is_own_pidfd(u64 fd, u64 flags)
{
    siginfo_t none = {.si_signo = 0, .si_code = SI_KERNEL};
    return arch_raw_syscall(SYS_pidfd_send_signal, fd, 0, (u64)&none, flags, 0, 0) == 0;
}

static bool is_own_tid(u32 tid)
{
    return tid == (u32)arch_raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

/* rt_sigqueueinfo, rt_tgsigqueueinfo, pidfd_send_signal. Where a thread sends itself a signal of a fault that it
 * blocks, the signal stays where the kernel puts it, to the thread or to the process. Such a signal may have the code
 * of a fault. It must not be taken for a fault when it comes, which may be much later, and so is given another code for
 * as long as the kernel has it. */
void sys_queue_signal(void)
{
    bool by_fd = sys_nr() == SYS_pidfd_send_signal;
    u32 at = sys_nr() == SYS_rt_tgsigqueueinfo ? 2 : 1;
    int sig = (int)sys_arg(at);
    u64 args[6];
    siginfo_t info;
    sys_args(args);
    if (!signal_is_sync(sig) || !(by_fd ? is_own_pidfd(args[0], args[3]) : is_own_tid((u32)args[at - 1])) ||
        !guest_read(&info, args[at + 1], sizeof info)) {
        sys_pass();
        return;
    }
    if (vm_tc.os.guest_mask & SIG_BIT(sig))
        signal_keep_back(SIG_BIT(sig));
    if (info.si_code > 0) {
        info.si_code = SENT_FAULT(info.si_code);
        args[at + 1] = (u64)&info;
        __atomic_store_n(&signal_sent_faults, true, __ATOMIC_RELAXED);
    }
    sys_finish(sys_call_with(args));
}

/* --- a thread that kills itself ---------------------------------------------------------------------------- */
#define SIG_CORE (SIG_BIT(SIGQUIT) | SIG_BIT(SIGABRT) | SIG_BIT(SIGXCPU) | SIG_BIT(SIGXFSZ) | SIG_BIT(SIGSYS))

static bool dies_by(int sig)
{
    if (sig < 1 || sig > SIGNALS || !(SIG_BIT(sig) & SIG_CORE & ~vm_tc.os.guest_mask) || !signal_kills() ||
        signal_is_watched(sig)) /* the tool hears of it first */
        return false;
    return __atomic_load_n(&vm_tc.os.sigs->act[sig].handler, __ATOMIC_RELAXED) == HANDLER_DEFAULT;
}

/* tkill and tgkill: abort and its like end in them, and leave a core of the guest's. */
void sys_tkill(void)
{
    bool group = sys_nr() == SYS_tgkill;
    u64 pid = (u64)arch_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    u64 tid = (u64)arch_raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    int sig = (int)sys_arg(group ? 2 : 1);
    if (!dies_by(sig) || (u32)sys_arg(group ? 1 : 0) != tid || (group && (u32)sys_arg(0) != pid)) {
        sys_pass();
        return;
    }
    if (signal_defer_syscall())
        return;
    siginfo_t info = {.si_signo = sig, .si_code = SI_TKILL};
    info.si_pid = (int)pid;
    info.si_uid = (u32)arch_raw_syscall(SYS_getuid, 0, 0, 0, 0, 0, 0);
    sys_finish(0);
    signal_die_as_guest(&info);
}

void sys_signalfd(void)
{
    sys_pass();
}
