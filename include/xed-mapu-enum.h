/* SPDX-License-Identifier: Apache-2.0
 * Made by scripts/gen-xed-forms from the public tables of XED v2024.05.20:
 * its names with our own numbers, which never change. */
#ifndef LINCHPIN_XED_MAPU_ENUM_H
#define LINCHPIN_XED_MAPU_ENUM_H

typedef enum {
    XED_MAPU_INVALID = 0,
    XED_MAPU_AMD_3DNOW = 1,
    XED_MAPU_AMD_XOP8 = 2,
    XED_MAPU_AMD_XOP9 = 3,
    XED_MAPU_AMD_XOPA = 4,
    XED_MAPU_EVEX_MAP1 = 5,
    XED_MAPU_EVEX_MAP2 = 6,
    XED_MAPU_EVEX_MAP3 = 7,
    XED_MAPU_EVEX_MAP4 = 8,
    XED_MAPU_EVEX_MAP5 = 9,
    XED_MAPU_EVEX_MAP6 = 10,
    XED_MAPU_EVEX_MAP7 = 11,
    XED_MAPU_LEGACY_MAP0 = 12,
    XED_MAPU_LEGACY_MAP1 = 13,
    XED_MAPU_LEGACY_MAP2 = 14,
    XED_MAPU_LEGACY_MAP3 = 15,
    XED_MAPU_VEX_MAP1 = 16,
    XED_MAPU_VEX_MAP2 = 17,
    XED_MAPU_VEX_MAP3 = 18,
    XED_MAPU_VEX_MAP7 = 19,
    XED_MAPU_LAST = 20
} xed_mapu_enum_t;

#ifdef __cplusplus
extern "C" {
#endif
const char *xed_mapu_enum_t2str(xed_mapu_enum_t v);
xed_mapu_enum_t str2xed_mapu_enum_t(const char *s);
xed_mapu_enum_t xed_mapu_enum_t_last(void);
#ifdef __cplusplus
}
#endif

#endif
