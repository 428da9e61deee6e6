/* SPDX-License-Identifier: Apache-2.0
 * Versions of traces: the same code, instrumented in several ways. A tool names a version by a word; inside it is a
 * small number, 0 for the version 0 that threads start with. The number goes into the key that traces are found by
 * (version_key), so directory, table and links keep versions apart by themselves; a thread's current one is in
 * vm_tc.jit.version, set by the first instruction of every trace once a tool has used versions, and by the dispatcher.
 * Under jit_lock. */
#ifndef LP_JIT_VERSIONS_H
#define LP_JIT_VERSIONS_H
#include "base/base.h"

#define VERSIONS_MAX 65535u
#define VERSION_NATIVE 65535u /* no tool's: code as the program has it, without calls and replacements */

void versions_use(void);
u16 versions_number(u64 name); /* VERSIONS_MAX: there are too many */
u64 versions_name(u16 number);

#endif
