/* SPDX-License-Identifier: Apache-2.0
 * The form in which the optimiser sees a tool's analysis routine: one operation for each machine instruction, with at
 * most one operand in memory, so that what is written into the code cache is as short as what the compiler made. The
 * architecture makes it from machine code (arch_lift) and writes it (arch_emit_rop); registers are numbers, and sets
 * of them are bits. An operation of 4 bytes that writes a register clears the bytes above; a narrower one does not. */
#ifndef LP_OPT_ROP_H
#define LP_OPT_ROP_H
#include "arch/arch.h"

/* clang-format off: groups */
enum rop_kind {
    ROP_NONE,                               /* does nothing */
    ROP_MOVE, ROP_ADDRESS,                  /* to = from; to = the address of the operand in memory */
    ROP_ADD, ROP_OR, ROP_ADC, ROP_SBB,      /* to = to op from; ADC and SBB with the carry */
    ROP_AND, ROP_SUB, ROP_XOR,              /* the same */
    ROP_COMPARE, ROP_TEST, ROP_BIT_TEST,    /* flags of to - from, of to & from; carry: bit `from` of to */
    ROP_SHL, ROP_SHR, ROP_SAR,              /* by from */
    ROP_NOT, ROP_NEGATE, ROP_SWAP_BYTES,    /* of to */
    ROP_MULTIPLY, ROP_SCALE,                /* to = to * from; to = from * value */
    ROP_ZERO_EXTEND, ROP_SIGN_EXTEND,       /* to = from, of from_width bytes */
    ROP_SIGN_FILL,                          /* to = the sign of from in all bits */
    ROP_SET, ROP_MOVE_IF,                   /* to, of one byte, = is the condition true?; to = from where it is */
    ROP_PUSH, ROP_POP, ROP_LEAVE,           /* LEAVE: the stack pointer = to, then to = what is popped */
    ROP_BRANCH, ROP_JUMP, ROP_CALL,         /* to `target`; 0: to what `from` holds */
    ROP_RETURN,                             /* and pops `value` bytes more */
    ROP_OPAQUE,                             /* something else, with its sets; a branch if it has a target */
};

/* What `to` and `from` of an operation are. At most one of them is in memory; `from` of ROP_ADDRESS always is. */
enum rop_operand { ROP_ABSENT, ROP_REGISTER, ROP_CONSTANT, ROP_MEMORY };

/* The conditions of ROP_BRANCH, ROP_SET and ROP_MOVE_IF. Changing the last bit gives the opposite. */
enum rop_condition {
    ROP_IF_OVERFLOW, ROP_IF_NO_OVERFLOW, ROP_IF_BELOW, ROP_IF_NOT_BELOW,
    ROP_IF_EQUAL, ROP_IF_NOT_EQUAL, ROP_IF_NOT_ABOVE, ROP_IF_ABOVE,
    ROP_IF_NEGATIVE, ROP_IF_NOT_NEGATIVE, ROP_IF_EVEN, ROP_IF_ODD,
    ROP_IF_LESS, ROP_IF_NOT_LESS, ROP_IF_NOT_GREATER, ROP_IF_GREATER,
};

/* clang-format on */

#define ROP_END (-1) /* no operation of the routine */

/* base + index << shift + disp; base, index: -1: none. Without both it is the address disp. */
struct rop_memory {
    s8 base, index;
    u8 shift;
    u64 disp;
};

struct rop {
    u8 kind;                /* enum rop_kind */
    u8 width;               /* bytes of the operands */
    u8 from_width;          /* of from where that is another one */
    u8 condition;
    u8 to, from;            /* enum rop_operand */
    u8 to_reg, from_reg;
    bool locked;            /* other threads see it happen in one step */
    bool keeps_carry;       /* ADD, SUB: of 1, the carry flag stays */
    u8 bytes;               /* of the instruction */
    struct rop_memory mem;
    u64 value;              /* of ROP_CONSTANT */
    u64 target;
    reg_set reads, writes;  /* writes: also on a condition, or in part */
    reg_set kills;          /* written as a whole, always, and not read */
    reg_set fixed;          /* registers that the machine instruction cannot choose */
    u32 vectors;            /* vector registers of which the low half is written */
    const char *bar;        /* why a routine that has it cannot be called light; NULL: it can */
    u64 at;
    /* The operations of the routine (form.h) that follow: `taken` after a branch that is taken (else it is next). */
    s16 next, taken;
};

/* Is the address of its operand known, without registers? */
static inline bool rop_is_absolute(const struct rop *op) { return op->mem.base < 0 && op->mem.index < 0; }
static inline bool rop_has_memory(const struct rop *op) { return op->to == ROP_MEMORY || op->from == ROP_MEMORY; }
/* Sets reads, writes and kills by the kind of the operation. Those of ROP_OPAQUE stay as they are. */
void rop_find_effects(struct rop *op);

/* --- registers, as the calling convention uses them --- */
#define ROP_REGISTERS REG_SET_REGISTERS
#define ROP_ARGUMENTS 6
struct rop_registers {
    u8 argument[ROP_ARGUMENTS];
    u8 result, stack;
    reg_set arguments;        /* the same as a set */
    reg_set call_reads;       /* what a call may read */
    reg_set call_loses;       /* what it may change */
    reg_set return_reads;     /* what a caller may look at */
};

#endif
