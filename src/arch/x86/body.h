/* SPDX-License-Identifier: Apache-2.0
 * A small analysis routine as instructions whose registers can be renamed, or of a larger one what is executed without calls and the stack: where these begin, the routine itself takes over. */
#ifndef LP_X86_BODY_H
#define LP_X86_BODY_H
#include "arch/x86/emit.h"
#include "arch/x86/quick.h"

#define BODY_MAX 40
#define BODY_END 127
#define BODY_WAYS 4
#define BODY_ADDRESS 8
#define BODY_ADDRESSES 8

struct body_insn {
    struct insn in;
    struct quick_fields f;
    const u8 *at;
    u64 operand;   /* address of a RIP-relative one */
    bool locked;   /* LOCK in front of in */
    s8 next, to;   /* where it goes on: instructions, or BODY_END; to: of a jump that is taken */
    u8 bytes;
    struct effect e;
    /* What depends on constant arguments (fold.c); -1: nothing. */
    s8 imm_arg;    /* its immediate is that argument */
    s8 disp_arg;   /* that argument, shifted, is added to its displacement */
    u8 disp_shift;
    s8 const_arg;  /* it sets register const_to to that argument, or from BODY_ADDRESS on, to that address */
    u8 const_to;
    s8 base;       /* that address is the base of its operand */
    bool rest;     /* it and what follows is left to the routine itself */
    u16 live;      /* rest: registers with values that it needs */
    u16 consts;    /* rest: those that are arguments, and which */
    s8 arg_of[GPR_COUNT];
};

struct body {
    const char *why; /* not NULL: it cannot be inlined, for that reason */
    u16 n;
    u16 code;        /* instructions that are written, the first of n */
    u16 ways;        /* to where the routine itself takes over: instructions behind them */
    u16 regs;        /* that it touches */
    u16 entry;       /* that it reads before it writes them */
    u16 fixed;       /* cannot be renamed */
    s8 same[GPR_COUNT]; /* gets the same register as that one, -1: one of its own; not in regs then */
    bool far;        /* needs a register for addresses */
    bool based;      /* that has `origin` from the start, and addresses are relative to it */
    u64 origin;
    u64 address[BODY_ADDRESSES]; /* that it loads */
    u8 naddresses;
    struct body_insn *insn;
    u32 key;         /* fold.c */
    struct body *folded;
};

/* Remembered for each routine. Under jit_lock. */
const struct body *body_of(void *fn);
/* How large an argument is: kinds are 2 bits for each. */
enum { ARG_ANY, ARG_TINY, ARG_SMALL, ARG_WIDE };
#define ARG_SHIFT(i) ((i) * 2)
static inline u32 body_arg_kind(u64 v) { return v < 0x80 ? ARG_TINY : v < 1u << 30 ? ARG_SMALL : ARG_WIDE; }
/* The routine for constant arguments of these kinds; result: what it returns is needed. Remembered. */
const struct body *body_fold(const struct body *body, u32 kinds, bool result);

/* Where it is left for the rest. */
struct body_way {
    const struct body_insn *to;
    u8 *patch; /* the displacement of the jump there */
};
/* Writes it, with its registers renamed; far: a register for addresses, which has `origin` already if there; value: of constant arguments. It goes on behind its end. way: body->ways of them. */
void body_emit(struct emit *e, const struct body *body, const u8 *name, enum gpr far, bool there, const u64 *value, struct body_way *way);
bool body_is_lea(const struct insn *in);

#endif
