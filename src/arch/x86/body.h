/* SPDX-License-Identifier: Apache-2.0
 * A small analysis routine as instructions whose registers can be renamed, or of a larger one what is executed without calls and the stack: where these begin, the routine itself takes over. */
#ifndef LP_X86_BODY_H
#define LP_X86_BODY_H
#include "arch/x86/emit.h"
#include "arch/x86/quick.h"

#define BODY_MAX 40
#define BODY_END 127
#define BODY_WAYS 4

struct body_insn {
    struct insn in;
    struct quick_fields f;
    const u8 *at;
    u64 operand;   /* address of a RIP-relative one */
    bool locked;   /* LOCK in front of in */
    s8 next, to;   /* where it goes on: instructions, or BODY_END; to: of a jump that is taken */
    u8 bytes;
    bool rest;     /* it and what follows is left to the routine itself */
    u16 live;      /* rest: registers with values that it needs */
};

struct body {
    const char *why; /* not NULL: it cannot be inlined, for that reason */
    u16 code;        /* instructions that are written */
    u16 ways;        /* to where the routine itself takes over: instructions behind them */
    u16 regs;        /* that it touches */
    u16 reads;       /* before or after it has written them */
    u16 fixed;       /* cannot be renamed */
    bool far;        /* needs a register for addresses */
    struct body_insn *insn;
};

/* Remembered for each routine. Under jit_lock. */
const struct body *body_of(void *fn);
/* Where it is left for the rest. */
struct body_way {
    const struct body_insn *to;
    u8 *patch; /* the displacement of the jump there */
};
/* Writes it, with its registers renamed; far: a register for addresses. It goes on behind its end. way: body->ways of them. */
void body_emit(struct emit *e, const struct body *body, const u8 *name, enum gpr far, struct body_way *way);

#endif
