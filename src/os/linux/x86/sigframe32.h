/* SPDX-License-Identifier: Apache-2.0
 * Signal frames of IA-32 programs (sigframe.c hands them on), and what it lends for them. */
#ifndef LP_X86_SIGFRAME32_H
#define LP_X86_SIGFRAME32_H
#include "os/linux/sigframe.h"

/* As sigframe_push, sigframe_peek_mask and sigframe_pop. Which kind of frame is popped is in eax: the number of the
 * system call. */
bool sigframe32_push(struct cpu_state *c, struct os_thread *os, const struct sig_action *act, const siginfo_t *info,
                     u64 mask);
/* Where handlers return to that name no place: in the vdso, of the old frame and of the other; 0: nowhere. */
extern u64 sigframe32_restorer[2];
bool sigframe32_peek_mask(const struct cpu_state *c, u64 *mask);
bool sigframe32_pop(struct cpu_state *c, struct os_thread *os);
/* The form that an IA-32 program has of it: SIGINFO32_BYTES. */
#define SIGINFO32_BYTES 128
void siginfo32_from(void *to, const siginfo_t *from);

/* --- of sigframe.c: extended state --------------------------------------------------------------------------- */
u32 sigframe_stage_xstate(u8 *image, const struct cpu_state *c, struct os_thread *os, u32 before);
bool sigframe_restore_xstate(struct cpu_state *c, const struct os_thread *os, u64 at);
void sigframe_init_xstate(struct cpu_state *c);

#endif
