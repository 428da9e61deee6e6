/* SPDX-License-Identifier: Apache-2.0
 * What is left of the time for which a thread waits in a system call that has to be made again. */
#ifndef LP_TIMEOUTS_H
#define LP_TIMEOUTS_H
#include "launch/target.h"
#include "launch/tasks.h"

/* Notes since when the thread waits, if it does. Before the thread is interrupted. */
void timeouts_note(struct task *task);
/* After that, with the registers of the interrupted thread: fills in `left`. False: there is no limit to the wait, or
 * nobody knows how much of it has passed. */
bool timeouts_left(const struct task *task, const struct user_regs_struct *regs, struct boot_timeout *left);
/* regs: before the call. If the limit is a number, it becomes what is left by now. */
void timeouts_shorten(struct user_regs_struct *regs, const struct boot_timeout *left);
/* If the limit is in memory: the thread, which is stopped before its call as all others are stopped, makes it with what
 * is left by now, and is nobody's business any more but timeouts_leave's. mask: its signal mask, which the kernel need
 * not have yet. */
void timeouts_go_on(const struct tasks *t, struct task *task, const struct boot_timeout *left, u64 mask);
/* When all others have been let go, just before this process ends. */
void timeouts_leave(const struct tasks *t);

#endif
