/* SPDX-License-Identifier: Apache-2.0
 * The kernel's signal frame on x86-64: read where the kernel made one for the engine, written and read back where
 * the guest believes that the kernel made one for it. */
#ifndef LP_LINUX_X86_SIGFRAME_H
#define LP_LINUX_X86_SIGFRAME_H
#include "base/base.h"
#include <signal.h>

struct cpu_state;
struct os_thread;

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

/* --- frames the kernel made for the engine ----------------------------------------------------------------- */
static inline struct sigframe *sigframe_of(void *ucontext)
{
    return (struct sigframe *)((u8 *)ucontext - offsetof(struct sigframe, uc_flags));
}
/* Takes note of how this kernel makes frames. Call from a handler that runs where the kernel's initial state of
 * handlers is still in the registers. */
void sigframe_learn(const struct sigframe *f);
/* A new thread's frames: default features, no alternate stack. first: its flags are those that exec left. */
void sigframe_init_thread(struct os_thread *os, bool first);
/* The interrupted code's registers, flags, pc and extended state. */
void sigframe_capture(struct cpu_state *c, struct os_thread *os, const struct sigframe *f);
/* The same of an instruction that the engine has stepped and that has faulted: it will be executed again, so what a
 * floating point exception has left in the status of the vector unit is not there yet. The context has the status as it
 * was before each step, by sigframe_note_status. */
void sigframe_note_status(struct cpu_state *c, const struct sigframe *f);
void sigframe_capture_undone(struct cpu_state *c, struct os_thread *os, const struct sigframe *f);
void sigframe_capture_fault(struct os_thread *os, const struct sigframe *f);
/* What the processor says of the fault, for fault_classify. */
static inline u64 sigframe_trap(const struct sigframe *f) { return f->greg[GREG_TRAPNO]; }
static inline u64 sigframe_error(const struct sigframe *f) { return f->greg[GREG_ERR]; }
bool sigframe_is_write_fault(const struct sigframe *f);
bool sigframe_is_general_fault(const struct sigframe *f);
/* Makes the signal that of a fault of the stack segment. */
void sigframe_make_stack_fault(struct sigframe *f, siginfo_t *info);
bool sigframe_is_stepping(const struct sigframe *f);
/* The interrupted code shall go on at pc with sp, in host code's state: flags, x87, MXCSR, vector registers. */
/* One general register of the interrupted code, by the hardware's number; its trap flag on. */
void sigframe_set_gpr(struct sigframe *f, u32 reg, u64 value);
void sigframe_set_step(struct sigframe *f);
void sigframe_redirect(struct sigframe *f, u64 pc, u64 sp);
/* Host code must not run with the guest's flags: alignment checks, which the kernel leaves on in handlers. */
void sigframe_enter_handler(const struct sigframe *f);


/* --- frames for the guest ---------------------------------------------------------------------------------- */
/* Pushes a frame for sig and points c at the handler; mask: the one that sigreturn shall restore. False: not
 * writable, c unchanged. */
bool sigframe_push(struct cpu_state *c, struct os_thread *os, const struct sig_action *act, const siginfo_t *info, u64 mask);
/* sigreturn: the mask in the frame at c's stack pointer, then all the rest. False: a bad frame; as in the kernel c
 * may be half restored then. */
bool sigframe_peek_mask(const struct cpu_state *c, u64 *mask);
bool sigframe_pop(struct cpu_state *c, struct os_thread *os);

/* The processor's mark (RF) in the flags saved by a fault, for one that the engine raises. */
void sigframe_mark_fault(struct cpu_state *c);

/* --- alternate stack --------------------------------------------------------------------------------------- */
bool sigframe_on_alt_stack(const struct os_thread *os, u64 sp);
/* sigaltstack's second half: 0 or -errno. */
s64 sigframe_set_alt_stack(struct os_thread *os, const stack_t *ss, u64 sp);

/* --- guest memory ------------------------------------------------------------------------------------------ */
bool guest_read(void *dst, u64 addr, size_t bytes);
bool guest_write(u64 addr, const void *src, size_t bytes);

/* What the kernel calls at a handler's end, and an instruction whose fault makes a frame to learn from. */
void sigframe_restorer(void);
void sigframe_probe(void);
/* The action with which the kernel calls a handler of the engine's. */
#define SA_RESTORER_FLAG 0x04000000ul
static inline struct sig_action sigframe_engine_action(u64 handler, u64 flags, u64 mask)
{
    return (struct sig_action){.handler = handler, .flags = flags | SA_RESTORER_FLAG, .restorer = (u64)sigframe_restorer, .mask = mask};
}
bool sigframe_is_probe(const struct sigframe *f); /* then lets it go on */

#endif
