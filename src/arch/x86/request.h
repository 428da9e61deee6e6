/* SPDX-License-Identifier: Apache-2.0
 * An instruction that is to be encoded, in XED's numbers. */
#ifndef LP_X86_REQUEST_H
#define LP_X86_REQUEST_H
#include "base/base.h"

#define REQUEST_MAX_OPERANDS 5

enum request_kind { REQUEST_REG, REQUEST_MEM, REQUEST_IMM, REQUEST_BRANCH, REQUEST_POINTER };

struct request_operand {
    u8 kind;                  /* enum request_kind */
    u8 scale;
    u8 bits;                  /* of a constant, a displacement of a branch, or that of the address (0: none) */
    bool fixed;               /* a constant that the opcode implies */
    bool is_signed;
    bool in_constant;         /* a register whose number is in the upper half of a constant */
    bool address_only;        /* nothing is accessed, so its size does not matter */
    u16 reg, base, index, seg;
    u16 bytes;                /* that are accessed */
    u16 selector;
    u64 value;                /* constant, displacement, offset */
};

struct request {
    u8 mode;                  /* enum code_mode */
    u8 noperands;
    u16 iclass;
    u16 operand_bits, address_bits; /* 0: as the operands say */
    u16 seg;                  /* of memory that no operand names */
    bool lock;
    u8 rep;                   /* 2: F2, 3: F3; where the instruction repeats or has a meaning for it (BND, XACQUIRE) */
    u8 hint;                  /* 1: 2E, 2: 3E before a branch */
    bool vex, evex, xop;      /* only this encoding */
    bool zeroing, sae;
    u8 rounding;              /* 1 to 4, 0: none */
    u8 broadcast;             /* elements that one becomes, 0: none */
    struct request_operand op[REQUEST_MAX_OPERANDS];
};

/* Bytes of the instruction, 0: there is none like that. out has 15 bytes. */
u32 request_encode(const struct request *r, u8 *out);

#endif
