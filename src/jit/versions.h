/* SPDX-License-Identifier: Apache-2.0
 * Versions of traces: the same code, instrumented in several ways. A tool names a version by a word; inside the engine
 * it is a small number, and 0 is the version that threads start with. The number goes into the key that traces are
 * found by (version_key), so that directory, table and links keep versions apart by themselves. A thread's current
 * version is in vm_tc.jit.version, which the dispatcher sets, and once a tool has used versions also the first
 * instruction of every trace. Under jit_lock. */
#ifndef LP_JIT_VERSIONS_H
#define LP_JIT_VERSIONS_H
#include "base/base.h"

#define VERSIONS_MAX 65535u
#define VERSION_NATIVE 65535u /* not a version of the tool's: guest code without calls and replacements */

void versions_use(void);
u16 versions_number(u64 name); /* VERSIONS_MAX: there are too many */
u64 versions_name(u16 number);

#endif
