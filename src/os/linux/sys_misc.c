/* SPDX-License-Identifier: Apache-2.0
 * prctl: operations that would disturb the engine are kept from the kernel, or answered from the guest's state; all
 * others are passed on. On the guest's thread, no lock held. */
#include "arch/arch.h"
#include "os/hostmem.h"
#include "os/linux/limits.h"
#include "os/linux/mdwe.h"
#include "os/linux/sys.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#ifndef PR_GET_TID_ADDRESS
#define PR_GET_TID_ADDRESS 40
#endif

static void set_seccomp(void)
{
    u64 mode = sys_arg(1), prog = sys_arg(2);
    if (mode == SECCOMP_MODE_FILTER && prog) {
        sys_finish(seccomp_set_filter(0, prog, true));
    } else if (mode == SECCOMP_MODE_STRICT) {
        seccomp_set_strict();
        sys_finish(0);
    } else {
        sys_pass();
    }
}

/* PR_SET_MM: addresses must be the guest's; the break may move. */
static void set_mm(void)
{
    if (hostmem_overlaps(sys_arg(2), sys_arg(2) + 1)) {
        sys_finish(-EINVAL);
        return;
    }
    s64 r = sys_call();
    if (!r)
        limits_forget_layout();
    if (!r)
        mem_init((u64)arch_raw_syscall(SYS_brk, 0, 0, 0, 0, 0, 0));
    sys_finish(r);
}

static void get_tid_address(void)
{
    u64 value = vm_tc.os.clear_tid;
    sys_finish(sys_write(sys_arg(1), &value, sizeof value) ? 0 : -EFAULT);
}

void sys_prctl(void)
{
    switch ((u32)sys_arg(0)) {
    case PR_SET_SECCOMP: set_seccomp(); return;
    case PR_SET_MM: set_mm(); return;
    case PR_GET_TID_ADDRESS: get_tid_address(); return;
    case PR_SET_MDWE_NR: mdwe_set(); return;
    case PR_GET_MDWE_NR: mdwe_get(); return;
    case PR_SET_SYSCALL_USER_DISPATCH: dispatch_set(); return;
    default: sys_pass();
    }
}
