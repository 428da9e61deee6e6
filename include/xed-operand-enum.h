/* SPDX-License-Identifier: Apache-2.0
 * Names of operands, under XED's names with our own numbers; they never change. */
#ifndef LINCHPIN_XED_OPERAND_ENUM_H
#define LINCHPIN_XED_OPERAND_ENUM_H

typedef enum {
    XED_OPERAND_INVALID = 0,
    XED_OPERAND_AGEN = 1,
    XED_OPERAND_BASE0 = 2,
    XED_OPERAND_BASE1 = 3,
    XED_OPERAND_IMM0 = 4,
    XED_OPERAND_IMM1 = 5,
    XED_OPERAND_INDEX = 6,
    XED_OPERAND_MEM0 = 7,
    XED_OPERAND_MEM1 = 8,
    XED_OPERAND_PTR = 9,
    XED_OPERAND_RELBR = 10,
    XED_OPERAND_SEG0 = 11,
    XED_OPERAND_SEG1 = 12,
    XED_OPERAND_REG0 = 13,
    XED_OPERAND_REG1 = 14,
    XED_OPERAND_REG2 = 15,
    XED_OPERAND_REG3 = 16,
    XED_OPERAND_REG4 = 17,
    XED_OPERAND_REG5 = 18,
    XED_OPERAND_REG6 = 19,
    XED_OPERAND_REG7 = 20,
    XED_OPERAND_REG8 = 21,
    XED_OPERAND_REG9 = 22,
    XED_OPERAND_LAST = 23
} xed_operand_enum_t;

#endif
