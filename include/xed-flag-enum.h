/* SPDX-License-Identifier: Apache-2.0
 * Made by scripts/gen-xed-forms from the public tables of XED v2024.05.20:
 * its names with our own numbers, which never change. */
#ifndef LINCHPIN_XED_FLAG_ENUM_H
#define LINCHPIN_XED_FLAG_ENUM_H

typedef enum {
    XED_FLAG_INVALID = 0,
    XED_FLAG_of = 1,
    XED_FLAG_sf = 2,
    XED_FLAG_zf = 3,
    XED_FLAG_af = 4,
    XED_FLAG_pf = 5,
    XED_FLAG_cf = 6,
    XED_FLAG_df = 7,
    XED_FLAG_vif = 8,
    XED_FLAG_iopl = 9,
    XED_FLAG_if = 10,
    XED_FLAG_ac = 11,
    XED_FLAG_vm = 12,
    XED_FLAG_rf = 13,
    XED_FLAG_nt = 14,
    XED_FLAG_tf = 15,
    XED_FLAG_id = 16,
    XED_FLAG_vip = 17,
    XED_FLAG_fc0 = 18,
    XED_FLAG_fc1 = 19,
    XED_FLAG_fc2 = 20,
    XED_FLAG_fc3 = 21,
    XED_FLAG_LAST = 22
} xed_flag_enum_t;

#ifdef __cplusplus
extern "C" {
#endif
const char *xed_flag_enum_t2str(xed_flag_enum_t v);
xed_flag_enum_t str2xed_flag_enum_t(const char *s);
xed_flag_enum_t xed_flag_enum_t_last(void);
#ifdef __cplusplus
}
#endif

#endif
