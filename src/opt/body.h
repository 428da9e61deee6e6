/* SPDX-License-Identifier: Apache-2.0
 * A small analysis routine as operations whose registers can be renamed; or the part of a larger one that is executed
 * without calls and without the stack: where these begin, the routine itself takes over (rest.h). Under jit_lock. */
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
    bool folded;     /* it became relative when its base, an address that the routine had loaded, was folded into it */
    bool rest;       /* this operation and what follows are left to the routine itself */
    reg_set live;    /* rest: the registers whose values it needs */
    /* rest: of these, those with a known value, and which: an argument, or from BODY_ADDRESS on an address */
    reg_set consts;
    s8 arg_of[ROP_REGISTERS];
};

struct body {
    const char *why; /* why the routine cannot be inlined; NULL: it can */
    u16 n;
    u16 code;        /* the first so many of its n operations are written, the others are rests */
    u16 ways;        /* how many jumps lead to rests */
    reg_set regs;    /* registers that it touches */
    reg_set entry;   /* registers that it reads before it writes them */
    reg_set fixed;   /* registers that cannot be renamed */
    /* same[r]: r gets the same register as that one, and is not in regs; -1: it gets one of its own */
    s8 same[ROP_REGISTERS];
    bool far;        /* it needs a register for addresses */
    bool based;      /* that register has `origin` from the start, and addresses are relative to it */
    u64 origin;
    u64 address[BODY_ADDRESSES]; /* addresses that it loads */
    u8 naddresses;
    struct body_op *op;
    u32 key;         /* the kinds of arguments that it was folded for (fold.c) */
    struct body *folded;
};

/* Remembered for each routine. Under jit_lock. */
const struct body *body_of(void *fn);
/* How large a constant argument is: 2 bits for each argument. */
enum { ARG_ANY, ARG_TINY, ARG_SMALL, ARG_WIDE };
#define ARG_SHIFT(i) ((i) * 2)
static inline u32 body_arg_kind(u64 v) { return v < 0x80 ? ARG_TINY : v < 1u << 30 ? ARG_SMALL : ARG_WIDE; }
/* The body for constant arguments of these kinds. result: what it returns is needed. Remembered. */
const struct body *body_fold(const struct body *body, u32 kinds, bool result);

/* A place where a written body is left for the rest. */
struct body_way {
    const struct body_op *to;
    u8 *end; /* the end of the jump to the rest */
};

/* The registers and values with which a body is written. */
struct body_use {
    u8 name[ROP_REGISTERS];   /* name[r]: the register that its register r becomes */
    u8 far;                   /* a register for addresses */
    bool there;               /* `far` has `origin` already */
    u64 value[ROP_ARGUMENTS]; /* of constant arguments */
};
/* Writes the body at p and returns its end, where execution goes on. way: gets body->ways places (body_emit.c). */
u8 *body_emit(u8 *p, const struct body *body, const struct body_use *use, struct body_way *way);

#endif
