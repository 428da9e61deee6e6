/* SPDX-License-Identifier: Apache-2.0
 * A small analysis routine as instructions whose registers can be renamed. */
#ifndef LP_X86_BODY_H
#define LP_X86_BODY_H
#include "arch/x86/emit.h"
#include "arch/x86/quick.h"

#define BODY_MAX 40

struct body_insn {
    struct insn in;
    struct quick_fields f;
    const u8 *at;
    u64 operand;   /* address of a RIP-relative one */
    bool locked;   /* LOCK in front of in */
    s8 to;         /* a jump: to that instruction; -1: it is none */
    u8 bytes;
};

struct body {
    const char *why; /* not NULL: it cannot be inlined, for that reason */
    u16 n;
    u16 regs;        /* that it touches */
    u16 reads;       /* before or after it has written them */
    u16 fixed;       /* cannot be renamed */
    bool far;        /* needs a register for addresses */
    struct body_insn *insn;
};

/* Remembered for each routine. Under jit_lock. */
const struct body *body_of(void *fn);
/* Writes it, with its registers renamed; far: a register for addresses. It goes on behind its end. */
void body_emit(struct emit *e, const struct body *body, const u8 *name, enum gpr far);

#endif
