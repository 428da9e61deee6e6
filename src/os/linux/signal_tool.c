/* SPDX-License-Identifier: Apache-2.0
 * Signals that the tool wants to hear of (os/events.h). They come to the engine whatever the guest's action is, so what
 * the kernel would have done by default is done here. Runs in delivery, with all asynchronous signals blocked.
 * Invariants: signal_private.h.
 *
 * A signal that the tool keeps open (os_signal_unblock) and the guest blocks is shown to the tool when it comes; if the
 * guest is to have it, it is put back into the kernel's queue (S5), and is not shown again when the guest's mask
 * opens. */
#include "os/linux/signal_private.h"

#include "os/fault.h"
#include "os/events.h"

u64 signal_tool_mask, signal_tool_open;

void os_signal_watch(int sig)
{
    u64 bits = sig ? SIG_BIT(sig) : ~(SIG_DEFAULT_IGNORED | SIG_DEFAULT_STOP);
    signal_watch(bits & ~SIG_UNBLOCKABLE);
}

bool os_signal_fault(const siginfo_t *info, struct os_fault_info *fault)
{
    if (!signal_is_fault(info) || vm_tc.os.frame_failed)
        return false;
    fault_classify(fault, info, vm_tc.os.fault_trapno, vm_tc.os.fault_err, arch_pc(&vm_tc.cpu));
    return true;
}

void os_signal_unblock(int sig, bool open)
{
    if (open)
        __atomic_or_fetch(&signal_tool_open, SIG_BIT(sig), __ATOMIC_RELAXED);
    else
        __atomic_and_fetch(&signal_tool_open, ~SIG_BIT(sig), __ATOMIC_RELAXED);
    signal_set_attention(); /* for the kernel's mask of this thread; others follow when theirs changes */
}

/* Looks at the action without its lock, because the signal handler asks, too. */
bool signal_only_for_tool(int sig)
{
    return signal_is_watched(sig) && !signal_is_sync(sig) &&
           !HANDLER_IS_CODE(__atomic_load_n(&vm_tc.os.sigs->act[sig].handler, __ATOMIC_RELAXED));
}

bool signal_was_for_tool(void)
{
    return signal_slot_full() && signal_only_for_tool(vm_tc.os.pending_info.si_signo);
}

/* The process stops here, until it is continued. */
static void stop(int sig)
{
    struct sig_action plain = {.handler = HANDLER_DEFAULT};
    u64 others = ~SIG_BIT(sig);
    struct sig_table *t = vm_tc.os.sigs;
    hostlock_take(&t->lock);
    signal_set_kernel_action(sig, &plain);
    signal_raise_here(sig);
    arch_raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (u64)&others, 0, sizeof others, 0, 0);
    signal_block_all();
    signal_install(sig, NULL, &t->act[sig]);
    hostlock_give(&t->lock);
}

void signal_tool_default(const siginfo_t *info)
{
    int sig = info->si_signo;
    u64 bit = SIG_BIT(sig);
    if (bit & SIG_DEFAULT_IGNORED)
        return;
    if (bit & SIG_DEFAULT_STOP)
        stop(sig);
    else if (signal_kills())
        signal_die(info);
}

/* Puts a signal that the tool has seen into the kernel's queue, until the guest opens its mask for it. */
static void park_shown(const siginfo_t *info)
{
    u64 bit = SIG_BIT(info->si_signo);
    vm_tc.os.shown |= bit;
    __atomic_or_fetch(&vm_tc.os.late_pending, bit, __ATOMIC_RELAXED);
    signal_block_all();
    signal_requeue(info);
}

bool signal_tool_takes(const siginfo_t *info, bool blocked, bool forced)
{
    struct os_thread *os = &vm_tc.os;
    u64 bit = SIG_BIT(info->si_signo);
    if (os->shown & bit && !forced) {
        os->shown &= ~bit;
        return false;
    }
    struct sig_table *t = os->sigs;
    bool code = HANDLER_IS_CODE(t->act[info->si_signo].handler);
    if (!os_events.signal(info, code && !(forced && blocked)))
        return true;
    if (!blocked || forced)
        return false;
    park_shown(info);
    return true;
}
