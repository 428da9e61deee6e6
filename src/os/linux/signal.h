/* SPDX-License-Identifier: Apache-2.0
 * Signals (E11-E14). signal.c: the engine's handler, delivery; sys_signal.c: the system calls; x86/sigframe.c: the
 * guest's frame. */
#ifndef LP_LINUX_SIGNAL_H
#define LP_LINUX_SIGNAL_H
#include "base/base.h"

#include <signal.h>

/* Process start, on the first thread, before guest code: actions as inherited, the engine's handlers, the signal
 * stack, guest mask. */
void signal_init(u64 guest_mask);
/* The same in a process that runs already, on a thread that is none of the guest's: actions as the guest has set
 * them. */
void signal_init_attached(void);
/* By a new guest thread, before it runs guest code: its own signal stack; mask: what the guest thread starts with
 * (kernel mask is set when the thread first enters the cache). All signals are blocked when this is called. */
void signal_thread_start(u64 guest_mask);
/* To be called after the host's libc has made a thread. */
void signal_take_back_setxid(void);
/* To be called at the thread's end: blocks all signals and gives the signal stack back. */
void signal_thread_end(void);
u64 signal_stack_bytes(void); /* mapped for the handlers of each thread, with its guard page */
/* Blocks all signals in the kernel (but for the synchronous ones) / sets the kernel mask to what E11 says for
 * vm_tc.os.guest_mask. */
void signal_block_all(void);
void signal_unblock(void);
/* Before a call that must not overtake a signal which came before it (fork, exit, exec): blocks all. True: there is
 * one; the guest's system call instruction is set to run again after its delivery, the caller goes straight back to
 * the dispatcher. */
bool signal_defer_syscall(void);
/* vfork child: a table of its own (CLONE_VM without CLONE_SIGHAND); freed by the parent afterwards. */
struct sig_table *signal_table_copy(const struct sig_table *from);
void signal_table_free(struct sig_table *t);
/* Around execve: makes the kernel's mask and actions exactly the guest's (an ignored SIGSEGV stays ignored, the full
 * guest mask), and undoes it when execve failed. */
void signal_before_exec(void);
void signal_exec_failed(void);
/* Around a fork: the kernel's actions and the guest's table are copied at different moments, and no thread changes them
 * in between. */
void signal_before_fork(void);
void signal_after_fork(void);
void signal_after_fork_child(void);
/* A system call returned EINTR: was that for a signal that only the tool hears of, and that natively would not have
 * interrupted it? Then it is to be made again. */
bool signal_was_for_tool(void);
/* The engine leaves the process: the kernel gets the guest's actions. Takes no lock. */
void signal_leave(void);
/* Kills the process by the default action of sig, as the kernel would (core dump included). */
void signal_die(const siginfo_t *info) NORETURN;
/* The same without a word to the tool. The context has the guest's state. */
void signal_die_as_guest(const siginfo_t *info) NORETURN;

/* System calls; arguments and result through vm_tc.cpu (arch.h). Each sets the result itself. */
void sys_rt_sigaction(void);
void sys_rt_sigprocmask(void);
void sys_rt_sigpending(void);
void sys_rt_sigsuspend(void);
void sys_rt_sigreturn(void);
void sys_sigaltstack(void);
void sys_rt_sigtimedwait(void);
void sys_tkill(void);
/* Calls that take a temporary mask: pselect6, ppoll, epoll_pwait, epoll_pwait2, (io_pgetevents, io_uring_enter):
 * sanitise the mask so that the engine's synchronous signals stay open and a signal that ends the wait is delivered
 * with the right mask to restore. */
void sys_masked_wait(void);
void sys_queue_signal(void);
void sys_signalfd(void);

#endif
