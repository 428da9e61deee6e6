/* SPDX-License-Identifier: Apache-2.0
 * Made by scripts/gen-xed-forms from the public tables of XED v2024.05.20:
 * its names with our own numbers, which never change. */
#ifndef LINCHPIN_XED_OPERAND_ELEMENT_XTYPE_ENUM_H
#define LINCHPIN_XED_OPERAND_ELEMENT_XTYPE_ENUM_H

typedef enum {
    XED_OPERAND_XTYPE_INVALID = 0,
    XED_OPERAND_XTYPE_2BF16 = 1,
    XED_OPERAND_XTYPE_2F16 = 2,
    XED_OPERAND_XTYPE_2I16 = 3,
    XED_OPERAND_XTYPE_2U16 = 4,
    XED_OPERAND_XTYPE_4I8 = 5,
    XED_OPERAND_XTYPE_4U8 = 6,
    XED_OPERAND_XTYPE_B80 = 7,
    XED_OPERAND_XTYPE_BF16 = 8,
    XED_OPERAND_XTYPE_F16 = 9,
    XED_OPERAND_XTYPE_F32 = 10,
    XED_OPERAND_XTYPE_F64 = 11,
    XED_OPERAND_XTYPE_F80 = 12,
    XED_OPERAND_XTYPE_I1 = 13,
    XED_OPERAND_XTYPE_I128 = 14,
    XED_OPERAND_XTYPE_I16 = 15,
    XED_OPERAND_XTYPE_I32 = 16,
    XED_OPERAND_XTYPE_I64 = 17,
    XED_OPERAND_XTYPE_I8 = 18,
    XED_OPERAND_XTYPE_INT = 19,
    XED_OPERAND_XTYPE_STRUCT = 20,
    XED_OPERAND_XTYPE_U128 = 21,
    XED_OPERAND_XTYPE_U16 = 22,
    XED_OPERAND_XTYPE_U256 = 23,
    XED_OPERAND_XTYPE_U32 = 24,
    XED_OPERAND_XTYPE_U64 = 25,
    XED_OPERAND_XTYPE_U8 = 26,
    XED_OPERAND_XTYPE_UINT = 27,
    XED_OPERAND_XTYPE_VAR = 28,
    XED_OPERAND_XTYPE_LAST = 29
} xed_operand_element_xtype_enum_t;

#ifdef __cplusplus
extern "C" {
#endif
const char *xed_operand_element_xtype_enum_t2str(xed_operand_element_xtype_enum_t v);
xed_operand_element_xtype_enum_t str2xed_operand_element_xtype_enum_t(const char *s);
xed_operand_element_xtype_enum_t xed_operand_element_xtype_enum_t_last(void);
#ifdef __cplusplus
}
#endif

#endif
