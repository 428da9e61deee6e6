/* SPDX-License-Identifier: Apache-2.0
 * The registers of the tool API (include/linchpin/reg.h) as the architecture knows them: names, sizes, what they are
 * parts of, and their numbers in the decoder and in the hardware. */
#ifndef LP_X86_REGS_H
#define LP_X86_REGS_H
#include "base/base.h"

enum reg_class {
    REG_CLASS_NONE,
    REG_CLASS_GR64, REG_CLASS_GR32, REG_CLASS_GR16, REG_CLASS_GR_L8, REG_CLASS_GR_H8,
    REG_CLASS_SEG,
    REG_CLASS_FLAGS64, REG_CLASS_FLAGS32, REG_CLASS_FLAGS16, REG_CLASS_STATUS_FLAGS, REG_CLASS_DF_FLAG,
    REG_CLASS_IP64, REG_CLASS_IP32, REG_CLASS_IP16,
    REG_CLASS_MM, REG_CLASS_XMM, REG_CLASS_YMM, REG_CLASS_ZMM, REG_CLASS_K, REG_CLASS_TMM, REG_CLASS_MXCSR,
    REG_CLASS_ST, REG_CLASS_FPST, REG_CLASS_X87,
    REG_CLASS_SYSTEM, REG_CLASS_OTHER,
    REG_CLASS_PIN_GR, REG_CLASS_PIN_FLAGS, REG_CLASS_PIN_STATUS_FLAGS, REG_CLASS_PIN_DF_FLAG, REG_CLASS_PIN_OTHER,
    REG_CLASS_SEG_BASE, REG_CLASS_INST, REG_CLASS_INST32, REG_CLASS_BUF,
};

struct reg_row {
    const char *text;
    u16 bits;
    u16 full;   /* the register that it is a part of, itself: none */
    u8 cls;     /* enum reg_class */
    u16 zydis;  /* 0: the decoder has none */
};

/* NULL: not a register's number. */
const struct reg_row *regs_row(u32 reg);
u16 regs_class(u32 reg);
u16 regs_from_zydis(u32 zydis);
u32 regs_to_zydis(u32 reg);
/* Number of the general register (enum gpr) that reg is or is a part of, -1: it is none; where its part begins and how
 * long it is, in bytes. */
int regs_gpr_number(u16 reg, unsigned *offset, unsigned *bytes);
/* arch_tool_register: REG_INST_G0 is 0. */
bool regs_is_k0(u16 reg); /* as a mask: all elements */
bool regs_is_pc(u16 reg);
bool regs_is_flags(u16 reg);
u32 regs_tile_number(u32 reg);

#endif
