/* SPDX-License-Identifier: Apache-2.0
 * Made by scripts/gen-xed-forms from the public tables of XED v2024.05.20:
 * its names with our own numbers, which never change. */
#ifndef LINCHPIN_XED_OPERAND_ELEMENT_TYPE_ENUM_H
#define LINCHPIN_XED_OPERAND_ELEMENT_TYPE_ENUM_H

typedef enum {
    XED_OPERAND_ELEMENT_TYPE_INVALID = 0,
    XED_OPERAND_ELEMENT_TYPE_UINT = 1,
    XED_OPERAND_ELEMENT_TYPE_INT = 2,
    XED_OPERAND_ELEMENT_TYPE_SINGLE = 3,
    XED_OPERAND_ELEMENT_TYPE_DOUBLE = 4,
    XED_OPERAND_ELEMENT_TYPE_LONGDOUBLE = 5,
    XED_OPERAND_ELEMENT_TYPE_LONGBCD = 6,
    XED_OPERAND_ELEMENT_TYPE_STRUCT = 7,
    XED_OPERAND_ELEMENT_TYPE_VARIABLE = 8,
    XED_OPERAND_ELEMENT_TYPE_FLOAT16 = 9,
    XED_OPERAND_ELEMENT_TYPE_BFLOAT16 = 10,
    XED_OPERAND_ELEMENT_TYPE_INT8 = 11,
    XED_OPERAND_ELEMENT_TYPE_UINT8 = 12,
    XED_OPERAND_ELEMENT_TYPE_LAST = 13
} xed_operand_element_type_enum_t;

#ifdef __cplusplus
extern "C" {
#endif
const char *xed_operand_element_type_enum_t2str(xed_operand_element_type_enum_t v);
xed_operand_element_type_enum_t str2xed_operand_element_type_enum_t(const char *s);
xed_operand_element_type_enum_t xed_operand_element_type_enum_t_last(void);
#ifdef __cplusplus
}
#endif

#endif
