/* SPDX-License-Identifier: Apache-2.0
 * What the architecture keeps of the translation of one trace (opt/pass.h): the bridge in the making, and cold code.
 * Under jit_lock. */
#ifndef LP_X86_PASS_ARCH_H
#define LP_X86_PASS_ARCH_H
#include "arch/x86/emit.h"
#include "opt/parts.h"

struct pass;

/* Code for the calls at one place, while it is written (bridge.c). */
struct bridge {
    struct pass *b;
    struct emit e;
    const struct insn *in;
    struct ins *ins;
    gpc_t pc;
    u8 place;        /* enum bridge_place */
    u16 saved;       /* general registers that are in the context */
    u16 intact;      /* general registers that have the guest's values; the others are in the context */
    bool light;     /* not all state is saved (O4) */
    bool condition;  /* a call needs the instruction's condition */
    struct hold hold; /* light: where the guest's registers are while the routines run */
    bool flags;      /* light: flags are saved */
    u16 vectors;     /* light: vector registers of which the low halves are saved */
};

/* A Then call that is not light: it is written in cold code, so that the bridge of its If part can be light. */
struct cold {
    struct bridge g; /* of the If part, at `back` */
    const struct call *then;
    u8 *from, *back;
    bool flags; /* in ax */
    u8 next_in;
    bool looks; /* it looks for signals after the call */
    bool again; /* flags are to be in place where it goes back to */
};

/* A constant in the source that is read when the trace is entered (check.c). */
struct varying_constant {
    u16 off, bytes; /* of the trace's source */
    bool extended;  /* to 8 bytes, with its sign */
};

struct pass_arch {
    struct varying_constant constant[CPU_CONSTANTS];
    u32 nconstants;
    struct cold cold[PASS_TOOL_INSNS * 4];
    u32 ncold;
};

#endif
