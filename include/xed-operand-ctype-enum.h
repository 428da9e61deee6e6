/* SPDX-License-Identifier: Apache-2.0
 * Made by scripts/gen-xed-forms from the public tables of XED v2024.05.20:
 * its names with our own numbers, which never change. */
#ifndef LINCHPIN_XED_OPERAND_CTYPE_ENUM_H
#define LINCHPIN_XED_OPERAND_CTYPE_ENUM_H

typedef enum {
    XED_OPERAND_CTYPE_INVALID = 0,
    XED_OPERAND_CTYPE_XED_BITS_T = 1,
    XED_OPERAND_CTYPE_XED_CHIP_ENUM_T = 2,
    XED_OPERAND_CTYPE_XED_ERROR_ENUM_T = 3,
    XED_OPERAND_CTYPE_XED_ICLASS_ENUM_T = 4,
    XED_OPERAND_CTYPE_XED_INT64_T = 5,
    XED_OPERAND_CTYPE_XED_REG_ENUM_T = 6,
    XED_OPERAND_CTYPE_XED_UINT16_T = 7,
    XED_OPERAND_CTYPE_XED_UINT64_T = 8,
    XED_OPERAND_CTYPE_XED_UINT8_T = 9,
    XED_OPERAND_CTYPE_LAST = 10
} xed_operand_ctype_enum_t;

#ifdef __cplusplus
extern "C" {
#endif
const char *xed_operand_ctype_enum_t2str(xed_operand_ctype_enum_t v);
xed_operand_ctype_enum_t str2xed_operand_ctype_enum_t(const char *s);
xed_operand_ctype_enum_t xed_operand_ctype_enum_t_last(void);
#ifdef __cplusplus
}
#endif

#endif
