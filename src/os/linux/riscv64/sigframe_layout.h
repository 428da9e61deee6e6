/* SPDX-License-Identifier: Apache-2.0
 * The layout of a signal frame on RISC-V 64, and of what the kernel is told of a handler (os/linux/sigframe.h). */
#ifndef LP_RISCV64_SIGFRAME_LAYOUT_H
#define LP_RISCV64_SIGFRAME_LAYOUT_H
#include "base/base.h"
#include <signal.h>

#define SIGFRAME_GOES_NATIVE false /* sigframe_go_native comes back */
#define TASK_MAX 0x7ffffffff000ul /* the kernel's access_ok, of the largest address space */
#define SYSCALL_AUDIT_ARCH AUDIT_ARCH_RISCV64 /* si_arch of SIGSYS */

/* struct sigaction as the kernel has it: the way back from a handler is the kernel's own. */
struct sig_action {
    u64 handler, flags, mask;
};

/* Registers in the order of struct sigcontext: the pc, then x1 to x31. */
enum { GREG_IP, GREG_SP = 2, GREG_COUNT = 32 };

/* struct rt_sigframe. A handler's third argument points to uc_flags. */
struct sigframe {
    siginfo_t info;
    u64 uc_flags, uc_link;
    stack_t stack;
    u64 mask;
    u64 more_mask[15];
    u64 align;
    u64 greg[GREG_COUNT];
    u64 fpr[32];
    u32 fcsr;
    u32 room[67]; /* for registers of 128 bits */
};
_Static_assert(sizeof(struct sigframe) == 1088, "struct rt_sigframe");

static inline struct sigframe *sigframe_of(void *ucontext)
{
    return (struct sigframe *)((u8 *)ucontext - offsetof(struct sigframe, uc_flags));
}
/* The frame does not tell the cause of a fault: fault_classify looks at the instruction, whose address it gets
 * anyway. */
static inline u64 sigframe_trap(const struct sigframe *f) { return (void)f, 0; }
static inline u64 sigframe_error(const struct sigframe *f) { return (void)f, 0; }
static inline struct sig_action sigframe_engine_action(u64 handler, u64 flags, u64 mask)
{
    return (struct sig_action){.handler = handler, .flags = flags, .mask = mask};
}

#endif
