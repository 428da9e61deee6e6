/* SPDX-License-Identifier: Apache-2.0
 * What each instruction becomes in the routine form (lift.c): one row for each mnemonic that is understood. */
/* clang-format off: a table */
/* How the operands of an instruction become those of an operation. */
enum form {
    NOT_KNOWN,
    NOTHING,
    TO_FROM, /* the first and the second */
    TO,      /* the first */
    TO_ONE,  /* the first; from is the constant 1, and the carry stays */
    PUSHES,
    POPS,
    EXTENDS, /* the second is narrower */
    SHIFTS,  /* the second is a constant or cl */
    MULTIPLIES,
    EXTENDS_A,
    FILLS_D,
    LEAVES,
    TRANSFERS, /* the first is a target, direct or not */
    RETURNS,
};

struct meaning {
    u8 form, kind;
};

static const struct meaning meaning[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
    [ZYDIS_MNEMONIC_NOP] = {NOTHING, ROP_NONE},
    [ZYDIS_MNEMONIC_ENDBR64] = {NOTHING, ROP_NONE},
    [ZYDIS_MNEMONIC_MOV] = {TO_FROM, ROP_MOVE},
    [ZYDIS_MNEMONIC_LEA] = {TO_FROM, ROP_ADDRESS},
    [ZYDIS_MNEMONIC_ADD] = {TO_FROM, ROP_ADD},
    [ZYDIS_MNEMONIC_OR] = {TO_FROM, ROP_OR},
    [ZYDIS_MNEMONIC_ADC] = {TO_FROM, ROP_ADC},
    [ZYDIS_MNEMONIC_SBB] = {TO_FROM, ROP_SBB},
    [ZYDIS_MNEMONIC_AND] = {TO_FROM, ROP_AND},
    [ZYDIS_MNEMONIC_SUB] = {TO_FROM, ROP_SUB},
    [ZYDIS_MNEMONIC_XOR] = {TO_FROM, ROP_XOR},
    [ZYDIS_MNEMONIC_CMP] = {TO_FROM, ROP_COMPARE},
    [ZYDIS_MNEMONIC_TEST] = {TO_FROM, ROP_TEST},
    [ZYDIS_MNEMONIC_BT] = {TO_FROM, ROP_BIT_TEST},
    [ZYDIS_MNEMONIC_INC] = {TO_ONE, ROP_ADD},
    [ZYDIS_MNEMONIC_DEC] = {TO_ONE, ROP_SUB},
    [ZYDIS_MNEMONIC_SHL] = {SHIFTS, ROP_SHL},
    [ZYDIS_MNEMONIC_SHR] = {SHIFTS, ROP_SHR},
    [ZYDIS_MNEMONIC_SAR] = {SHIFTS, ROP_SAR},
    [ZYDIS_MNEMONIC_NOT] = {TO, ROP_NOT},
    [ZYDIS_MNEMONIC_NEG] = {TO, ROP_NEGATE},
    [ZYDIS_MNEMONIC_BSWAP] = {TO, ROP_SWAP_BYTES},
    [ZYDIS_MNEMONIC_IMUL] = {MULTIPLIES, ROP_MULTIPLY},
    [ZYDIS_MNEMONIC_MOVZX] = {EXTENDS, ROP_ZERO_EXTEND},
    [ZYDIS_MNEMONIC_MOVSX] = {EXTENDS, ROP_SIGN_EXTEND},
    [ZYDIS_MNEMONIC_MOVSXD] = {EXTENDS, ROP_SIGN_EXTEND},
    [ZYDIS_MNEMONIC_CWDE] = {EXTENDS_A, ROP_SIGN_EXTEND},
    [ZYDIS_MNEMONIC_CDQE] = {EXTENDS_A, ROP_SIGN_EXTEND},
    [ZYDIS_MNEMONIC_CDQ] = {FILLS_D, ROP_SIGN_FILL},
    [ZYDIS_MNEMONIC_CQO] = {FILLS_D, ROP_SIGN_FILL},
    [ZYDIS_MNEMONIC_PUSH] = {PUSHES, ROP_PUSH},
    [ZYDIS_MNEMONIC_POP] = {POPS, ROP_POP},
    [ZYDIS_MNEMONIC_LEAVE] = {LEAVES, ROP_LEAVE},
    [ZYDIS_MNEMONIC_JMP] = {TRANSFERS, ROP_JUMP},
    [ZYDIS_MNEMONIC_CALL] = {TRANSFERS, ROP_CALL},
    [ZYDIS_MNEMONIC_RET] = {RETURNS, ROP_RETURN},
#define IF(cc) \
    [ZYDIS_MNEMONIC_J##cc] = {TRANSFERS, ROP_BRANCH}, [ZYDIS_MNEMONIC_SET##cc] = {TO, ROP_SET}, \
    [ZYDIS_MNEMONIC_CMOV##cc] = {TO_FROM, ROP_MOVE_IF}
    IF(O),
    IF(NO),
    IF(B),
    IF(NB),
    IF(Z),
    IF(NZ),
    IF(BE),
    IF(NBE),
    IF(S),
    IF(NS),
    IF(P),
    IF(NP),
    IF(L),
    IF(NL),
    IF(LE),
    IF(NLE),
#undef IF
};
