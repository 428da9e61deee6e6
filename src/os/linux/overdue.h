/* SPDX-License-Identifier: Apache-2.0
 * Functions of the tool that do not return: who waits for them is told which. */
#ifndef LP_LINUX_OVERDUE_H
#define LP_LINUX_OVERDUE_H
#include "base/base.h"
#include <signal.h>

struct sigframe;
/* In the engine's handler. True: the signal was a question about this thread, or a request to its agent. */
bool overdue_signal(struct sigframe *f, const siginfo_t *info);

/* In the engine's handler: a signal has come to host code and waits there for a way to the program. The second is
 * called when it has left the slot. */
void overdue_wait_begins(void);
void overdue_wait_ends(void);
void overdue_after_fork_child(void);

#endif
