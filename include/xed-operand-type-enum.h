/* SPDX-License-Identifier: Apache-2.0
 * Made by scripts/gen-xed-forms from the public tables of XED v2024.05.20:
 * its names with our own numbers, which never change. */
#ifndef LINCHPIN_XED_OPERAND_TYPE_ENUM_H
#define LINCHPIN_XED_OPERAND_TYPE_ENUM_H

typedef enum {
    XED_OPERAND_TYPE_INVALID = 0,
    XED_OPERAND_TYPE_ERROR = 1,
    XED_OPERAND_TYPE_IMM = 2,
    XED_OPERAND_TYPE_IMM_CONST = 3,
    XED_OPERAND_TYPE_NT_LOOKUP_FN = 4,
    XED_OPERAND_TYPE_NT_LOOKUP_FN2 = 5,
    XED_OPERAND_TYPE_NT_LOOKUP_FN4 = 6,
    XED_OPERAND_TYPE_REG = 7,
    XED_OPERAND_TYPE_LAST = 8
} xed_operand_type_enum_t;

#ifdef __cplusplus
extern "C" {
#endif
const char *xed_operand_type_enum_t2str(xed_operand_type_enum_t v);
xed_operand_type_enum_t str2xed_operand_type_enum_t(const char *s);
xed_operand_type_enum_t xed_operand_type_enum_t_last(void);
#ifdef __cplusplus
}
#endif

#endif
