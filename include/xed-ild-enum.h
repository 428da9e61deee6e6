/* SPDX-License-Identifier: Apache-2.0
 * Made by scripts/gen-xed-forms from the public tables of XED v2024.05.20:
 * its names with our own numbers, which never change. */
#ifndef LINCHPIN_XED_ILD_ENUM_H
#define LINCHPIN_XED_ILD_ENUM_H

typedef enum {
    XED_ILD_AMD_3DNOW = 0,
    XED_ILD_AMD_XOP8 = 1,
    XED_ILD_AMD_XOP9 = 2,
    XED_ILD_AMD_XOPA = 3,
    XED_ILD_EVEX_MAP1 = 4,
    XED_ILD_EVEX_MAP2 = 5,
    XED_ILD_EVEX_MAP3 = 6,
    XED_ILD_EVEX_MAP4 = 7,
    XED_ILD_EVEX_MAP5 = 8,
    XED_ILD_EVEX_MAP6 = 9,
    XED_ILD_EVEX_MAP7 = 10,
    XED_ILD_LEGACY_MAP0 = 11,
    XED_ILD_LEGACY_MAP1 = 12,
    XED_ILD_LEGACY_MAP2 = 13,
    XED_ILD_LEGACY_MAP3 = 14,
    XED_ILD_VEX_MAP1 = 15,
    XED_ILD_VEX_MAP2 = 16,
    XED_ILD_VEX_MAP3 = 17,
    XED_ILD_VEX_MAP7 = 18,
    XED_ILD_MAP_INVALID = 19,
    XED_ILD_LAST = 20
} xed_ild_map_enum_t;

#ifdef __cplusplus
extern "C" {
#endif
const char *xed_ild_map_enum_t2str(xed_ild_map_enum_t v);
xed_ild_map_enum_t str2xed_ild_map_enum_t(const char *s);
xed_ild_map_enum_t xed_ild_map_enum_t_last(void);
#ifdef __cplusplus
}
#endif

#endif
