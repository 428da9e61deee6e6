/* SPDX-License-Identifier: Apache-2.0
 * Copies from and to guest memory that may not be there. A fault is caught by the engine's handler, except while a
 * signal of faults is blocked in the kernel (S5: it was sent, and the guest blocks it): then a fault would end the
 * process, so the kernel is asked to copy instead. The same holds in probe mode, where the
 * signals are the program's. Any thread, any lock. */
#include "arch/arch.h"
#include "os/linux/signal_private.h"
#include "os/native.h"
#include "os/os.h"

#include <sys/syscall.h>
#include <sys/uio.h>

static size_t copy_by_kernel(void *dst, const void *src, size_t bytes)
{
    u64 pid = (u64)arch_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    size_t done = 0;
    while (done < bytes) {
        u64 to = (u64)dst + done, from = (u64)src + done;
        u64 left = bytes - done,
            piece = PAGE_BYTES - (to % PAGE_BYTES > from % PAGE_BYTES ? to % PAGE_BYTES : from % PAGE_BYTES);
        struct iovec local = {(void *)to, piece < left ? piece : left}, remote = {(void *)from, local.iov_len};
        s64 n = arch_raw_syscall(SYS_process_vm_readv, pid, (u64)&local, 1, (u64)&remote, 1, 0);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

size_t os_safe_copy(void *dst, const void *src, size_t bytes)
{
    bool by_kernel = UNLIKELY(os_native || signal_late_pending());
    return by_kernel ? copy_by_kernel(dst, src, bytes) : arch_fault_copy(dst, src, bytes);
}
