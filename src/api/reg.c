/* SPDX-License-Identifier: Apache-2.0
 * REG_*: what can be said of a register by its number. From the table of the architecture (regs.c); no state, no
 * lock. */
#include "regs.h"
#include "arch/arch.h"
#include "linchpin/api_text.h"

#include <cpuid.h>

static bool between(REG reg, REG first, REG last) { return reg >= first && reg <= last; }
static bool is(REG reg, enum reg_class cls) { return regs_class((u32)reg) == cls; }
static bool is_any(REG reg, enum reg_class first, enum reg_class last)
{
    return regs_class((u32)reg) >= first && regs_class((u32)reg) <= last;
}

REG REG_INVALID(void) { return REG_INVALID_; }
BOOL REG_valid(REG reg) { return regs_row((u32)reg) != NULL; }
BOOL REG_is_reg(REG reg) { return REG_valid(reg); }
/* The engine needs none of Pin's pseudo registers. */
BOOL REG_is_pseudo(REG reg) { return is(reg, REG_CLASS_PIN_OTHER); }
BOOL REG_is_br(REG reg) { return is_any(reg, REG_CLASS_IP64, REG_CLASS_IP16); }

const CHAR *REG_StringShort(REG reg)
{
    const struct reg_row *row = regs_row((u32)reg);
    return row ? row->text : "*invalid*";
}

UINT32 REG_Size(REG reg)
{
    const struct reg_row *row = regs_row((u32)reg);
    return row ? (row->bits + 7u) / 8 : 0;
}

REGWIDTH REG_Width(REG reg)
{
    static const struct { u16 bits; REGWIDTH width; } widths[] = {
        {8, REGWIDTH_8},     {16, REGWIDTH_16},   {32, REGWIDTH_32},   {64, REGWIDTH_64},        {80, REGWIDTH_80},
        {128, REGWIDTH_128}, {256, REGWIDTH_256}, {512, REGWIDTH_512}, {4096, REGWIDTH_FPSTATE}, {8192, REGWIDTH_TMM},
    };
    const struct reg_row *row = regs_row((u32)reg);
    for (size_t i = 0; row && i < ARRAY_LEN(widths); i++)
        if (widths[i].bits == row->bits)
            return widths[i].width;
    return REGWIDTH_INVALID;
}

/* The whole register of which it is a part. For a vector register that is the widest that this CPU has. */
REG REG_FullRegName(REG reg)
{
    const struct reg_row *row = regs_row((u32)reg);
    if (!row)
        return reg;
    if (!is_any(reg, REG_CLASS_XMM, REG_CLASS_ZMM))
        return row->full;
    u32 i = row->full - REG_ZMM_BASE;
    return REG_LastSupportedZmm() != REG_INVALID_   ? REG_ZMM_BASE + i
           : REG_LastSupportedYmm() != REG_INVALID_ ? REG_YMM_BASE + i
                                                    : REG_XMM_BASE + i;
}

REG REG_IdentityCopy(REG reg) { return reg; }

/* --- general registers -------------------------------------------------------------------------------------- */

BOOL REG_is_gr(REG reg) { return is(reg, REG_CLASS_GR64); }
BOOL REG_is_gr64(REG reg) { return is(reg, REG_CLASS_GR64) && !arch_narrow_tool; }
BOOL REG_is_gr32(REG reg) { return is(reg, arch_narrow_tool ? REG_CLASS_GR64 : REG_CLASS_GR32); }
BOOL REG_is_gr16(REG reg) { return is(reg, REG_CLASS_GR16); }
BOOL REG_is_gr8(REG reg) { return is_any(reg, REG_CLASS_GR_L8, REG_CLASS_GR_H8); }
BOOL REG_is_gr_type(REG reg) { return is_any(reg, REG_CLASS_GR64, REG_CLASS_GR_H8); }
BOOL REG_is_Half32(REG reg) { return is(reg, REG_CLASS_GR32) || is(reg, REG_CLASS_FLAGS32) || is(reg, REG_CLASS_IP32); }
BOOL REG_is_Half16(REG reg) { return is(reg, REG_CLASS_GR16) || is(reg, REG_CLASS_FLAGS16) || is(reg, REG_CLASS_IP16); }
BOOL REG_is_Lower8(REG reg) { return is(reg, REG_CLASS_GR_L8); }
BOOL REG_is_Upper8(REG reg) { return is(reg, REG_CLASS_GR_H8); }
BOOL REG_is_Any8(REG reg) { return REG_is_gr8(reg); }
BOOL REG_is_partialreg(REG reg) { return REG_is_gr8(reg) || REG_is_Half16(reg) || REG_is_Half32(reg); }
BOOL REG_is_stackptr_type(REG reg) { return regs_row((u32)reg) && regs_row((u32)reg)->full == REG_STACK_PTR; }
BOOL REG_is_seg(REG reg) { return is(reg, REG_CLASS_SEG); }
BOOL REG_is_gs_or_fs(REG reg) { return reg == REG_SEG_GS || reg == REG_SEG_FS; }
BOOL REG_is_seg_base(REG reg) { return is(reg, REG_CLASS_SEG_BASE); }

/* --- flags -------------------------------------------------------------------------------------------------- */

REG REG_AppFlags(void) { return REG_GFLAGS; }
BOOL REG_is_flags(REG reg) { return reg == REG_GFLAGS; }
BOOL REG_is_flags_type(REG reg) { return reg == REG_GFLAGS || reg == REG_PIN_FLAGS; }
BOOL REG_is_flags_any_size_type(REG reg)
{
    return is_any(reg, REG_CLASS_FLAGS64, REG_CLASS_FLAGS16) || reg == REG_PIN_FLAGS;
}
BOOL REG_is_status_flags(REG reg) { return reg == REG_STATUS_FLAGS; }
BOOL REG_is_df_flag(REG reg) { return reg == REG_DF_FLAG; }
BOOL REG_is_app_status_flags_type(REG reg) { return reg == REG_STATUS_FLAGS; }
BOOL REG_is_app_df_flag_type(REG reg) { return reg == REG_DF_FLAG; }
BOOL REG_is_status_flags_type(REG reg) { return reg == REG_STATUS_FLAGS || reg == REG_PIN_STATUS_FLAGS; }
BOOL REG_is_df_flag_type(REG reg) { return reg == REG_DF_FLAG || reg == REG_PIN_DF_FLAG; }
BOOL REG_is_any_app_flags(REG reg) { return is_any(reg, REG_CLASS_FLAGS64, REG_CLASS_DF_FLAG); }
BOOL REG_is_pin_flags(REG reg) { return reg == REG_PIN_FLAGS; }
BOOL REG_is_pin_status_flags(REG reg) { return reg == REG_PIN_STATUS_FLAGS; }
BOOL REG_is_pin_df_flag(REG reg) { return reg == REG_PIN_DF_FLAG; }
BOOL REG_is_any_pin_flags(REG reg) { return is_any(reg, REG_CLASS_PIN_FLAGS, REG_CLASS_PIN_DF_FLAG); }
BOOL REG_is_any_flags_type(REG reg) { return REG_is_any_app_flags(reg) || REG_is_any_pin_flags(reg); }
REG REG_get_full_flags_reg_of_type(REG reg) { return REG_is_any_pin_flags(reg) ? REG_PIN_FLAGS : REG_GFLAGS; }
REG REG_get_status_flags_reg_of_type(REG reg)
{
    return REG_is_any_pin_flags(reg) ? REG_PIN_STATUS_FLAGS : REG_STATUS_FLAGS;
}
REG REG_get_df_flag_reg_of_type(REG reg) { return REG_is_any_pin_flags(reg) ? REG_PIN_DF_FLAG : REG_DF_FLAG; }

/* --- floating point and vectors ----------------------------------------------------------------------------- */

BOOL REG_is_mm(REG reg) { return is(reg, REG_CLASS_MM); }
BOOL REG_is_xmm(REG reg) { return is(reg, REG_CLASS_XMM); }
BOOL REG_is_ymm(REG reg) { return is(reg, REG_CLASS_YMM); }
BOOL REG_is_zmm(REG reg) { return is(reg, REG_CLASS_ZMM); }
BOOL REG_is_tmm(REG reg) { return is(reg, REG_CLASS_TMM); }
BOOL REG_is_xmm_ymm_zmm(REG reg) { return is_any(reg, REG_CLASS_XMM, REG_CLASS_ZMM); }
BOOL REG_is_any_vector_reg(REG reg) { return REG_is_xmm_ymm_zmm(reg); }
BOOL REG_is_avx512_hi16_xmm(REG reg) { return between(reg, REG_XMM_AVX512_HI16_FIRST, REG_XMM_AVX512_HI16_LAST); }
BOOL REG_is_avx512_hi16_ymm(REG reg) { return between(reg, REG_YMM_AVX512_HI16_FIRST, REG_YMM_AVX512_HI16_LAST); }
BOOL REG_is_k_mask(REG reg) { return is(reg, REG_CLASS_K); }
BOOL REG_is_any_mask(REG reg) { return is(reg, REG_CLASS_K); }
BOOL REG_is_mxcsr(REG reg) { return reg == REG_MXCSR; }
BOOL REG_is_any_mxcsr(REG reg) { return is(reg, REG_CLASS_MXCSR); }
BOOL REG_is_st(REG reg) { return is(reg, REG_CLASS_ST); }
BOOL REG_is_any_x87(REG reg) { return is_any(reg, REG_CLASS_ST, REG_CLASS_X87); }
BOOL REG_is_fr(REG reg) { return is_any(reg, REG_CLASS_MM, REG_CLASS_X87); }
BOOL REG_is_fr_or_x87(REG reg) { return REG_is_fr(reg); }
/* Is it wider than what PIN_GetContextReg returns? */
BOOL REG_is_fr_for_get_context(REG reg) { return REG_is_fr(reg) && REG_Size(reg) > 8; }

/* XCR0, asked for once: cpuid is slow in a virtual machine. */
static bool cpu_has_xstate(u32 mask)
{
    static u32 xcr0;
    u32 a, b, c = 0, d;
    if (!xcr0) {
        __get_cpuid(1, &a, &b, &c, &d);
        xcr0 = 3;
        if (c & bit_OSXSAVE)
            __asm__ volatile("xgetbv" : "=a"(xcr0), "=d"(d) : "c"(0));
    }
    return (xcr0 & mask) == mask;
}

REG REG_LastSupportedXmm(void) { return cpu_has_xstate(0xe6) ? REG_XMM_AVX512_LAST : REG_XMM_SSE_LAST; }
REG REG_LastSupportedYmm(void)
{
    return cpu_has_xstate(0xe6) ? REG_YMM_AVX512_LAST : cpu_has_xstate(6) ? REG_YMM_AVX_LAST : REG_INVALID_;
}
REG REG_LastSupportedZmm(void) { return cpu_has_xstate(0xe6) ? REG_ZMM_AVX512_LAST : REG_INVALID_; }

static REG vector_of_kind(REG reg, REG base)
{
    return REG_is_xmm_ymm_zmm(reg) ? base + (regs_row((u32)reg)->full - REG_ZMM_BASE) : REG_INVALID_;
}
REG REG_corresponding_ymm_reg(REG reg) { return vector_of_kind(reg, REG_YMM_BASE); }
REG REG_corresponding_zmm_reg(REG reg) { return vector_of_kind(reg, REG_ZMM_BASE); }

/* --- x87 tags ----------------------------------------------------------------------------------------------------- */
/* FXSAVE has one bit for each physical register, the full word two for each: 0 valid, 1 zero, 2 special, 3 empty. */

static unsigned tag_of(const UINT8 *value)
{
    u64 mantissa;
    __builtin_memcpy(&mantissa, value, 8);
    unsigned exponent = (value[8] | (unsigned)value[9] << 8) & 0x7fff;
    if (exponent == 0x7fff)
        return 2;
    if (!exponent)
        return mantissa ? 2 : 1;
    return mantissa >> 63 ? 0 : 2;
}

UINT16 REG_ConvertX87AbridgedTagToFull(const FXSAVE *fx)
{
    unsigned top = fx->_fsw >> 11 & 7, full = 0;
    for (unsigned i = 0; i < 8; i++)
        full |= (fx->_ftw >> i & 1 ? tag_of(fx->_st + 16 * ((i - top) & 7)) : 3) << (2 * i);
    return (UINT16)full;
}

UINT8 REG_ConvertX87FullTagToAbridged(UINT16 full)
{
    unsigned abridged = 0;
    for (unsigned i = 0; i < 8; i++)
        abridged |= (unsigned)((full >> (2 * i) & 3) != 3) << i;
    return (UINT8)abridged;
}

/* --- whose it is -------------------------------------------------------------------------------------------- */

BOOL REG_is_application(REG reg)
{
    return between(reg, REG_APPLICATION_BASE, REG_APPLICATION_LAST) || (reg >= REG_X87 && reg != REG_INST_COND);
}
BOOL REG_is_machine(REG reg)
{
    return REG_is_application(reg) && !is(reg, REG_CLASS_STATUS_FLAGS) && !is(reg, REG_CLASS_DF_FLAG);
}
BOOL REG_is_pin(REG reg) { return between(reg, REG_PIN_BASE, REG_PIN_LAST) || reg == REG_INST_COND; }
BOOL REG_is_pin_gr(REG reg) { return is(reg, REG_CLASS_PIN_GR); }
BOOL REG_is_pin_gpr(REG reg) { return is(reg, REG_CLASS_PIN_GR); }
BOOL REG_is_pin64(REG reg) { return REG_is_pin(reg) && REG_Size(reg) == 8; }
BOOL REG_is_pin_gr32(REG reg) { return is(reg, REG_CLASS_INST32); }
BOOL REG_is_pin_gr_half32(REG reg) { return is(reg, REG_CLASS_INST32); }
BOOL REG_is_inst_scratch(REG reg) { return is_any(reg, REG_CLASS_INST, REG_CLASS_INST32); }
BOOL REG_is_pin_inst(REG reg) { return is_any(reg, REG_CLASS_INST, REG_CLASS_BUF) || reg == REG_INST_COND; }
BOOL REG_is_buffer(REG reg) { return is(reg, REG_CLASS_BUF); }
/* The engine keeps the tool's registers in memory: it has no temporaries, vectors or masks of its own. */
BOOL REG_is_pin_tmp(REG reg) { return (void)reg, false; }
BOOL REG_is_pin_xmm(REG reg) { return (void)reg, false; }
BOOL REG_is_pin_ymm(REG reg) { return (void)reg, false; }
BOOL REG_is_pin_zmm(REG reg) { return (void)reg, false; }
BOOL REG_is_pin_xmm_ymm_zmm(REG reg) { return (void)reg, false; }
BOOL REG_is_pin_k_mask(REG reg) { return (void)reg, false; }
BOOL REG_is_representative_reg(REG reg) { return REG_valid(reg) && REG_FullRegName(reg) == reg; }
BOOL REG_is_subclass_none(REG reg)
{
    return !REG_is_any_flags_type(reg) && !REG_is_any_x87(reg) && !REG_is_any_mxcsr(reg);
}
/* Does its value fit into an argument? */
BOOL REG_valid_for_iarg_reg_value(REG reg) { return REG_valid(reg) && REG_Size(reg) <= 8; }
