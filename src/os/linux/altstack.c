/* SPDX-License-Identifier: Apache-2.0
 * What signal frames need on every architecture: access to the guest's memory as the kernel would have it, and the
 * guest's alternate stack. No lock; the calling thread's state only. */
#include "os/linux/sigframe.h"

#include "os/events.h"
#include "os/os.h"
#include "os/os_thread.h"

#include <errno.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

/* --- guest memory ------------------------------------------------------------------------------------------ */
bool guest_in_user_space(u64 addr, size_t bytes)
{
    return bytes <= TASK_MAX && addr <= TASK_MAX - bytes;
}

bool guest_read(void *dst, u64 addr, size_t bytes)
{
    return guest_in_user_space(addr, bytes) && os_safe_copy(dst, (const void *)addr, bytes) == bytes;
}

bool guest_write(u64 addr, const void *src, size_t bytes)
{
    if (!guest_in_user_space(addr, bytes))
        return false;
    /* Twice: another thread may have code translated from the page, and so protect it again, between the two steps
     * (E16). */
    for (int i = 0; i < 2; i++) {
        os_events.kernel_write(addr, addr + bytes);
        if (LIKELY(os_safe_copy((void *)addr, src, bytes) == bytes))
            return true;
    }
    return false;
}

/* --- alternate stack --------------------------------------------------------------------------------------- */
bool sigframe_alt_holds(const struct os_thread *os, u64 sp)
{
    return sp > os->alt_sp && sp - os->alt_sp <= os->alt_bytes;
}

bool sigframe_on_alt_stack(const struct os_thread *os, u64 sp)
{
    return !(os->alt_flags & SS_AUTODISARM) && sigframe_alt_holds(os, sp);
}

s64 sigframe_set_alt_stack(struct os_thread *os, const stack_t *ss, u64 sp)
{
    u32 mode = (u32)ss->ss_flags & ~SS_AUTODISARM;
    if (sigframe_on_alt_stack(os, sp))
        return -EPERM;
    if (mode != SS_DISABLE && mode != SS_ONSTACK && mode != 0)
        return -EINVAL;
    if (os->alt_sp == (u64)ss->ss_sp && os->alt_bytes == ss->ss_size && os->alt_flags == (u32)ss->ss_flags)
        return 0; /* nothing changes: that is not refused, whatever the size */
    if (mode != SS_DISABLE && ss->ss_size < 2048) /* the kernel's MINSIGSTKSZ */
        return -ENOMEM;
    os->alt_sp = mode == SS_DISABLE ? 0 : (u64)ss->ss_sp;
    os->alt_bytes = mode == SS_DISABLE ? 0 : ss->ss_size;
    os->alt_flags = (u32)ss->ss_flags;
    return 0;
}
