/* SPDX-License-Identifier: Apache-2.0
 * Would an execve of this file give the calling process another user or group, or capabilities? For the
 * launcher, too. */
#ifndef LP_PRIVILEGE_H
#define LP_PRIVILEGE_H
#include <stdbool.h>

bool privilege_changes(const char *path);
/* Does the kernel do so also while this process traces the one that executes it? */
bool privilege_kept_when_traced(void);

#endif
