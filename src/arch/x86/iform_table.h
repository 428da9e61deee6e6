/* SPDX-License-Identifier: Apache-2.0
 * Kinds of register operands in the name of a form (iform.c), by class; and those that have a type after them. */
/* clang-format off: tables */
static const char *const form_kinds[REG_CLASS_BUF + 1] = {
    [REG_CLASS_GR64] = "GPRv", [REG_CLASS_GR32] = "GPRv", [REG_CLASS_GR16] = "GPRv", [REG_CLASS_GR_L8] = "GPR8",
    [REG_CLASS_GR_H8] = "GPR8", [REG_CLASS_SEG] = "SEG", [REG_CLASS_MM] = "MMX", [REG_CLASS_XMM] = "XMM",
    [REG_CLASS_YMM] = "YMM", [REG_CLASS_ZMM] = "ZMM", [REG_CLASS_K] = "MASKmskw", [REG_CLASS_TMM] = "TMMu32",
    [REG_CLASS_ST] = "X87",
};

static const bool form_has_type[REG_CLASS_BUF + 1] = {
    [REG_CLASS_MM] = true, [REG_CLASS_XMM] = true, [REG_CLASS_YMM] = true, [REG_CLASS_ZMM] = true,
};

/* Those that two opcodes can express for two registers. */
static const u16 two_way_classes[] = {XED_ICLASS_ADC, XED_ICLASS_ADD, XED_ICLASS_AND, XED_ICLASS_CMP, XED_ICLASS_MOV,
    XED_ICLASS_OR, XED_ICLASS_SBB, XED_ICLASS_SUB, XED_ICLASS_XOR};
