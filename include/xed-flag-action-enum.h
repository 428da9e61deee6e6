/* SPDX-License-Identifier: Apache-2.0
 * Made by scripts/gen-xed-forms from the public tables of XED v2024.05.20:
 * its names with our own numbers, which never change. */
#ifndef LINCHPIN_XED_FLAG_ACTION_ENUM_H
#define LINCHPIN_XED_FLAG_ACTION_ENUM_H

typedef enum {
    XED_FLAG_ACTION_INVALID = 0,
    XED_FLAG_ACTION_u = 1,
    XED_FLAG_ACTION_tst = 2,
    XED_FLAG_ACTION_mod = 3,
    XED_FLAG_ACTION_0 = 4,
    XED_FLAG_ACTION_pop = 5,
    XED_FLAG_ACTION_ah = 6,
    XED_FLAG_ACTION_1 = 7,
    XED_FLAG_ACTION_LAST = 8
} xed_flag_action_enum_t;

#ifdef __cplusplus
extern "C" {
#endif
const char *xed_flag_action_enum_t2str(xed_flag_action_enum_t v);
xed_flag_action_enum_t str2xed_flag_action_enum_t(const char *s);
xed_flag_action_enum_t xed_flag_action_enum_t_last(void);
#ifdef __cplusplus
}
#endif

#endif
