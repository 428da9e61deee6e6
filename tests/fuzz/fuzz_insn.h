/* SPDX-License-Identifier: Apache-2.0
 * An instruction being made: shared by the files that make and judge it. */
#ifndef LP_FUZZ_INSN_H
#define LP_FUZZ_INSN_H
#include "fuzz.h"

#include <Zydis/Zydis.h>
#include <string.h>

struct setup { u8 reg; bool restore; u64 value; };
struct attempt {
    u8 b[24];
    u32 len;
    ZydisDecodedInstruction z;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    u64 rip_target;      /* what a RIP-relative operand shall address */
    bool wild;
    struct setup setup[6];
    u32 nsetup;
    u64 ea;              /* of the ModRM operand */
    bool on_stack;       /* it is relative to rsp: ea is only near the truth */
};

bool judge(struct gen *g, struct attempt *a);
bool saves_pointers(const ZydisDecodedInstruction *z);
u64 data_target(struct gen *g); /* an address in the case's data */
#endif
