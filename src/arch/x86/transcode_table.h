/* SPDX-License-Identifier: Apache-2.0
 * Classes of IA-32 instructions by their opcodes (transcode.c); those that are not here are plain. */
/* clang-format off: tables */
static const u8 one_byte_class32[256] = {
    [0x06 ... 0x07] = INSN_EMULATE, [0x0e] = INSN_EMULATE, [0x16 ... 0x17] = INSN_EMULATE,
    [0x1e ... 0x1f] = INSN_EMULATE, [0x27] = INSN_EMULATE, [0x2f] = INSN_EMULATE, [0x37] = INSN_EMULATE,
    [0x3f] = INSN_EMULATE, [0x50 ... 0x5f] = INSN_STACK32, [0x60 ... 0x63] = INSN_EMULATE, [0x68] = INSN_STACK32,
    [0x6a] = INSN_STACK32, [0x70 ... 0x7f] = INSN_JCC, [0x8c] = INSN_EMULATE,
    [0x8e] = INSN_EMULATE, [0x9a] = INSN_EMULATE, [0x9c ... 0x9d] = INSN_EMULATE, [0xc2 ... 0xc3] = INSN_RET,
    [0xc4 ... 0xc5] = INSN_EMULATE, [0xc8] = INSN_EMULATE, [0xc9] = INSN_STACK32, [0xca ... 0xcb] = INSN_EMULATE,
    [0xce ... 0xcf] = INSN_EMULATE, [0xd4 ... 0xd6] = INSN_EMULATE, [0xe0 ... 0xe3] = INSN_LOOP, [0xe8] = INSN_CALL,
    [0xe9] = INSN_JMP, [0xea] = INSN_EMULATE, [0xeb] = INSN_JMP,
};

/* Opcode FF, by the reg field. */
static const u8 ff_class32[8] = {
    [2] = INSN_CALL_IND, [3] = INSN_EMULATE, [4] = INSN_JMP_IND, [5] = INSN_EMULATE, [6] = INSN_STACK32,
};

/* After 0F. */
static const u8 two_bytes_class32[256] = {
    [0x00 ... 0x01] = INSN_PLAIN, [0x05] = INSN_EMULATE, [0x07] = INSN_EMULATE, [0x34 ... 0x35] = INSN_EMULATE,
    [0x80 ... 0x8f] = INSN_JCC, [0xa0 ... 0xa1] = INSN_EMULATE, [0xa8 ... 0xa9] = INSN_EMULATE,
    [0xb2] = INSN_EMULATE, [0xb4 ... 0xb5] = INSN_EMULATE,
};

/* Nothing follows them. */
static const bool one_byte_ends32[256] = { [0xcc ... 0xcd] = true, [0xf1] = true, [0xf4] = true };
static const bool two_bytes_end32[256] = { [0x0b] = true, [0xb9] = true, [0xff] = true };

/* Without ModRM, they have an address or a count: moves of the accumulator, strings, xlat, loops. */
static const bool one_byte_addresses[256] = {
    [0x6c ... 0x6f] = true, [0xa0 ... 0xa7] = true, [0xaa ... 0xaf] = true, [0xd7] = true, [0xe0 ... 0xe3] = true,
};

/* Of VEX and EVEX: a general register, or as much memory, is an operand, and W says how wide it is. */
static const bool width_0f[256] = {
    [0x2a] = true, [0x2c ... 0x2d] = true, [0x6e] = true, [0x78 ... 0x79] = true, [0x7b] = true, [0x7e] = true,
};
static const bool width_0f38[256] = { [0x7a ... 0x7c] = true, [0xf2 ... 0xf3] = true, [0xf5 ... 0xf7] = true };
static const bool width_0f3a[256] = { [0x16] = true, [0x22] = true, [0xf0] = true };

/* After 0F 3A: the last byte names a fourth register, in its upper half. */
static const bool fourth_register[256] = {
    [0x48 ... 0x4c] = true, [0x5c ... 0x5f] = true, [0x68 ... 0x6f] = true, [0x78 ... 0x7f] = true,
};
