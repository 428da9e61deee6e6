/* SPDX-License-Identifier: Apache-2.0
 * The system calls about resource limits (limits.c keeps those that the engine's own memory would count against), and
 * mlockall, which must lock the guest's memory and not the engine's. On the guest's thread; mem_lock where memory is
 * locked. */
#include "arch/arch.h"
#include "os/gmap.h"
#include "os/linux/hostfd.h"
#include "os/linux/limits.h"
#include "os/linux/sys.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MCL_ONFAULT
#define MCL_ONFAULT 4
#endif

/* --- limits ------------------------------------------------------------------------------------------------------- */

/* Of descriptors: HF1. A child of vfork has limits of its own. */
static void pass_limit(u64 resource)
{
    if (resource != RLIMIT_NOFILE || vm_tc.os.vfork_child || vm_tc.os.foreign_mm) {
        sys_pass();
        return;
    }
    hostfd_lock();
    s64 r = sys_call_at_once();
    hostfd_unlock();
    sys_finish(r);
}

void sys_getrlimit(void)
{
    struct rlimit64 r;
    if (!limits_is_ours((u32)sys_arg(0))) {
        pass_limit((u32)sys_arg(0));
        return;
    }
    limits_get((u32)sys_arg(0), &r);
    sys_finish(sys_write(sys_arg(1), &r, sizeof r) ? 0 : -EFAULT);
}

/* setrlimit with old = 0, prlimit64 of this process. */
static s64 change(u64 resource, u64 new_addr, u64 old_addr)
{
    struct rlimit64 now, old;
    if (new_addr && !sys_read(&now, new_addr, sizeof now))
        return -EFAULT;
    limits_get(resource, &old);
    s64 r = 0;
    if (new_addr) {
        mem_lock();
        r = limits_set(resource, &now);
        mem_unlock();
    }
    if (!r && old_addr && !sys_write(old_addr, &old, sizeof old))
        r = -EFAULT;
    return r;
}

void sys_setrlimit(void)
{
    u64 resource = (u32)sys_arg(0);
    if (limits_is_ours(resource))
        sys_finish(sys_arg(1) ? change(resource, sys_arg(1), 0) : -EFAULT);
    else
        pass_limit(resource);
}

void sys_prlimit64(void)
{
    int pid = (int)sys_arg(0);
    u64 resource = (u32)sys_arg(1);
    bool own = pid == 0 || pid == (int)arch_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0) ||
               (pid > 0 && hosttask_in_process((u64)pid));
    if (limits_is_ours(resource) && own)
        sys_finish(change(resource, sys_arg(2), sys_arg(3)));
    else if (own)
        pass_limit(resource);
    else
        sys_pass();
}

/* --- mlockall ----------------------------------------------------------------------------------------------------- */

static u32 future; /* flags MCL_* that hold for what is mapped from now on */

static bool may_lock_any(void)
{
    struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct d[2] = {{0}};
    return syscall(SYS_capget, &h, d) == 0 && d[0].effective & 1u << CAP_IPC_LOCK;
}

static s64 check_lock(u32 flags)
{
    struct rlimit r;
    struct gmap_totals t;
    if (flags & ~(u32)(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) || !flags || flags == MCL_ONFAULT)
        return -EINVAL;
    if (may_lock_any() || getrlimit(RLIMIT_MEMLOCK, &r) < 0)
        return 0;
    gmap_totals(&t);
    if (!r.rlim_cur)
        return -EPERM;
    return flags & MCL_CURRENT && t.all_bytes > r.rlim_cur ? -ENOMEM : 0;
}

/* As in the kernel, what cannot be made present is locked all the same. */
static void lock_area(const struct gmap_area *a, bool lock, u32 flags)
{
    u64 bytes = a->end - a->start;
    if (a->flags & GMAP_VSYSCALL)
        return;
    if (lock)
        arch_raw_syscall(SYS_mlock2, a->start, bytes, flags & MCL_ONFAULT ? MLOCK_ONFAULT : 0, 0, 0, 0);
    else
        arch_raw_syscall(SYS_munlock, a->start, bytes, 0, 0, 0, 0);
}

static void lock_all(bool lock, u32 flags)
{
    struct gmap_area a;
    for (u64 at = 0; gmap_next(at, &a); at = a.end)
        lock_area(&a, lock, flags);
}

void sys_mlockall(void)
{
    u32 flags = (u32)sys_arg(0);
    mem_lock();
    s64 r = check_lock(flags);
    if (!r) {
        future = flags & MCL_FUTURE ? flags : 0;
        if (flags & MCL_CURRENT)
            lock_all(true, flags);
    }
    mem_unlock();
    sys_finish(r);
}

void sys_munlockall(void)
{
    mem_lock();
    future = 0;
    lock_all(false, 0);
    mem_unlock();
    sys_finish(0);
}

u64 mem_lock_flags(void)
{
    return future && !(future & MCL_ONFAULT) ? MAP_LOCKED : 0;
}

/* The kernel is asked by a mapping that is made locked and unmapped at once. */
s64 mem_lock_room(u64 bytes)
{
    if (LIKELY(!future))
        return 0;
    s64 r = arch_raw_syscall(SYS_mmap, 0, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_LOCKED,
                             (u64)-1, 0);
    if (r < 0 && r >= -4095)
        return r;
    arch_raw_syscall(SYS_munmap, (u64)r, bytes, 0, 0, 0, 0);
    return 0;
}

void mem_lock_new(u64 start, u64 end, bool by_flag)
{
    const struct gmap_area a = {.start = start, .end = end};
    if (UNLIKELY(future) && start < end && !(by_flag && mem_lock_flags()))
        lock_area(&a, true, future);
}
