/* SPDX-License-Identifier: Apache-2.0
 * System calls that a guest thread wants to get as SIGSYS (prctl PR_SET_SYSCALL_USER_DISPATCH). Emulated: the kernel
 * would catch the engine's and the tool's own calls, too, so it is only asked whether it would accept the request. Each
 * call of a thread that has asked for it is looked at here, before anybody else sees it, as in the kernel. On the
 * guest's thread, no lock held. */
#include "os/linux/signal_private.h"
#include "os/linux/sys.h"

#include <errno.h>
#include <linux/audit.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#ifndef SYS_USER_DISPATCH
#define SYS_USER_DISPATCH 2 /* si_code of SIGSYS */
#endif
enum { MODE_OFF, MODE_OUTSIDE, MODE_INSIDE }; /* which calls: those outside of the range, or those inside of it */
enum { SELECT_ALLOW, SELECT_BLOCK };

static s64 ask(u64 mode, u64 start, u64 bytes, u64 selector)
{
    return arch_raw_syscall(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, mode, start, bytes, selector, 0);
}

/* What would the kernel answer? It looks at the selector last: so at first it gets one that is never right, and then
 * the guest's, with a range that catches nothing. */
static s64 try(const struct boot_dispatch *d)
{
    if (d->mode == MODE_OFF)
        return ask(MODE_OFF, d->start, d->bytes, d->selector);
    s64 r = ask(d->mode, d->start, d->bytes, ~0ul);
    if (r != -EFAULT)
        return r;
    r = ask(MODE_OUTSIDE, 0, ~0ul, d->selector);
    ask(MODE_OFF, 0, 0, 0);
    return r;
}

void dispatch_set(void)
{
    struct boot_dispatch d = {.mode = sys_arg(1), .start = sys_arg(2), .bytes = sys_arg(3), .selector = sys_arg(4)};
    s64 r = try(&d);
    if (!r)
        vm_tc.os.dispatch = d;
    if (!r && d.mode)
        sys_watch_all();
    sys_finish(r);
}

/* The kernel's force_exit_sig. */
static void die_by(int sig)
{
    const siginfo_t info = {.si_signo = sig, .si_code = SI_KERNEL};
    signal_die(&info);
}

static bool selector_blocks(u64 selector)
{
    u8 state;
    if (!selector)
        return true;
    if (!sys_read(&state, selector, sizeof state))
        die_by(SIGSEGV);
    if (state > SELECT_BLOCK)
        die_by(SIGSYS);
    return state == SELECT_BLOCK;
}

bool dispatch_catches(u32 audit_arch)
{
    const struct boot_dispatch *d = &vm_tc.os.dispatch;
    bool inside = arch_pc(&vm_tc.cpu) - d->start < d->bytes;
    if (inside != (d->mode == MODE_INSIDE) || !selector_blocks(d->selector))
        return false;
    if (audit_arch == SYSCALL_AUDIT_ARCH)
        arch_syscall_move(&vm_tc.cpu, SYSCALL_ENTER);
    siginfo_t info = {.si_signo = SIGSYS, .si_code = SYS_USER_DISPATCH};
    info.si_call_addr = (void *)arch_pc(&vm_tc.cpu);
    info.si_syscall = (int)sys_nr();
    info.si_arch = audit_arch;
    signal_force(&info);
    return true;
}
