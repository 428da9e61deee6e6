/* SPDX-License-Identifier: Apache-2.0
 * System calls that return twice on different stacks, and the start state of the guest: what src/os/linux needs of each
 * architecture. */
#ifndef LP_LINUX_CLONE_H
#define LP_LINUX_CLONE_H
#include "base/base.h"
#include "clone_layout.h"
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
/* The same for one thread; and back: its registers, TLS base, and its extended state if that is wanted. */
struct boot_thread;
void boot_load_thread(struct cpu_state *c, const struct boot_thread *t);
void boot_save_thread(struct boot_thread *t, const struct cpu_state *c, u64 tls, bool xstate);
void boot_load_bases(struct cpu_state *c, const struct boot_thread *t); /* segment bases; the calling thread's */
/* The thread will start in fn(arg), on the stack below sp. */
void boot_set_start(struct boot_thread *t, void (*fn)(void *), void *arg, u64 sp, u64 tls);
/* For a thread that was stopped in a gate: its pc, the number of its call, the guest's TLS base; and does the call go
 * on by restart_syscall? */
u64 boot_thread_pc(const struct boot_thread *t);
u64 boot_thread_call(const struct boot_thread *t);
u64 boot_tls_in_cache(const struct boot_thread *t);
bool boot_call_restarts(const struct boot_thread *t);
/* May a segment base be this? 0 or -EPERM. */
s64 tls_base_check(u64 base);
#endif
