/* SPDX-License-Identifier: Apache-2.0
 * A guest instruction as lowering needs it. */
#ifndef LP_RISCV64_DECODE_H
#define LP_RISCV64_DECODE_H
#include "arch/effect.h"

enum insn_class {
    INSN_PLAIN, /* copied, unless it names tp */
    INSN_AUIPC,
    INSN_BRANCH,
    INSN_JAL,
    INSN_JALR,
    INSN_ECALL,
    INSN_BAD, /* the decoder does not know it: faults */
};

struct insn {
    gpc_t pc;
    gpc_t target;    /* of direct branches; what auipc computes */
    u8 bytes[8];     /* as in memory */
    u32 word;        /* of 4 bytes: a compressed instruction in its long form */
    u8 len;          /* 2 or 4 */
    u8 cls;          /* enum insn_class */
    u8 cond;         /* BRANCH: funct3 */
    u8 rd, rs1, rs2; /* general registers that it names, 0: none there */
    s32 imm;         /* JALR */
    bool ends_trace; /* after it the trace must end */
    bool writes_memory;
    bool uses_memory; /* reads or writes it */
    struct effect effect;
};

/* Decodes the instruction at pc from `bytes` (avail of them readable). False: more bytes are needed than are there. */
bool decode_insn(struct insn *in, gpc_t pc, const u8 *bytes, size_t avail);
/* The same: all of the effect is always known here. */
bool decode_insn_effect(struct insn *in, gpc_t pc, const u8 *bytes, size_t avail);
/* Instructions in a row that are only copied, as one: none here, where each is decoded for itself. */
u32 decode_run(struct insn *in, gpc_t pc, const u8 *bytes, size_t avail, u32 max);
/* May it name the address of a section (arch_insn_address)? */
static inline bool insn_may_name(const struct insn *in)
{
    (void)in;
    return false;
}
void decode_init(void);
/* The long form of a compressed instruction; 0: there is none. */
u32 decode_expand(u16 half);

#endif
