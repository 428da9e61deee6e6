/* SPDX-License-Identifier: Apache-2.0
 * Steps from a function to its caller, by the unwind information of the images (.eh_frame). */
#ifndef LP_IMAGE_UNWIND_H
#define LP_IMAGE_UNWIND_H
#include "cpu.h"

struct unwind {
    u64 reg[DWARF_REGS];
    bool called;        /* the pc is a return address: the call instruction is before it */
    u32 pc;             /* number of the pc, which is the last one */
    u32 sp;             /* that of the stack pointer */
    u32 fp;             /* number of the register in which functions without unwind information keep their frame */
};

/* To the caller; false: there is none, or the stack cannot be read. */
bool unwind_step(struct unwind *u);

#endif
