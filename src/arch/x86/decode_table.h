/* SPDX-License-Identifier: Apache-2.0
 * Classes of instructions by their opcodes (decode.c); those that are not here are plain. */
/* clang-format off: tables */
static const u8 one_byte_class[256] = {
    [0x70 ... 0x7f] = INSN_JCC, [0xe0 ... 0xe3] = INSN_LOOP, [0xe9] = INSN_JMP, [0xeb] = INSN_JMP, [0xe8] = INSN_CALL,
    [0xc2 ... 0xc3] = INSN_RET, [0xca ... 0xcb] = INSN_EMULATE, [0xcf] = INSN_EMULATE,
};

/* Opcode FF, by the reg field. */
static const u8 ff_class[8] = {
    [2] = INSN_CALL_IND, [3] = INSN_EMULATE, [4] = INSN_JMP_IND, [5] = INSN_EMULATE,
};

/* After 0F. */
static const u8 two_bytes_class[256] = {
    [0x80 ... 0x8f] = INSN_JCC, [0x05] = INSN_SYSCALL, [0xa1] = INSN_EMULATE, [0xa9] = INSN_EMULATE,
    [0xb4 ... 0xb5] = INSN_EMULATE,
};

/* Nothing follows them. */
static const bool one_byte_ends[256] = { [0xcc ... 0xcd] = true, [0xf1] = true, [0xf4] = true };
static const bool two_bytes_end[256] = {
    [0x07] = true, [0x0b] = true, [0x34 ... 0x35] = true, [0xb9] = true, [0xff] = true,
};

/* They store the address of the last x87 instruction. */
static const u16 fpu_saves[] = {
    ZYDIS_MNEMONIC_FNSTENV, ZYDIS_MNEMONIC_FNSAVE, ZYDIS_MNEMONIC_FXSAVE, ZYDIS_MNEMONIC_FXSAVE64,
    ZYDIS_MNEMONIC_XSAVE, ZYDIS_MNEMONIC_XSAVE64, ZYDIS_MNEMONIC_XSAVEOPT, ZYDIS_MNEMONIC_XSAVEOPT64,
    ZYDIS_MNEMONIC_XSAVEC, ZYDIS_MNEMONIC_XSAVEC64,
};

static const bool legacy_prefix[256] = {
    [0x26] = true, [0x2e] = true, [0x36] = true, [0x3e] = true, [0x64 ... 0x67] = true, [0xf0] = true,
    [0xf2 ... 0xf3] = true,
};

/* They have no operand in memory, whatever follows: operations on the accumulator with a constant, moves of constants,
 * lea, extensions of the accumulator, jumps. */
static const bool one_byte_leaves[256] = {
    [0x04 ... 0x05] = true, [0x0c ... 0x0d] = true, [0x14 ... 0x15] = true, [0x1c ... 0x1d] = true,
    [0x24 ... 0x25] = true, [0x2c ... 0x2d] = true, [0x34 ... 0x35] = true, [0x3c ... 0x3d] = true,
    [0x70 ... 0x7f] = true, [0x8d] = true, [0x90] = true, [0x98 ... 0x99] = true, [0xa8 ... 0xa9] = true,
    [0xb0 ... 0xbf] = true, [0xe9] = true, [0xeb] = true,
};
static const bool two_bytes_leave[256] = { /* jcc, bswap, nop */
    [0x1f] = true, [0x80 ... 0x8f] = true, [0xc8 ... 0xcf] = true,
};

/* insn.vex by the encoding; that of two bytes is 2. */
static const u8 vex_kind[ZYDIS_INSTRUCTION_ENCODING_MAX_VALUE + 1] = {
    [ZYDIS_INSTRUCTION_ENCODING_VEX] = 3, [ZYDIS_INSTRUCTION_ENCODING_EVEX] = 4, [ZYDIS_INSTRUCTION_ENCODING_MVEX] = 4,
    [ZYDIS_INSTRUCTION_ENCODING_XOP] = 8,
};

/* The enum effect_class of each enum insn_class, but for those that depend on prefixes. */
static const u8 class_effect[] = {
    [INSN_PLAIN] = EFFECT_PLAIN, [INSN_RUN] = EFFECT_PLAIN, [INSN_JCC] = EFFECT_BRANCH, [INSN_LOOP] = EFFECT_BRANCH,
    [INSN_JMP] = EFFECT_JUMP, [INSN_CALL] = EFFECT_CALL, [INSN_JMP_IND] = EFFECT_JUMP_INDIRECT,
    [INSN_CALL_IND] = EFFECT_CALL_INDIRECT, [INSN_RET] = EFFECT_RETURN, [INSN_SYSCALL] = EFFECT_SYSCALL,
    [INSN_FSBASE] = EFFECT_PLAIN, [INSN_EMULATE] = EFFECT_VM, [INSN_FPU_SAVE] = EFFECT_VM,
    [INSN_STACK32] = EFFECT_PLAIN, [INSN_BAD] = EFFECT_BAD,
};
