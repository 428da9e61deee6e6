/* SPDX-License-Identifier: Apache-2.0
 * Made by scripts/gen-xed-forms from the public tables of XED v2024.05.20:
 * its names with our own numbers, which never change. */
#ifndef LINCHPIN_XED_ERROR_ENUM_H
#define LINCHPIN_XED_ERROR_ENUM_H

typedef enum {
    XED_ERROR_NONE = 0,
    XED_ERROR_BUFFER_TOO_SHORT = 1,
    XED_ERROR_GENERAL_ERROR = 2,
    XED_ERROR_INVALID_FOR_CHIP = 3,
    XED_ERROR_BAD_REGISTER = 4,
    XED_ERROR_BAD_LOCK_PREFIX = 5,
    XED_ERROR_BAD_REP_PREFIX = 6,
    XED_ERROR_BAD_LEGACY_PREFIX = 7,
    XED_ERROR_BAD_REX_PREFIX = 8,
    XED_ERROR_BAD_EVEX_UBIT = 9,
    XED_ERROR_BAD_MAP = 10,
    XED_ERROR_INSTR_TOO_LONG = 11,
    XED_ERROR_INVALID_MODE = 12,
    XED_ERROR_BAD_MEMOP_INDEX = 13,
    XED_ERROR_BAD_EVEX_V_PRIME = 14,
    XED_ERROR_BAD_EVEX_Z_NO_MASKING = 15,
    XED_ERROR_NO_OUTPUT_POINTER = 16,
    XED_ERROR_NO_AGEN_CALL_BACK_REGISTERED = 17,
    XED_ERROR_CALLBACK_PROBLEM = 18,
    XED_ERROR_GATHER_REGS = 19,
    XED_ERROR_BAD_EVEX_LL = 20,
    XED_ERROR_BAD_REG_MATCH = 21,
    XED_ERROR_LAST = 22
} xed_error_enum_t;

#ifdef __cplusplus
extern "C" {
#endif
const char *xed_error_enum_t2str(xed_error_enum_t v);
xed_error_enum_t str2xed_error_enum_t(const char *s);
xed_error_enum_t xed_error_enum_t_last(void);
#ifdef __cplusplus
}
#endif

#endif
