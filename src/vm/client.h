/* SPDX-License-Identifier: Apache-2.0
 * The client lock (PIN_LockClient): held while a callback of the tool runs, so that callbacks of different threads
 * do not meet. Recursive. Taken before jit_lock and every other lock of the engine. */
#ifndef LP_VM_CLIENT_H
#define LP_VM_CLIENT_H
#include "base/base.h"

void client_lock(void);
void client_unlock(void);
bool client_held(void); /* by the calling thread */
/* A callback will not return (PIN_ExitThread): the calling thread gives the lock back, however often
 * it has it. */
void client_release(void);

#endif
