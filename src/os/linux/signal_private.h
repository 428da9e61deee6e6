/* SPDX-License-Identifier: Apache-2.0
 * What signal.c, signal_deliver.c and sys_signal.c share. Invariants:
 *   S1  The slot (os.pending_info) is full => all asynchronous signals that may come to the engine's handler are
 *       blocked in the kernel. So it cannot be overrun. Those that end the process by the kernel's own action stay as
 *       they were: a routine of the tool that does not return, during which a signal came, does not keep the process
 *       from being ended.
 *   S2  os.pending is set whenever there may be something to do before guest code runs: slot full, a mask to set. The
 *       entry routine and the gate look at it *inside* the pc ranges that the handler redirects, so nothing slips in
 *       between look and entry.
 *   S3  os.kernel_mask is signal_closed_mask(), but for those of S1, or E11's mask for os.guest_mask. It is stored
 *       before the system call that makes it true, because the handler that interrupts right after the call closes it
 *       again.
 *   S4  The kernel's mask is opened only while the slot is empty: with all blocked, or through the gate, which gives up
 *       when os.pending is set.
 *   S5  A synchronous-class signal that somebody sent and that cannot be delivered yet goes back into the kernel's
 *       queue and is blocked in the kernel (os.late_pending) until the guest's mask opens for it: so its order,
 *       sigwait and signalfd are the kernel's too. Only meanwhile E11's exception does not hold for it. */
#ifndef LP_LINUX_SIGNAL_PRIVATE_H
#define LP_LINUX_SIGNAL_PRIVATE_H
#include "arch/arch.h"
#include "os/hostlock.h"
#include "os/events.h"
#include "os/linux/signal.h"
#include "os/linux/sigframe.h"
#include "os/os.h"
#include "os/thread.h"

#include <limits.h>

#define SIGNALS 64
#define SIG_BIT(sig) (1ull << ((sig) - 1))
/* The synchronous signals, and the one that stops threads where a tool may do that: open in the kernel at all times. */
#define SIG_SYNC \
    (SIG_BIT(SIGSEGV) | SIG_BIT(SIGBUS) | SIG_BIT(SIGILL) | SIG_BIT(SIGFPE) | SIG_BIT(SIGTRAP) | signal_stop_bit)
#define SIG_ASYNC (~SIG_SYNC)
#define SIG_UNBLOCKABLE (SIG_BIT(SIGKILL) | SIG_BIT(SIGSTOP))
#define SIG_DEFAULT_IGNORED (SIG_BIT(SIGCHLD) | SIG_BIT(SIGURG) | SIG_BIT(SIGWINCH) | SIG_BIT(SIGCONT))
#define SIG_DEFAULT_STOP (SIG_BIT(SIGTSTP) | SIG_BIT(SIGTTIN) | SIG_BIT(SIGTTOU))
#define GATE_NOT_MADE (-512) /* arch_gate_syscall: a signal came first */

#define HANDLER_DEFAULT 0ul
#define HANDLER_IGNORE 1ul
#define HANDLER_IS_CODE(h) ((h) > HANDLER_IGNORE)

extern u64 signal_stop_bit; /* 0: nobody stops threads */

struct sig_table {
    struct hostlock lock; /* never held while the handler needs it: the handler does not look at the table */
    struct sig_action act[SIGNALS + 1];
    u64 fatal;            /* signals by which the kernel ends the process */
};

static inline bool signal_is_sync(int sig)
{
    return sig >= 1 && sig <= SIGNALS && (SIG_SYNC & SIG_BIT(sig));
}

/* Raised by an instruction, not sent. */
static inline bool signal_is_fault(const siginfo_t *info)
{
    return info->si_code > 0 && signal_is_sync(info->si_signo);
}

/* The code that such a signal has in the kernel when it was sent with the code of a fault (sys_queue_signal), and
 * whether there has been one. */
#define SENT_FAULT(code) ((code) + INT_MIN)
extern bool signal_sent_faults;

static inline void signal_restore_code(siginfo_t *info)
{
    if (UNLIKELY(signal_sent_faults) && signal_is_sync(info->si_signo) && info->si_code < INT_MIN / 2)
        info->si_code -= INT_MIN;
}

static inline bool signal_slot_full(void)
{
    return __atomic_load_n(&vm_tc.os.pending_info.si_signo, __ATOMIC_RELAXED) != 0;
}

static inline bool signal_attention(void)
{
    return __atomic_load_n(&vm_tc.os.pending, __ATOMIC_RELAXED);
}

/* S2 */
static inline void signal_set_attention(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&vm_tc.os.pending, true, __ATOMIC_RELAXED);
}

static inline u64 signal_late_pending(void)
{
    return __atomic_load_n(&vm_tc.os.late_pending, __ATOMIC_RELAXED);
}

/* Signals that come to the engine whatever the guest's action is, and of these those that the guest cannot keep from
 * coming (signal_tool.c). */
extern u64 signal_tool_mask, signal_tool_open;

/* Signals that end a program with a core by default, but for the synchronous ones and SIGSYS: where cores are allowed
 * they come to the engine, which makes the core one of the program (E14). 0: they are not. */
extern u64 signal_core_mask;

static inline bool signal_is_watched(int sig)
{
    return __atomic_load_n(&signal_tool_mask, __ATOMIC_RELAXED) & SIG_BIT(sig);
}

/* All asynchronous signals, and what was put back (S5). */
static inline u64 signal_closed_mask(void)
{
    return SIG_ASYNC | signal_late_pending();
}

/* S1: `open` is the mask of the code that the signal interrupted. A child of vfork may hold its parent's locks. */
static inline u64 signal_fatal(void)
{
    const struct os_thread *os = &vm_tc.os;
    return os->vfork_child || os->foreign_mm ? 0 : __atomic_load_n(&os->sigs->fatal, __ATOMIC_RELAXED);
}

static inline u64 signal_waiting_mask(u64 open)
{
    return signal_closed_mask() & ~(signal_fatal() & ~open);
}

static inline bool signal_mask_is_closed(u64 mask)
{
    return !((mask ^ signal_closed_mask()) & ~signal_fatal());
}

static inline u64 signal_kernel_mask_for(u64 guest_mask)
{
    u64 late = signal_late_pending(), open = __atomic_load_n(&signal_tool_open, __ATOMIC_RELAXED);
    return guest_mask & (SIG_ASYNC | late) & ~(open & ~late);
}

/* --- signal.c ---------------------------------------------------------------------------------------------- */
/* Makes the kernel's action that which E12 wants; old: the guest's action before, NULL: unknown. Table lock held. */
void signal_install(int sig, const struct sig_action *old, const struct sig_action *act);
/* Called from host code while signals may come. False: a signal came first and nothing has changed; the system call
 * must be made again after it. */
bool signal_change_mask(u64 guest_mask);
/* rt_sigaction, without its structures: 0, -errno, or -512: to be made again. act NULL: only asks. */
s64 signal_action(int sig, struct sig_action *act, struct sig_action *old);
stack_t signal_alt_stack(u64 sp); /* what sigaltstack tells */
/* Gives the signal back to the kernel, to arrive again; the kernel decides whether it is blocked, ignored or has its
 * default action. A signal that was sent to the process may go to another thread. */
void signal_requeue(const siginfo_t *info);

/* S5: the kernel keeps these signals of the synchronous class for as long as the guest blocks them. */
void signal_keep_back(u64 bits);

/* Makes the engine's handler that of these signals, for good. */
void signal_watch(u64 mask);
void signal_set_kernel_action(int sig, const struct sig_action *act);
void signal_raise_here(int sig); /* to the calling thread */

/* Can a signal that is sent end the process? The kernel keeps the first one of a pid namespace from that. */
bool signal_kills(void);
/* Makes a fault of this signal's, which the kernel forces upon every process. Returns for other signals. */
void signal_fault(int sig);

/* The signal of os_poke_thread, which is always open and never the guest's. */
#define POKE_SIGNAL SIGILL
#define POKE_CODE (-0x4c50)
#define ASK_CODE (POKE_CODE - 1)     /* where are you? (overdue.c) */
#define ABANDON_CODE (POKE_CODE - 2) /* for the agent: enough of the tool's functions */
static inline bool signal_is_poke(const siginfo_t *info)
{
    return info->si_code == POKE_CODE && info->si_signo == POKE_SIGNAL;
}

/* A thread that is not the guest's got a signal: closes its mask, passes the signal on to the process. */
void signal_from_other_thread(struct sigframe *f, const siginfo_t *info);

bool signal_is_stop(const siginfo_t *info); /* sent by os_interrupt_thread */

/* --- signal_deliver.c -------------------------------------------------------------------------------------- */
void signal_handler(int sig, siginfo_t *info, void *ucontext);
/* The kernel's force_sig: delivered now, or death when the guest blocks or ignores it or has no handler. */
void signal_force(const siginfo_t *info);
void signal_force_frame(void);
/* For the recorder (record/signals.c): takes what is in the slot; delivers one signal; sets the masks after that. */
bool signal_take_slot(siginfo_t *info);
void signal_deliver(siginfo_t *info, bool forced);
void signal_settle_masks(void);
/* Instead of a delivery, while the program is recorded or replayed. */
void record_signals(void);

/* --- signal_tool.c ----------------------------------------------------------------------------------------- */
/* The default action of a signal that the engine has instead of the kernel. */
void signal_tool_default(const siginfo_t *info);
/* True: natively the signal would not come to the program, because it has no handler there. */
bool signal_only_for_tool(int sig);
/* Called where os_events.signal is set. True: the guest does not get the signal, or not now. blocked: by the guest's
 * mask; forced: that does not help it. */
bool signal_tool_takes(const siginfo_t *info, bool blocked, bool forced);

#endif
