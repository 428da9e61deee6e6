/* SPDX-License-Identifier: Apache-2.0
 * Registers of a tool's CONTEXT (struct bridge_state): every register that a tool can name, by its number in
 * include/linchpin/reg.h. */
#ifndef LP_X86_CONTEXT_H
#define LP_X86_CONTEXT_H
#include "arch/x86/cpu.h"

#include <ucontext.h>

enum {
    CONTEXT_LIVE = 0x4c505f4c495645,     /* the calling thread's bridge state: what is set there, the guest gets */
    CONTEXT_COPY = 0x4c505f434f5059,     /* apart from any thread */
    CONTEXT_PHYSICAL = 0x4c505f50485953, /* of host code */
};

/* Once: where this CPU keeps the components of its extended state. */
void context_init(void);
/* Bytes of a context with the extended state that this CPU has, a multiple of 64. */
u32 context_bytes(void);
bool context_valid(const struct bridge_state *s);
/* 0: no context of this CPU holds it. */
unsigned context_reg_bytes(u32 reg);
/* out: context_reg_bytes of it. */
void context_read(const struct bridge_state *s, u32 reg, void *out);
/* False: it cannot be changed. A 32-bit general register clears the upper half, as the hardware does. */
bool context_write(struct bridge_state *s, u32 reg, const void *in);
u64 context_sp(const struct bridge_state *s);
void context_no_quick_save(void);     /* the extended state as a whole, always (xstate_asm.h) */
u32 context_xstate_bytes(void);       /* of the extended state image in use */
/* Is the matrix unit in use? Of another thread as of when it was last in the VM. */
bool context_amx_active(const struct cpu_state *c);
/* The tool's own registers of the thread of c; and the part of the flags that is the engine's own in the calling
 * thread's bridge state (step.c). */
u64 *context_tool_regs(struct cpu_state *c);
u64 context_step_flag(void);
/* Has this CPU the components of the extended state in mask? */
bool context_has_state(u64 mask);
/* The vector and x87 state of the CPU, those components of it: to and from the state, which is aligned to 64 bytes. */
void context_load_cpu(const struct bridge_state *s, u64 components);
void context_store_cpu(struct bridge_state *s, u64 components);
void context_copy(struct bridge_state *to, const struct bridge_state *from);
/* From and to the VM's state of the calling thread (E3). */
void context_take(struct bridge_state *to, const struct cpu_state *from);
void context_give(struct cpu_state *to, const struct bridge_state *from);
/* The same without the tool's own registers. */
void context_give_guest(struct cpu_state *to, const struct bridge_state *from);
/* The extended state in the processor's layout (XSAVE, standard format), all components present; and the first 512
 * bytes of it. */
void context_get_xstate(const struct bridge_state *s, void *out, size_t bytes);
void context_set_xstate(struct bridge_state *s, const void *in, size_t bytes);
/* General registers, pc and flags as in a signal's context. */
void context_to_ucontext(const struct bridge_state *s, ucontext_t *to);
/* For the unwinder: the registers in DWARF's order, and the numbers of stack pointer and frame pointer. Returns
 * that of the pc. */
u32 context_to_dwarf(const struct bridge_state *s, u64 reg[DWARF_REGS], u32 *sp, u32 *fp);

#endif
