/* SPDX-License-Identifier: Apache-2.0
 * What the state map says in this architecture's terms, and what the files of lowering share. */
#ifndef LP_RISCV64_LOWER_H
#define LP_RISCV64_LOWER_H
#include "arch/riscv64/emit.h"
#include "opt/pass.h"

/* Where the guest's registers are (map_entry.how). */
enum map_how {
    HOW_T0 = 1,  /* t0 is in its slot */
    HOW_SPILL,   /* register `data` is in slot 6 */
    HOW_TP,      /* the same, and it has the guest's tp, which the instruction has written; data: that register */
    HOW_IB,      /* t0 and t1 are in their slots */
    HOW_IB_DONE, /* the same; t0 has the target of the indirect branch */
    HOW_IB_KEPT, /* the same; slot 4 has it */
    HOW_COUNT,   /* up to three registers, 5 bits each, in slots 6, 7 and 3 */
};

enum { SLOT_T0, SLOT_T1, SLOT_T2, SLOT_T3, SLOT_TARGET, SLOT_A0, SLOT_SPILL, SLOT_SPILL_2 };
#define COUNT_SPILLS 3
extern const u8 count_slot[COUNT_SPILLS];

/* Through tables by the target in t0, with t0 and t1 in their slots. */
void lower_lookup(struct emit *e);
/* t0 = where its entry in the table of indirect branches is, from the table's start. */
void emit_ibt_offset(struct emit *e, u32 to, u32 target);

#endif
