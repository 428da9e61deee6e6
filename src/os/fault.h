/* SPDX-License-Identifier: Apache-2.0
 * A fault as the kernel reports it, classified; and made into a signal for the guest again. No state. */
#ifndef LP_LINUX_FAULT_H
#define LP_LINUX_FAULT_H
#include "base/base.h"

enum os_fault_kind {
    FAULT_UNMAPPED, FAULT_DENIED, FAULT_NO_PAGE, FAULT_MISALIGNED, FAULT_PROTECTION, /* memory */
    FAULT_ILLEGAL, FAULT_PRIVILEGED, FAULT_INT_DIVIDE, FAULT_INT_OVERFLOW, FAULT_BOUNDS,
    FAULT_X87, FAULT_SIMD, /* with fp */
    FAULT_BREAKPOINT, FAULT_STEP, FAULT_OTHER,
};
enum os_fault_fp { FAULT_FP_OTHER, FAULT_FP_DIVIDE, FAULT_FP_OVERFLOW, FAULT_FP_UNDERFLOW, FAULT_FP_INEXACT,
    FAULT_FP_INVALID, FAULT_FP_STACK };
enum os_fault_access { FAULT_ACCESS_UNKNOWN, FAULT_ACCESS_READ, FAULT_ACCESS_WRITE, FAULT_ACCESS_EXECUTE };

struct os_fault_info {
    u8 kind, fp, access;
    bool has_address;
    bool trap;   /* the instruction has been executed, and the guest is behind it (fault_raise) */
    u64 address; /* that was accessed */
};

/* trapno, err: the processor's, as in the signal frame; pc: of the instruction. */
void fault_classify(struct os_fault_info *out, const void *siginfo, u64 trapno, u64 err, u64 pc);
/* Raises the fault for the guest at vm_tc.cpu as if its instruction had; delivered before the guest goes on. */
void fault_raise(const struct os_fault_info *f);

#endif
