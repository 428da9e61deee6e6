/* SPDX-License-Identifier: Apache-2.0
 * Texts of sizes, and of vector controls by Zydis' numbers (facts_format.c). */
/* clang-format off: tables */
static const char *const broadcasts[ZYDIS_BROADCAST_MODE_MAX_VALUE + 1] = {
    [ZYDIS_BROADCAST_MODE_INVALID] = "", [ZYDIS_BROADCAST_MODE_1_TO_2] = "{1to2}",
    [ZYDIS_BROADCAST_MODE_1_TO_4] = "{1to4}",
    [ZYDIS_BROADCAST_MODE_1_TO_8] = "{1to8}", [ZYDIS_BROADCAST_MODE_1_TO_16] = "{1to16}",
    [ZYDIS_BROADCAST_MODE_1_TO_32] = "{1to32}",
    [ZYDIS_BROADCAST_MODE_1_TO_64] = "{1to64}", [ZYDIS_BROADCAST_MODE_2_TO_4] = "{2to4}",
    [ZYDIS_BROADCAST_MODE_2_TO_8] = "{2to8}",
    [ZYDIS_BROADCAST_MODE_2_TO_16] = "{2to16}", [ZYDIS_BROADCAST_MODE_4_TO_8] = "{4to8}",
    [ZYDIS_BROADCAST_MODE_4_TO_16] = "{4to16}",
    [ZYDIS_BROADCAST_MODE_8_TO_16] = "{8to16}",
};

static const char *const roundings[] = {
    [ZYDIS_ROUNDING_MODE_INVALID] = "", [ZYDIS_ROUNDING_MODE_RN] = "{rne-sae}",
    [ZYDIS_ROUNDING_MODE_RD] = "{rd-sae}",
    [ZYDIS_ROUNDING_MODE_RU] = "{ru-sae}", [ZYDIS_ROUNDING_MODE_RZ] = "{rz-sae}",
};

static const struct { u32 bits; const char *text; } sizes[] = {
    {8, "byte "}, {16, "word "}, {32, "dword "}, {64, "qword "}, {128, "xmmword "}, {256, "ymmword "},
    {512, "zmmword "},
};
