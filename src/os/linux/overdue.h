/* SPDX-License-Identifier: Apache-2.0
 * Functions of the tool that do not return: who waits for them is told which. */
#ifndef LP_LINUX_OVERDUE_H
#define LP_LINUX_OVERDUE_H
#include "base/base.h"
#include <signal.h>

struct sigframe;
/* In the engine's handler. True: the signal was a question about this thread, or a request to its agent. */
bool overdue_signal(struct sigframe *f, const siginfo_t *info);

#endif
