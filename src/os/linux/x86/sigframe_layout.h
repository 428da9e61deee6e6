/* SPDX-License-Identifier: Apache-2.0
 * The layout of a signal frame on x86-64, and of what the kernel is told of a handler (os/linux/sigframe.h). */
#ifndef LP_X86_SIGFRAME_LAYOUT_H
#define LP_X86_SIGFRAME_LAYOUT_H
#include "base/base.h"
#include <signal.h>

#define SIGFRAME_GOES_NATIVE true /* sigframe_go_native does it */
#define TASK_MAX 0x7ffffffff000ul /* the kernel's access_ok */
#define SYSCALL_AUDIT_ARCH AUDIT_ARCH_X86_64 /* si_arch of SIGSYS */

/* struct sigaction as the kernel has it. */
struct sig_action {
    u64 handler, flags, restorer, mask;
};

/* Registers in the order of struct sigcontext; the first 16 are general ones (sigframe.c: greg_gpr). */
enum { GREG_SP = 15, GREG_IP, GREG_FLAGS, GREG_SEGMENTS, GREG_ERR, GREG_TRAPNO, GREG_OLDMASK, GREG_CR2, GREG_COUNT };

/* struct rt_sigframe. A handler's third argument points to uc_flags. */
struct sigframe {
    u64 restorer;
    u64 uc_flags, uc_link;
    stack_t stack;
    u64 greg[GREG_COUNT];
    u64 fpstate;
    u64 reserved[8];
    u64 mask;
    siginfo_t info;
};
_Static_assert(sizeof(struct sigframe) == 440, "struct rt_sigframe");

static inline struct sigframe *sigframe_of(void *ucontext)
{
    return (struct sigframe *)((u8 *)ucontext - offsetof(struct sigframe, uc_flags));
}
/* What the processor says of the fault, for fault_classify. */
static inline u64 sigframe_trap(const struct sigframe *f) { return f->greg[GREG_TRAPNO]; }
static inline u64 sigframe_error(const struct sigframe *f) { return f->greg[GREG_ERR]; }

/* What the kernel calls at a handler's end. */
void sigframe_restorer(void);
/* The action with which the kernel calls a handler of the engine's. */
#define SA_RESTORER_FLAG 0x04000000ul
static inline struct sig_action sigframe_engine_action(u64 handler, u64 flags, u64 mask)
{
    return (struct sig_action){.handler = handler, .flags = flags | SA_RESTORER_FLAG,
        .restorer = (u64)sigframe_restorer, .mask = mask};
}

#endif
