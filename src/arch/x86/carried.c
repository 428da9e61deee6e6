/* SPDX-License-Identifier: Apache-2.0
 * Moves the carried value (opt/carry.h) and registers that are elsewhere (opt/hold.h), when the VM enters the cache and
 * when it has been left. On the guest's thread, no lock. */
#include "arch/x86/lower.h"
#include "opt/carry.h"
#include "os/thread.h"

/* Results of system calls and of tools have upper halves. */
static void narrow(struct cpu_state *c)
{
    for (u32 r = 0; r < GPR_COUNT; r++)
        c->gpr[r] = r < R8 ? (u32)c->gpr[r] : 0;
}

void arch_enter_cache(struct cpu_state *c, u32 how)
{
    bool any = how & ENTRY_ANY;
    if (UNLIKELY(cpu_guest32))
        narrow(c);
    if (how & ENTRY_AFTER_CALLS)
        memcpy(c->bridge.gpr, c->gpr, sizeof c->gpr);
    c->enter_home = c->gpr[CARRY_HOME];
    c->enter_sp = (u64)(any && carry_on_host_stack(c->enter) ? &c->host_sp : &c->gpr[RSP]);
    if (!carry_id || (any && !carry_at(c->enter)))
        return;
    c->bridge.gpr[CARRY_HOME] = c->gpr[CARRY_HOME];
    c->enter_home = (u64)vm_tc.opt.buffer[carry_id].next;
}

void arch_cache_left(struct cpu_state *c)
{
    u8 next_in = CARRY_HOME + 1;
    u16 held = CARRY_HOME_BIT;
    if (c->exit_id == EXIT_INDIRECT)
        c->pc = c->slot[4] - (vm_tc.jit.version << VERSION_SHIFT);
    if (!carry_id || (c->exit_id >= EXIT_SPECIAL && c->exit_id != EXIT_INDIRECT))
        return;
    if (c->exit_id < EXIT_SPECIAL) {
        const struct exit *x = exit_get((u32)c->exit_id);
        if (x->looks) {
            struct map_entry m = map_at(exit_from(x), (u64)x->resume_off);
            next_in = m.next_in;
            held = m.held;
        } else if (!x->carries) {
            return;
        }
    }
    if (next_in)
        vm_tc.opt.buffer[carry_id].next = (u8 *)c->gpr[next_in - 1];
    for (u32 r = 0; held >> r; r++)
        if (held >> r & 1)
            c->gpr[r] = c->bridge.gpr[r];
}
