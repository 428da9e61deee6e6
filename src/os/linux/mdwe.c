/* SPDX-License-Identifier: Apache-2.0
 * prctl(PR_SET_MDWE), memory-deny-write-execute: from then on the kernel makes no memory that is writable and
 * executable, and none executable that was not. The engine needs such memory for its code cache, and gives guest pages
 * back their protection (E16). So the rule is kept here, and applied to the guest's calls only.
 *
 * The rule belongs to an address space: threads and vfork children share it, a fork copies it (unless the guest said
 * not to). A program that the guest executes begins without it: the kernel would have to be told before the call, and
 * could not be told otherwise when the call fails. */
#include "os/linux/mdwe.h"
#include "arch/arch.h"
#include "os/gmap.h"
#include "os/linux/sys.h"

#include <errno.h>
#include <sys/syscall.h>

#define MDWE_REFUSE_EXEC_GAIN 1u
#define MDWE_NO_INHERIT 2u

static u32 rule; /* MDWE_*, 0: none. Written under mem_lock */

/* What the kernel has: its own rule, or an error if it does not know of such. */
static s64 kernel_rule(void)
{
    return sys_gate(SYS_prctl, PR_GET_MDWE_NR, 0, 0, 0, 0, 0);
}

static bool call_is_good(void)
{
    u64 bits = sys_arg(1);
    bool known = !(bits & ~(u64)(MDWE_REFUSE_EXEC_GAIN | MDWE_NO_INHERIT)) && bits != MDWE_NO_INHERIT;
    return known && !sys_arg(2) && !sys_arg(3) && !sys_arg(4);
}

/* A call with wrong arguments, or to a kernel without the rule, is an error that the kernel gives. */
void mdwe_set(void)
{
    s64 r = call_is_good() ? kernel_rule() : -EINVAL;
    if (r) {
        sys_pass();
        return;
    }
    u32 bits = (u32)sys_arg(1);
    mem_lock();
    r = rule && rule != bits ? -EPERM : 0;
    if (!r)
        rule = bits;
    mem_unlock();
    sys_finish(r);
}

void mdwe_tell_exec(void)
{
    if (UNLIKELY(rule) && !(rule & MDWE_NO_INHERIT))
        msg("prctl(PR_SET_MDWE) of the program holds for its own process under Linchpin, not for what it executes now");
}

void mdwe_get(void)
{
    s64 r = sys_call_at_once();
    sys_finish(r ? r : rule);
}

bool mdwe_forbids(u32 old, u32 now)
{
    return UNLIKELY(rule) && now & GMAP_EXEC && (now & GMAP_WRITE || !(old & GMAP_EXEC));
}

u64 mdwe_protect_end(u64 start, u64 end, u32 now)
{
    struct gmap_area a;
    for (u64 at = start; rule && at < end && gmap_next(at, &a) && a.start < end; at = a.end)
        if (mdwe_forbids(a.flags, now))
            return a.start > start ? a.start : start;
    return end;
}

void mdwe_after_fork_child(void)
{
    if (rule & MDWE_NO_INHERIT)
        rule = 0;
}

void mdwe_leave(void)
{
    if (rule)
        arch_raw_syscall(SYS_prctl, PR_SET_MDWE_NR, rule, 0, 0, 0, 0);
}
