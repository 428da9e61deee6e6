/* SPDX-License-Identifier: Apache-2.0
 * See donor.h. Owns no state; a donor belongs to its caller. Any thread, no lock. */
#include "os/linux/donor.h"

#include "arch/arch.h"
#include "os/linux/hostmalloc.h"
#include "os/linux/hosttask.h"
#include "os/linux/sys.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>

static s64 raw(u64 nr, u64 a, u64 b, u64 c)
{
    return arch_raw_syscall(nr, a, b, c, 0, 0, 0);
}

static void *donor_main(void *arg)
{
    struct donor *d = arg;
    if (_setjmp(d->out))
        return NULL;
    d->thread = pthread_self();
    raw(SYS_get_robust_list, 0, (u64)&d->robust_head, (u64)&d->robust_bytes);
    d->sp = (u64)__builtin_frame_address(0) - PAGE_BYTES;
    hostmalloc_thread_end();
    raw(SYS_set_tid_address, (u64)&d->alive, 0, 0);
    raw(SYS_exit, 0, 0, 0);
    __builtin_unreachable();
}

s64 donor_make(struct donor *d)
{
    pthread_attr_t attr;
    pthread_t thread;
    d->stack = hoststack_get();
    if (!d->stack)
        return -EAGAIN;
    d->alive = 1;
    int err = pthread_attr_init(&attr);
    if (!err)
        err = pthread_attr_setstack(&attr, d->stack->base, d->stack->bytes);
    if (!err)
        err = hosttask_libc_create(&thread, &attr, donor_main, d);
    pthread_attr_destroy(&attr);
    if (err) {
        hoststack_put(d->stack);
        return -EAGAIN;
    }
    while (__atomic_load_n(&d->alive, __ATOMIC_ACQUIRE))
        /* Not a private futex, because the kernel's wake is not private either. */
        raw(SYS_futex, (u64)&d->alive, FUTEX_WAIT, 1);
    return 0;
}

void donor_take(const struct donor *d)
{
    *thread_host_tid_address() = (int)raw(SYS_gettid, 0, 0, 0);
    vm_tc.os.host_robust_head = d->robust_head;
    vm_tc.os.host_robust_bytes = d->robust_bytes;
}

void donor_end(struct donor *d)
{
    hoststack_put_ending(d->stack, pthread_self());
    _longjmp(d->out, 1);
}
