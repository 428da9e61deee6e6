/* SPDX-License-Identifier: Apache-2.0
 * Made by scripts/gen-xed-forms from the public tables of XED v2024.05.20:
 * its names with our own numbers, which never change. */
#ifndef LINCHPIN_XED_REG_CLASS_ENUM_H
#define LINCHPIN_XED_REG_CLASS_ENUM_H

typedef enum {
    XED_REG_CLASS_INVALID = 0,
    XED_REG_CLASS_BNDCFG = 1,
    XED_REG_CLASS_BNDSTAT = 2,
    XED_REG_CLASS_BOUND = 3,
    XED_REG_CLASS_CR = 4,
    XED_REG_CLASS_DR = 5,
    XED_REG_CLASS_FLAGS = 6,
    XED_REG_CLASS_GPR = 7,
    XED_REG_CLASS_GPR16 = 8,
    XED_REG_CLASS_GPR32 = 9,
    XED_REG_CLASS_GPR64 = 10,
    XED_REG_CLASS_GPR8 = 11,
    XED_REG_CLASS_IP = 12,
    XED_REG_CLASS_MASK = 13,
    XED_REG_CLASS_MMX = 14,
    XED_REG_CLASS_MSR = 15,
    XED_REG_CLASS_MXCSR = 16,
    XED_REG_CLASS_PSEUDO = 17,
    XED_REG_CLASS_SR = 18,
    XED_REG_CLASS_TREG = 19,
    XED_REG_CLASS_UIF = 20,
    XED_REG_CLASS_X87 = 21,
    XED_REG_CLASS_XCR = 22,
    XED_REG_CLASS_XMM = 23,
    XED_REG_CLASS_YMM = 24,
    XED_REG_CLASS_ZMM = 25,
    XED_REG_CLASS_PSEUDOX87 = 26,
    XED_REG_CLASS_TMP = 27,
    XED_REG_CLASS_LAST = 28
} xed_reg_class_enum_t;

#ifdef __cplusplus
extern "C" {
#endif
const char *xed_reg_class_enum_t2str(xed_reg_class_enum_t v);
xed_reg_class_enum_t str2xed_reg_class_enum_t(const char *s);
xed_reg_class_enum_t xed_reg_class_enum_t_last(void);
#ifdef __cplusplus
}
#endif

#endif
