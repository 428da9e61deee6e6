/* SPDX-License-Identifier: Apache-2.0
 * What the architecture keeps of the translation of one trace (opt/pass.h): code that is written behind the trace. */
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
    bool light;     /* the short form: not all state is saved */
    bool condition;  /* a call needs the instruction's condition */
    struct hold hold; /* short form: while the routines run */
    bool flags;      /* short form: flags are saved */
    u16 vectors;     /* short form: vector registers saved, low halves */
};

/* Then calls that are not for the short form: written behind the trace, so that their If part can be in it. */
struct cold {
    struct bridge g; /* of the If part, at `back` */
    const struct call *then;
    u8 *from, *back;
    bool flags; /* in ax */
    u8 next_in;
    bool looks; /* for signals, behind it */
    bool again; /* flags in place for what it goes back to */
};

struct pass_arch {
    struct cold cold[PASS_TOOL_INSNS * 4];
    u32 ncold;
};

#endif
