/* SPDX-License-Identifier: Apache-2.0
 * The registers that a debugger sees, by number, in the order of the target description that it is told. The state is a
 * tool's context apart from any thread (CONTEXT_COPY). */
#ifndef LP_X86_DEBUG_REGS_H
#define LP_X86_DEBUG_REGS_H
#include "arch/x86/cpu.h"

#define DEBUG_REG_MOST_BYTES 64
#define DEBUG_TRIPLE "x86_64-pc-linux-gnu" /* the machine, as compilers name it */

/* Which of them there are on this CPU. To be called before all others. */
void debug_regs_init(void);
u32 debug_regs_count(void);
u32 debug_reg_bytes(u32 n); /* 0: there is no such register */
void debug_reg_get(const struct bridge_state *s, u32 n, void *out);
bool debug_reg_set(struct bridge_state *s, u32 n, const void *in);
/* The description, in the language of the debugger's protocol. */
const char *debug_regs_xml(void);
/* Those that a debugger wants at every stop: i-th number, ~0: no more. */
u32 debug_reg_at_stop(u32 i);
/* The register of a tool (REG of its header) by number: for what tools emulate. ~0: none. */
u32 debug_reg_of_tool(u32 n);

/* The thread of s waits in a system call: what s shows is what the kernel shows a tracer. */
void debug_regs_in_call(struct bridge_state *s);
void debug_regs_no_call(struct bridge_state *s);
/* The debugger has put back what it has seen of a thread in a call: the call is to be made again. */
void debug_regs_restart(struct bridge_state *s);
u64 debug_regs_pc(const struct bridge_state *s);

/* Thread-local storage, as libcs keep it: where a thread has the address of its vector of modules, which has a slot of
 * so many bytes for each, the first word of it where the module's block is; how many there are is before the first. */
#define DEBUG_TLS_SLOT_BYTES 16
u64 debug_regs_tls_vector(const struct bridge_state *s);

#endif
