/* SPDX-License-Identifier: Apache-2.0
 * An interpreter of the routine form (src/opt/rop.h): what an operation means, written down a second time. Memory
 * operands are the process' own memory. */
#ifndef LP_ROP_RUN_H
#define LP_ROP_RUN_H
#include "opt/form.h"

struct rop_machine {
    u64 reg[ROP_REGISTERS];
    bool carry, zero, sign, overflow, parity;
    u8 unknown; /* flags whose value nobody promises, ROP_FLAG_* */
};

enum {
    ROP_FLAG_CARRY = 1,
    ROP_FLAG_ZERO = 2,
    ROP_FLAG_SIGN = 4,
    ROP_FLAG_OVERFLOW = 8,
    ROP_FLAG_PARITY = 16,
    ROP_FLAGS = 31
};

/* Flags that the operation looks at. */
u8 rop_flags_read(const struct rop *op);
u64 rop_address(const struct rop_machine *m, const struct rop *op);
/* One operation that is no transfer of control; false: it means nothing in the form. */
bool rop_step(struct rop_machine *m, const struct rop *op);
/* From its start to its return, whose address is on the stack; Calls are followed. False: an operation without a
 * meaning, or more of them than `limit`. */
bool rop_run(struct rop_machine *m, const struct form *f, u32 limit);

#endif
