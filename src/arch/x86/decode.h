/* SPDX-License-Identifier: Apache-2.0
 * A guest instruction as lowering needs it. Decoding has no state but which maker's CPU it is; any thread. */
#ifndef LP_X86_DECODE_H
#define LP_X86_DECODE_H
#include "arch/effect.h"

enum insn_class {
    INSN_PLAIN,    /* copied, with fixes for RIP-relative and segment operands */
    INSN_RUN,      /* several of these in a row, all to be copied as they are (decode_run) */
    INSN_JCC,      /* conditional branch with a near form */
    INSN_LOOP,     /* loop, loope, loopne, jrcxz: short form only */
    INSN_JMP,
    INSN_CALL,
    INSN_JMP_IND,
    INSN_CALL_IND,
    INSN_RET,
    INSN_SYSCALL,
    INSN_EMULATE,  /* far transfers, segment loads, what is recorded: done by arch_emulate */
    INSN_FSBASE,   /* rd/wr fs/gs base */
    INSN_STACK32,  /* IA-32: push, pop, leave (stack32.c) */
    INSN_FPU_SAVE, /* stores the address of the last x87 instruction, which must be the guest's: PART_FPU_SAVE */
    INSN_BAD,      /* the decoder does not know it: faults */
};

struct insn {
    gpc_t pc;
    gpc_t target;        /* of direct branches */
    u8 bytes[16];        /* as they are executed: the program's own, or an IA-32 instruction's as 64-bit code */
    u8 len;              /* in the program's code */
    u8 code_len;         /* of bytes */
    u8 cls;              /* enum insn_class */
    u8 prefixes;         /* number of legacy prefix bytes */
    u8 rex_off;          /* offset of REX, 0xff: none (VEX and EVEX: none) */
    u8 op_off;           /* offset of the (last) opcode byte */
    u8 modrm_off;        /* 0xff: none */
    u8 disp_off, disp_bytes;
    u8 vex;              /* 0 legacy, 2 or 3: VEX, 4: EVEX, 8: XOP; its first byte stands at `prefixes` */
    u8 vvvv;             /* VEX.vvvv register number */
    u8 seg;              /* 0, or the prefix byte 0x64 / 0x65 in effect */
    u8 cond;             /* JCC: condition code, which is the enum rop_condition, too (opt/rop.h) */
    u8 opcode;
    bool rip_relative;
    bool wraps32;        /* IA-32: an address that lowering computes by itself (tls32.c) */
    bool addr16;         /* it has 16 bits */
    bool addr32;
    bool high_byte;      /* a high-byte register may be named: no REX may be added */
    bool ends_trace;     /* after it the trace must end */
    bool uses_memory;    /* or might */
    bool too_long;       /* BAD: more than 15 bytes */
    struct effect effect;
};

/* Where its opcode, or the first byte of it, is; not for VEX and the like. */
static inline u8 insn_opcode_off(const struct insn *in)
{
    return in->rex_off == 0xff ? in->prefixes : (u8)(in->rex_off + 1);
}
/* That byte; 0: VEX and the like. */
static inline u8 insn_first_opcode(const struct insn *in) { return in->vex ? 0 : in->bytes[insn_opcode_off(in)]; }
/* May it name a constant address (arch_insn_address)? Asked for every instruction, so it has no branches. */
static inline bool insn_may_name(const struct insn *in)
{
    return (in->rip_relative & ((in->opcode & 0xf9) == 0x89)) | ((in->opcode & 0xf8) == 0xb8) | (in->opcode == 0xc7);
}

void decode_chance_emulated(void); /* from now on what the machine chooses (rdtsc, cpuid, ...) is INSN_EMULATE */
void decode_no_quick(void); /* every instruction by the full decoder from now on */
/* Decodes the instruction at pc from `bytes` (avail of them readable). False: more bytes are needed than are there. Of
 * its effect only the class is known. */
bool decode_insn(struct insn *in, gpc_t pc, const u8 *bytes, size_t avail);
/* The same, and all of its effect. */
bool decode_insn_effect(struct insn *in, gpc_t pc, const u8 *bytes, size_t avail);
/* Common instructions in a row that are copied as they are, at most `max`, as one; none of them names the address of a
 * section (arch_insn_address). Returns how many they are; 0: the first one has to be decoded. */
u32 decode_run(struct insn *in, gpc_t pc, const u8 *bytes, size_t avail, u32 max);
/* The same without the short cut (quick.h). */
bool decode_insn_fully(struct insn *in, gpc_t pc, const u8 *bytes, size_t avail, bool effect);
void decode_init(void);
/* Instructions, by their (last) opcode byte, that read and write no memory whatever their operands are; not all of
 * them. */
bool decode_leaves_memory(bool two_bytes, u8 opcode);
bool decode_is_amd(void); /* the CPU's maker, where instructions differ */

#endif
