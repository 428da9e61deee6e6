/* SPDX-License-Identifier: Apache-2.0
 * See fault.h. The kernel's frame has no cause, so whether a page was read or written is seen from the instruction. */
#include "os/fault.h"

#include "arch/arch.h"
#include "decode.h"
#include "os/linux/signal_private.h"

#include <string.h>

void fault_classify(struct os_fault_info *out, const void *siginfo, u64 trapno, u64 err, u64 pc)
{
    const siginfo_t *info = siginfo;
    struct insn in;
    u8 bytes[4];
    (void)trapno, (void)err;
    *out = (struct os_fault_info){.kind = info->si_signo == SIGILL    ? FAULT_ILLEGAL
                                          : info->si_signo == SIGTRAP ? FAULT_BREAKPOINT
                                                                      : FAULT_OTHER};
    if (info->si_signo != SIGSEGV && info->si_signo != SIGBUS)
        return;
    out->kind = info->si_signo == SIGBUS ? FAULT_NO_PAGE : info->si_code == SEGV_MAPERR ? FAULT_UNMAPPED : FAULT_DENIED;
    out->has_address = true;
    out->address = (u64)info->si_addr;
    bool known = os_safe_copy(bytes, (const void *)pc, sizeof bytes) == sizeof bytes &&
                 decode_insn(&in, pc, bytes, sizeof bytes);
    out->access = known && in.writes_memory ? FAULT_ACCESS_WRITE : FAULT_ACCESS_READ;
}

void fault_raise(const struct os_fault_info *f)
{
    die(1, "RISC-V 64: a fault (kind %u) that the tool raises for the program is not done in this port yet", f->kind);
}

/* What raises the signal, where that can be had by an instruction. */
void signal_fault(int sig)
{
    if (sig == SIGSEGV)
        __asm__ volatile("sb zero, 0(zero)");
    else if (sig == SIGILL)
        __asm__ volatile("unimp");
    else if (sig == SIGTRAP)
        __asm__ volatile("ebreak");
}
