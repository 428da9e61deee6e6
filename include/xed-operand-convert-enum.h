/* SPDX-License-Identifier: Apache-2.0
 * Made by scripts/gen-xed-forms from the public tables of XED v2024.05.20:
 * its names with our own numbers, which never change. */
#ifndef LINCHPIN_XED_OPERAND_CONVERT_ENUM_H
#define LINCHPIN_XED_OPERAND_CONVERT_ENUM_H

typedef enum {
    XED_OPERAND_CONVERT_INVALID = 0,
    XED_OPERAND_CONVERT_ZEROSTR = 1,
    XED_OPERAND_CONVERT_SAESTR = 2,
    XED_OPERAND_CONVERT_ROUNDC = 3,
    XED_OPERAND_CONVERT_BCASTSTR = 4,
    XED_OPERAND_CONVERT_MULTIREG_START = 5,
    XED_OPERAND_CONVERT_MULTIREG2 = 6,
    XED_OPERAND_CONVERT_MULTIREG3 = 7,
    XED_OPERAND_CONVERT_MULTIREG4 = 8,
    XED_OPERAND_CONVERT_MULTIREG5 = 9,
    XED_OPERAND_CONVERT_MULTIREG6 = 10,
    XED_OPERAND_CONVERT_MULTIREG7 = 11,
    XED_OPERAND_CONVERT_MULTIREG8 = 12,
    XED_OPERAND_CONVERT_MULTIREG9 = 13,
    XED_OPERAND_CONVERT_MULTIREG10 = 14,
    XED_OPERAND_CONVERT_MULTIREG11 = 15,
    XED_OPERAND_CONVERT_MULTIREG12 = 16,
    XED_OPERAND_CONVERT_MULTIREG13 = 17,
    XED_OPERAND_CONVERT_MULTIREG14 = 18,
    XED_OPERAND_CONVERT_MULTIREG15 = 19,
    XED_OPERAND_CONVERT_MULTIREG16 = 20,
    XED_OPERAND_CONVERT_LAST = 21
} xed_operand_convert_enum_t;

#ifdef __cplusplus
extern "C" {
#endif
const char *xed_operand_convert_enum_t2str(xed_operand_convert_enum_t v);
xed_operand_convert_enum_t str2xed_operand_convert_enum_t(const char *s);
xed_operand_convert_enum_t xed_operand_convert_enum_t_last(void);
#ifdef __cplusplus
}
#endif

#endif
