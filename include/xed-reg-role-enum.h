/* SPDX-License-Identifier: Apache-2.0
 * Made by scripts/gen-xed-forms from the public tables of XED v2024.05.20:
 * its names with our own numbers, which never change. */
#ifndef LINCHPIN_XED_REG_ROLE_ENUM_H
#define LINCHPIN_XED_REG_ROLE_ENUM_H

typedef enum {
    XED_REG_ROLE_INVALID = 0,
    XED_REG_ROLE_NORMAL = 1,
    XED_REG_ROLE_SEGREG0 = 2,
    XED_REG_ROLE_SEGREG1 = 3,
    XED_REG_ROLE_BASE0 = 4,
    XED_REG_ROLE_BASE1 = 5,
    XED_REG_ROLE_INDEX = 6,
    XED_REG_ROLE_LAST = 7
} xed_reg_role_enum_t;

#ifdef __cplusplus
extern "C" {
#endif
const char *xed_reg_role_enum_t2str(xed_reg_role_enum_t v);
xed_reg_role_enum_t str2xed_reg_role_enum_t(const char *s);
xed_reg_role_enum_t xed_reg_role_enum_t_last(void);
#ifdef __cplusplus
}
#endif

#endif
