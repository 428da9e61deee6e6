/* SPDX-License-Identifier: Apache-2.0
 * Fields of the x87 environment in the extended state (context.c). */
/* clang-format off: a table */
static const struct { u16 reg; u8 at, bytes; } x87_fields[] = {
    {REG_FPCW, 0, 2},     {REG_FPSW, 2, 2},      {REG_FPTAG, 4, 1},     {REG_FPOPCODE, 6, 2},
    {REG_FPIP_OFF, 8, 4}, {REG_FPIP_SEL, 12, 2}, {REG_FPDP_OFF, 16, 4}, {REG_FPDP_SEL, 20, 2},
};
