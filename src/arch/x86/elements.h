/* SPDX-License-Identifier: Apache-2.0
 * Accesses that are more than one address and one size known from the encoding: gathers, scatters, masks, elements of
 * vectors, the XSAVE family. Evaluated while an analysis call is made, with the guest's registers in the thread's
 * bridge state. */
#ifndef LP_X86_ELEMENTS_H
#define LP_X86_ELEMENTS_H
#include "arch/x86/facts.h"

#define ELEMENTS_MAX 64

struct element {
    u64 address;  /* 0: of a register */
    u32 offset;   /* within the operand */
    u32 bytes;
    bool on;      /* not masked off */
};

/* Elements of an operand; their number. */
u32 elements_list(const struct ins_facts *f, const struct fact_operand *o, struct element *out);
/* Is any part of the memory operand accessed? */
bool elements_any(const struct ins_facts *f, const struct fact_operand *o);
/* Address of the first byte; of a gather or scatter without the index. */
u64 elements_address(const struct ins_facts *f, const struct fact_operand *o);
/* Bytes of an XSAVE or XRSTOR area that the instruction touches; done: it has been executed. */
u32 elements_xsave_bytes(const struct ins_facts *f, bool done);

#endif
