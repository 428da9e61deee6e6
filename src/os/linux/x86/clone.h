/* SPDX-License-Identifier: Apache-2.0
 * System calls that return twice on different stacks, and the start state of the guest. What the OS layer owes per architecture. */
#ifndef LP_LINUX_CLONE_H
#define LP_LINUX_CLONE_H
#include "base/base.h"
#include "os/linux/boot.h"

struct cpu_state;

struct clone_call {
    u64 nr;             /* SYS_clone or SYS_clone3 */
    u64 args[5];
    void (*child)(void *arg); /* runs on the stack given in the arguments; must not return */
    void *arg;
};

/* The parent's result. The child never comes back. */
s64 clone_on_stack(const struct clone_call *call);
/* The guest's registers and extended state at its first instruction. */
void boot_load_state(struct cpu_state *c, const struct boot_info *boot);
/* May a segment base be this? 0 or -EPERM. */
s64 tls_base_check(u64 base);
#endif
