/* SPDX-License-Identifier: Apache-2.0
 * What a guest instruction does, decoded once with the instruction and kept with it (struct insn). Sets of registers
 * and of flags are the architecture's: one bit each. */
#ifndef LP_ARCH_EFFECT_H
#define LP_ARCH_EFFECT_H
#include "reg_set.h"

enum effect_class {
    EFFECT_PLAIN,         /* execution goes on after it */
    EFFECT_BRANCH,        /* direct, with a condition */
    EFFECT_JUMP,          /* direct */
    EFFECT_CALL,
    EFFECT_JUMP_INDIRECT,
    EFFECT_CALL_INDIRECT,
    EFFECT_RETURN,
    EFFECT_SYSCALL,
    EFFECT_REPEAT,        /* as PLAIN, but it may execute itself again and again before execution goes on */
    EFFECT_VM,            /* the VM carries it out, or a part of it */
    EFFECT_BAD,           /* not an instruction: it faults */
};

struct effect {
    reg_set reads;
    reg_set writes;       /* also those that it writes only on a condition, or in part */
    reg_set kills;        /* written as a whole, always, and not read */
    flag_set flags_read, flags_killed;
    u8 cls;               /* enum effect_class */
    bool flags_touched;   /* it reads or writes any flag, perhaps */
    /* Its translation is the instruction itself: registers that it does not touch may be elsewhere while it is
     * executed. */
    bool copied;
    /* Its translation may be several instructions: between them, what it writes is in its register already. */
    bool in_steps;
    /* false: the effect was not asked for, or this is not an instruction: the sets say nothing, and it may do
     * anything */
    bool known;
};

/* Registers that it touches. */
static inline reg_set effect_touches(const struct effect *e) { return e->known ? e->reads | e->writes : (reg_set)~0; }

#endif
