/* SPDX-License-Identifier: Apache-2.0
 * What the VM tells the layers above it, which fill this table at start. */
#ifndef LP_VM_EVENTS_H
#define LP_VM_EVENTS_H
#include "base/base.h"

struct vm_events {
    /* --- filled by jit_init, always there --- */
    /* The dispatcher's loop: runs the guest from vm_tc.cpu on, until somebody jumps out of it. */
    void (*dispatch)(void);
    /* The guest is to come to the dispatcher when it arrives at pc (vm_check_return). */
    void (*watch_return)(gpc_t pc);
    /* Calls `change` while no thread is between the dispatcher's last look and the cache; threads that wait in a
     * gate come back to the VM. */
    void (*stop_cache)(void (*change)(void));
    /* The calling thread is about to end the process. If it does so out of an instrumentation function: calls
     * `change`, and the translation that it leaves half done holds nobody up. */
    void (*leave_translation)(void (*change)(void));

    /* --- filled by the API; NULL without a tool --- */
    void (*thread_starts)(void);
    void (*thread_ends)(int code);
};
extern struct vm_events vm_events;

#endif
