/* SPDX-License-Identifier: Apache-2.0
 * A small analysis routine as operations whose registers can be renamed, or of a larger one what is executed without
 * calls and the stack: where these begin, the routine itself takes over. */
#ifndef LP_OPT_BODY_H
#define LP_OPT_BODY_H
#include "opt/rop.h"

#define BODY_MAX 40
#define BODY_WAYS 4
#define BODY_ADDRESS 8
#define BODY_ADDRESSES 8

struct body_op {
    struct rop op;   /* next, taken: operations of the body, or ROP_END: it is done */
    bool relative;   /* the displacement of its operand is an address of the routine's data */
    /* What depends on constant arguments (fold.c); -1: nothing. */
    s8 value_arg;    /* its constant is that argument */
    s8 disp_arg;     /* that argument, shifted, is added to its displacement */
    u8 disp_shift;
    bool folded;     /* relative because the base was an address that the routine had loaded */
    bool rest;       /* it and what follows is left to the routine itself */
    reg_set live;    /* rest: registers with values that it needs */
    reg_set consts;  /* rest: those that are arguments, or from BODY_ADDRESS on addresses, and which */
    s8 arg_of[ROP_REGISTERS];
};

struct body {
    const char *why; /* not NULL: it cannot be inlined, for that reason */
    u16 n;
    u16 code;        /* operations that are written, the first of n */
    u16 ways;        /* to where the routine itself takes over: operations behind them */
    reg_set regs;    /* that it touches */
    reg_set entry;   /* that it reads before it writes them */
    reg_set fixed;   /* cannot be renamed */
    s8 same[ROP_REGISTERS]; /* gets the same register as that one, -1: one of its own; not in regs then */
    bool far;        /* needs a register for addresses */
    bool based;      /* that has `origin` from the start, and addresses are relative to it */
    u64 origin;
    u64 address[BODY_ADDRESSES]; /* that it loads */
    u8 naddresses;
    struct body_op *op;
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
    const struct body_op *to;
    u8 *end; /* of the jump there */
};

/* With which registers and values it is written. */
struct body_use {
    u8 name[ROP_REGISTERS];   /* what its registers become */
    u8 far;                   /* a register for addresses */
    bool there;               /* which has `origin` already */
    u64 value[ROP_ARGUMENTS]; /* of constant arguments */
};
/* Writes it at p, and returns its end, behind which it goes on. way: body->ways of them (body_emit.c). */
u8 *body_emit(u8 *p, const struct body *body, const struct body_use *use, struct body_way *way);

#endif
