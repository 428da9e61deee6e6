/* SPDX-License-Identifier: Apache-2.0
 * xed_*: names of enumerators, both ways. No state. */
#include "api/forms.h"
#include "api/xed_internal.h"
#include "xed_names.h"

#include <string.h>

static const char *name_or_invalid(const char *name) { return name ? name : "INVALID"; }

static u32 number_of(const char *name, const char *(*name_of)(u32), u32 last)
{
    for (u32 i = 0; i < last; i++)
        if (name_of(i) && !strcmp(name_of(i), name))
            return i;
    return 0;
}

#define NAMES(what, PREFIX) \
    const char *xed_##what##_enum_t2str(xed_##what##_enum_t v) { return name_or_invalid(xed_##what##_name((u32)v)); } \
    xed_##what##_enum_t str2xed_##what##_enum_t(const char *s) \
    { \
        return (xed_##what##_enum_t)number_of(s, xed_##what##_name, PREFIX##_LAST); \
    } \
    xed_##what##_enum_t xed_##what##_enum_t_last(void) { return PREFIX##_LAST; }

NAMES(iclass, XED_ICLASS)
NAMES(category, XED_CATEGORY)
NAMES(extension, XED_EXTENSION)
NAMES(reg, XED_REG)

const char *xed_iform_enum_t2str(xed_iform_enum_t f) { return name_or_invalid(forms_name((u32)f)); }

const char *xed_error_enum_t2str(xed_error_enum_t e)
{
    static const char *const names[] = {
        "NONE",           "BUFFER_TOO_SHORT",  "GENERAL_ERROR",  "INVALID_FOR_CHIP", "BAD_REGISTER", "BAD_LOCK_PREFIX",
        "BAD_REP_PREFIX", "BAD_LEGACY_PREFIX", "BAD_REX_PREFIX", "BAD_EVEX_UBIT",    "BAD_MAP",      "INSTR_TOO_LONG",
        "INVALID_MODE",   "BAD_MEMOP_INDEX",
    };
    return (u32)e < ARRAY_LEN(names) ? names[e] : "INVALID";
}

const char *xed_operand_enum_t2str(xed_operand_enum_t o)
{
    static const char *const names[] = {
        "INVALID", "AGEN", "BASE0", "BASE1", "IMM0", "IMM1", "INDEX", "MEM0", "MEM1", "PTR",  "RELBR", "SEG0",
        "SEG1",    "REG0", "REG1",  "REG2",  "REG3", "REG4", "REG5",  "REG6", "REG7", "REG8", "REG9",
    };
    return (u32)o < ARRAY_LEN(names) ? names[o] : "INVALID";
}

const char *xed_reg_class_enum_t2str(xed_reg_class_enum_t c)
{
    static const char *const names[] = {
        "INVALID", "BNDCFG", "BNDSTAT", "BOUND", "CR",   "DR",  "FLAGS", "GPR",   "GPR16",
        "GPR32",   "GPR64",  "GPR8",    "IP",    "MASK", "MMX", "MSR",   "MXCSR", "PSEUDO",
        "SR",      "TREG",   "UIF",     "X87",   "XCR",  "XMM", "YMM",   "ZMM",
    };
    return (u32)c < ARRAY_LEN(names) ? names[c] : "INVALID";
}

const char *xed_attribute_enum_t2str(xed_attribute_enum_t a)
{
    static const char *const names[] = {
        "INVALID",     "FAR_XFER",    "GATHER",    "INDIRECT_BRANCH", "LOCKABLE",   "LOCKED",
        "MASKOP",      "MASKOP_EVEX", "NOP",       "PREFETCH",        "REP",        "SCATTER",
        "SIMD_SCALAR", "STACKPOP0",   "STACKPOP1", "STACKPUSH0",      "STACKPUSH1", "FIXED_BASE0",
        "FIXED_BASE1",
    };
    return (u32)a < ARRAY_LEN(names) ? names[a] : "INVALID";
}

const char *xed_operand_element_type_enum_t2str(xed_operand_element_type_enum_t t)
{
    static const char *const names[] = {
        "INVALID", "UINT",   "INT",      "SINGLE",  "DOUBLE",   "LONGDOUBLE",
        "LONGBCD", "STRUCT", "VARIABLE", "FLOAT16", "BFLOAT16",
    };
    return (u32)t < ARRAY_LEN(names) ? names[t] : "INVALID";
}
