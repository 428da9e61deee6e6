/* SPDX-License-Identifier: Apache-2.0
 * The kernel's signal frame: read where the kernel made one for the engine, written and read back where the guest
 * believes that the kernel made one for it. All that the OS layer owes for it per architecture; the layout is in the
 * architecture's sigframe_layout.h. */
#ifndef LP_LINUX_SIGFRAME_H
#define LP_LINUX_SIGFRAME_H
#include "sigframe_layout.h"

struct cpu_state;
struct os_thread;

/* --- frames the kernel made for the engine ----------------------------------------------------------------- */
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
bool sigframe_is_write_fault(const struct sigframe *f);
bool sigframe_is_general_fault(const struct sigframe *f);
/* Changes the signal to that of a stack segment fault. */
void sigframe_make_stack_fault(struct sigframe *f, siginfo_t *info);
bool sigframe_is_stepping(const struct sigframe *f);
/* One general register of the interrupted code, by the hardware's number; its trap flag on. */
void sigframe_set_gpr(struct sigframe *f, u32 reg, u64 value);
void sigframe_set_step(struct sigframe *f);
/* The fault is an alignment check that the guest's flags have asked for: the interrupted code goes on without, for one
 * instruction, with these signals blocked. False: it is none. */
bool sigframe_allow_unaligned(struct os_thread *os, struct sigframe *f, u64 blocked);
/* After that instruction, or instead of it: flags and mask are what they were. */
void sigframe_align_again(struct os_thread *os, struct sigframe *f);
/* The interrupted code shall go on at pc with sp, in host code's state: flags, floating point, vector registers. */
void sigframe_redirect(struct sigframe *f, u64 pc, u64 sp);
/* Host code must not run with the guest's flags: alignment checks, which the kernel leaves on in handlers. */
void sigframe_enter_handler(const struct sigframe *f);


/* --- frames for the guest ---------------------------------------------------------------------------------- */
/* Pushes a frame for sig and points c at the handler; mask: the one that sigreturn shall restore. False: not
 * writable, c unchanged. */
bool sigframe_push(struct cpu_state *c, struct os_thread *os, const struct sig_action *act, const siginfo_t *info,
                   u64 mask);
/* sigreturn: the mask in the frame at c's stack pointer, then all the rest. False: a bad frame; as in the kernel c
 * may be half restored then. */
bool sigframe_peek_mask(const struct cpu_state *c, u64 *mask);
bool sigframe_pop(struct cpu_state *c, struct os_thread *os);

/* The calling thread goes on natively, with the guest's state and this mask, by a frame of the host's. Comes back only
 * where a port cannot do it yet. */
void sigframe_go_native(const struct cpu_state *c, struct os_thread *os, u64 mask);

/* The processor's mark (RF) in the flags saved by a fault, for one that the engine raises. */
void sigframe_mark_fault(struct cpu_state *c);

/* --- alternate stack --------------------------------------------------------------------------------------- */
/* Is sp in it? on_alt_stack: and does that count? */
bool sigframe_alt_holds(const struct os_thread *os, u64 sp);
bool sigframe_on_alt_stack(const struct os_thread *os, u64 sp);
/* Sets the alternate stack, as sigaltstack does: 0 or -errno. */
s64 sigframe_set_alt_stack(struct os_thread *os, const stack_t *ss, u64 sp);

/* --- guest memory ------------------------------------------------------------------------------------------ */
/* The kernel's access_ok. */
bool guest_in_user_space(u64 addr, size_t bytes);
bool guest_read(void *dst, u64 addr, size_t bytes);
bool guest_write(u64 addr, const void *src, size_t bytes);

/* The kernel's own action: sets it, tells what it was; NULL: not wanted. 0 or -errno. */
s64 sigframe_action(int sig, const struct sig_action *set, struct sig_action *old);
/* An instruction whose fault makes a frame to learn from. */
void sigframe_probe(void);
bool sigframe_is_probe(const struct sigframe *f); /* if it is, lets it go on */
bool int80_is_probe(u64 *pc);                     /* the same, of x86/int80.c */

#endif
