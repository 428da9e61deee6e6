/* SPDX-License-Identifier: Apache-2.0
 * The opcodes that quick.c decodes, a row for each, of one byte and after 0F: form, immediate, prefixes, operands of
 * one byte, flags that are read and killed. What can stand in these columns comes first. */
/* clang-format off: a table */
enum form {
    NOT_OURS,
    RM_R, R_RM,           /* read and write the first, read the second */
    CMP_RM_R, CMP_R_RM,   /* read both */
    MOV_RM_R, MOV_R_RM, EXTEND, LEA,
    RM_I, MOV_RM_I, SHIFT_I, SHIFT_1, SHIFT_CL, GROUP3, GROUP4, GROUP5,
    ACC_I, TEST_ACC_I, PUSH_R, POP_R, PUSH_I, MOV_R_I, LEAVE, SIGN_A, SIGN_D, NOP,
    JCC, JMP, CALL, RET,
    IMUL, SETCC, CMOV, BT, BSWAP, NOP_RM,
    SSE, SSE_COMPARE, SSE_FROM_RM, SSE_TO_RM, SSE_TO_R, SSE_MOVE_GPR,
};

enum { FS = 0x64 };
enum imm { IMM_NONE, IMM_8, IMM_16, IMM_Z, IMM_V, IMM_GROUP3 };

/* The prefixes (none, 66, F3, F2) with which it is an instruction. */
enum { PREFIX_NONE = 1, PREFIX_66 = 2, PREFIX_F3 = 4, PREFIX_F2 = 8, PLAIN_66 = 3, ALL_4 = 15 };
static const u8 prefix_kind[256] = {[0x66] = PREFIX_66, [0xf2] = PREFIX_F2, [0xf3] = PREFIX_F3};

static const bool without_modrm[] = {
    [ACC_I] = true, [TEST_ACC_I] = true, [PUSH_R] = true, [POP_R] = true, [PUSH_I] = true, [MOV_R_I] = true,
    [LEAVE] = true, [SIGN_A] = true, [SIGN_D] = true, [NOP] = true, [JCC] = true, [JMP] = true, [CALL] = true,
    [RET] = true, [BSWAP] = true, [SSE_MOVE_GPR] = false,
};

struct opcode {
    u8 form, imm, prefix;
    bool byte;  /* operands of one byte */
    u16 reads, kills; /* flags */
};

#define CF 0x001u
#define PF 0x004u
#define AF 0x010u
#define ZF 0x040u
#define SF 0x080u
#define OF 0x800u

static const u16 cond_reads[8] = {OF, CF, ZF, CF | ZF, SF, PF, SF | OF, ZF | SF | OF};

#define ALU(base, reads) \
    [base] = {RM_R, 0, PLAIN_66, true, reads, FLAG_SET_ALL}, \
    [base + 1] = {RM_R, 0, PLAIN_66, false, reads, FLAG_SET_ALL}, \
    [base + 2] = {R_RM, 0, PLAIN_66, true, reads, FLAG_SET_ALL}, \
    [base + 3] = {R_RM, 0, PLAIN_66, false, reads, FLAG_SET_ALL}, \
    [base + 4] = {ACC_I, IMM_8, PLAIN_66, true, reads, FLAG_SET_ALL}, \
    [base + 5] = {ACC_I, IMM_Z, PLAIN_66, false, reads, FLAG_SET_ALL}

static const struct opcode one_byte[256] = {
    ALU(0x00, 0), ALU(0x08, 0), ALU(0x10, CF), ALU(0x18, CF), ALU(0x20, 0), ALU(0x28, 0), ALU(0x30, 0),
    [0x38] = {CMP_RM_R, 0, PLAIN_66, true, 0, FLAG_SET_ALL}, [0x39] = {CMP_RM_R, 0, PLAIN_66, false, 0, FLAG_SET_ALL},
    [0x3a] = {CMP_R_RM, 0, PLAIN_66, true, 0, FLAG_SET_ALL}, [0x3b] = {CMP_R_RM, 0, PLAIN_66, false, 0, FLAG_SET_ALL},
    [0x3c] = {TEST_ACC_I, IMM_8, PLAIN_66, true, 0, FLAG_SET_ALL},
    [0x3d] = {TEST_ACC_I, IMM_Z, PLAIN_66, false, 0, FLAG_SET_ALL},
    [0x50 ... 0x57] = {PUSH_R, 0, PREFIX_NONE, false, 0, 0}, [0x58 ... 0x5f] = {POP_R, 0, PREFIX_NONE, false, 0, 0},
    [0x63] = {EXTEND, 0, PREFIX_NONE, false, 0, 0},
    [0x68] = {PUSH_I, IMM_Z, PREFIX_NONE, false, 0, 0}, [0x6a] = {PUSH_I, IMM_8, PREFIX_NONE, false, 0, 0},
    [0x69] = {IMUL, IMM_Z, PLAIN_66, false, 0, CF | OF | AF}, [0x6b] = {IMUL, IMM_8, PLAIN_66, false, 0, CF | OF | AF},
    [0x70 ... 0x7f] = {JCC, IMM_8, PREFIX_NONE, false, 0, 0},
    [0x80] = {RM_I, IMM_8, PLAIN_66, true, 0, FLAG_SET_ALL}, [0x81] = {RM_I, IMM_Z, PLAIN_66, false, 0, FLAG_SET_ALL},
    [0x83] = {RM_I, IMM_8, PLAIN_66, false, 0, FLAG_SET_ALL},
    [0x84] = {CMP_RM_R, 0, PLAIN_66, true, 0, FLAG_SET_ALL}, [0x85] = {CMP_RM_R, 0, PLAIN_66, false, 0, FLAG_SET_ALL},
    [0x88] = {MOV_RM_R, 0, PLAIN_66, true, 0, 0}, [0x89] = {MOV_RM_R, 0, PLAIN_66, false, 0, 0},
    [0x8a] = {MOV_R_RM, 0, PLAIN_66, true, 0, 0}, [0x8b] = {MOV_R_RM, 0, PLAIN_66, false, 0, 0},
    [0x8d] = {LEA, 0, PLAIN_66, false, 0, 0}, [0x90] = {NOP, 0, PLAIN_66, false, 0, 0},
    [0x98] = {SIGN_A, 0, PREFIX_NONE, false, 0, 0}, [0x99] = {SIGN_D, 0, PREFIX_NONE, false, 0, 0},
    [0xa8] = {TEST_ACC_I, IMM_8, PLAIN_66, true, 0, FLAG_SET_ALL},
    [0xa9] = {TEST_ACC_I, IMM_Z, PLAIN_66, false, 0, FLAG_SET_ALL},
    [0xb0 ... 0xb7] = {MOV_R_I, IMM_8, PLAIN_66, true, 0, 0}, [0xb8 ... 0xbf] = {MOV_R_I, IMM_V, PLAIN_66, false, 0, 0},
    [0xc0] = {SHIFT_I, IMM_8, PLAIN_66, true, 0, 0}, [0xc1] = {SHIFT_I, IMM_8, PLAIN_66, false, 0, 0},
    [0xd0] = {SHIFT_1, 0, PLAIN_66, true, 0, FLAG_SET_ALL & ~OF},
    [0xd1] = {SHIFT_1, 0, PLAIN_66, false, 0, FLAG_SET_ALL & ~OF},
    [0xd2] = {SHIFT_CL, 0, PLAIN_66, true, 0, 0}, [0xd3] = {SHIFT_CL, 0, PLAIN_66, false, 0, 0},
    [0xc2] = {RET, IMM_16, PREFIX_NONE, false, 0, 0}, [0xc3] = {RET, 0, PREFIX_NONE, false, 0, 0},
    [0xc6] = {MOV_RM_I, IMM_8, PLAIN_66, true, 0, 0}, [0xc7] = {MOV_RM_I, IMM_Z, PLAIN_66, false, 0, 0},
    [0xc9] = {LEAVE, 0, PREFIX_NONE, false, 0, 0},
    [0xe8] = {CALL, IMM_Z, PREFIX_NONE, false, 0, 0}, [0xe9] = {JMP, IMM_Z, PREFIX_NONE, false, 0, 0},
    [0xeb] = {JMP, IMM_8, PREFIX_NONE, false, 0, 0},
    [0xf6] = {GROUP3, IMM_GROUP3, PLAIN_66, true, 0, FLAG_SET_ALL},
    [0xf7] = {GROUP3, IMM_GROUP3, PLAIN_66, false, 0, FLAG_SET_ALL},
    [0xfe] = {GROUP4, 0, PLAIN_66, true, 0, FLAG_SET_ALL & ~CF},
    [0xff] = {GROUP5, 0, PREFIX_NONE, false, 0, FLAG_SET_ALL & ~CF},
};

static const struct opcode two_bytes[256] = {
    [0x10 ... 0x11] = {SSE, 0, ALL_4, false, 0, 0}, [0x14] = {SSE, 0, PLAIN_66, false, 0, 0},
    [0x1f] = {NOP_RM, 0, PLAIN_66, false, 0, 0}, [0x28 ... 0x29] = {SSE, 0, PLAIN_66, false, 0, 0},
    [0x2a] = {SSE_FROM_RM, 0, PREFIX_F3 | PREFIX_F2, false, 0, 0},
    [0x2c ... 0x2d] = {SSE_TO_R, 0, PREFIX_F3 | PREFIX_F2, false, 0, 0},
    [0x2e ... 0x2f] = {SSE_COMPARE, 0, PLAIN_66, false, 0, FLAG_SET_ALL},
    [0x40 ... 0x4f] = {CMOV, 0, PLAIN_66, false, 0, 0}, [0x51] = {SSE, 0, ALL_4, false, 0, 0},
    [0x54 ... 0x57] = {SSE, 0, PLAIN_66, false, 0, 0}, [0x58 ... 0x59] = {SSE, 0, ALL_4, false, 0, 0},
    [0x5a] = {SSE, 0, ALL_4, false, 0, 0}, [0x5c ... 0x5f] = {SSE, 0, ALL_4, false, 0, 0},
    [0x60 ... 0x6b] = {SSE, 0, PREFIX_66, false, 0, 0}, [0x6c ... 0x6d] = {SSE, 0, PREFIX_66, false, 0, 0},
    [0x6e] = {SSE_FROM_RM, 0, PREFIX_66, false, 0, 0}, [0x6f] = {SSE, 0, PREFIX_66 | PREFIX_F3, false, 0, 0},
    [0x70] = {SSE, IMM_8, PREFIX_66 | PREFIX_F3 | PREFIX_F2, false, 0, 0},
    [0x74 ... 0x76] = {SSE, 0, PREFIX_66, false, 0, 0}, [0x7e] = {SSE_MOVE_GPR, 0, PREFIX_66 | PREFIX_F3, false, 0, 0},
    [0x7f] = {SSE, 0, PREFIX_66 | PREFIX_F3, false, 0, 0}, [0x80 ... 0x8f] = {JCC, IMM_Z, PREFIX_NONE, false, 0, 0},
    [0x90 ... 0x9f] = {SETCC, 0, PREFIX_NONE, true, 0, 0}, [0xa3] = {BT, 0, PLAIN_66, false, 0, CF},
    [0xaf] = {IMUL, 0, PLAIN_66, false, 0, CF | OF | AF}, [0xb6 ... 0xb7] = {EXTEND, 0, PLAIN_66, false, 0, 0},
    [0xbe ... 0xbf] = {EXTEND, 0, PLAIN_66, false, 0, 0}, [0xc8 ... 0xcf] = {BSWAP, 0, PREFIX_NONE, false, 0, 0},
    [0xd4] = {SSE, 0, PREFIX_66, false, 0, 0}, [0xd6] = {SSE, 0, PREFIX_66, false, 0, 0},
    [0xdb] = {SSE, 0, PREFIX_66, false, 0, 0}, [0xdf] = {SSE, 0, PREFIX_66, false, 0, 0},
    [0xeb] = {SSE, 0, PREFIX_66, false, 0, 0}, [0xef] = {SSE, 0, PREFIX_66, false, 0, 0},
    [0xfa ... 0xfe] = {SSE, 0, PREFIX_66, false, 0, 0},
};

/* The values of ModRM's reg field, one bit each, with which an instruction of this form is one. */
static const u8 digits[] = {
    [RM_R ... LEA] = 0xff, [RM_I] = 0xff, [MOV_RM_I] = 0x01, [SHIFT_I] = 0xb0, [SHIFT_1] = 0xb0, [SHIFT_CL] = 0xb0,
    [GROUP3] = 0x0d, [GROUP4] = 0x03, [GROUP5] = 0x57, [IMUL ... BSWAP] = 0xff, [NOP_RM] = 0x01,
    [SSE ... SSE_MOVE_GPR] = 0xff,
};

/* enum insn_class; those that are not here are plain. GROUP5: by the reg field. */
static const u8 form_class[SSE_MOVE_GPR + 1] = {
    [JCC] = INSN_JCC, [JMP] = INSN_JMP, [CALL] = INSN_CALL, [RET] = INSN_RET,
};
/* Of IA-32 these are INSN_STACK32, as is FF /6. */
static const bool stack_form[SSE_MOVE_GPR + 1] = {[PUSH_R] = true, [POP_R] = true, [PUSH_I] = true, [LEAVE] = true};
static const u8 group5_class[8] = {[2] = INSN_CALL_IND, [4] = INSN_JMP_IND};

/* Bytes of immediates, without and with the prefix 66. */
static const u8 imm_size[][2] = {
    [IMM_8] = {1, 1}, [IMM_16] = {2, 2}, [IMM_Z] = {4, 2}, [IMM_V] = {4, 2}, [IMM_GROUP3] = {4, 2},
};

/* --- runs ------------------------------------------------------------------------------------------------------- */
enum { RUN_MAX_BYTES = 240, MODRM_RIP = 0xff };

/* What a byte says of an opcode without prefixes: bytes of its immediate; that it is copied as it is, whatever its
 * operands are; that ModRM follows; and is not that of a register. 0: it takes more to say. */
enum shape { SHAPE_IMM = 7, SHAPE_LEA = 0x20, SHAPE_MODRM = 0x40, SHAPE_COPIED = 0x80 };
static u8 shape[2][256]; /* of one byte, and after 0F; made by quick_init */

/* Bytes that follow ModRM, without a displacement that only SIB asks for. */
#define MORE(at, n) [at ... at + 3] = n, [at + 4] = n + 1, [at + 5 ... at + 7] = n
#define MORE_RIP(at) [at ... at + 3] = 0, [at + 4] = 1, [at + 5] = MODRM_RIP, [at + 6 ... at + 7] = 0
static const u8 modrm_more[256] = {
    MORE_RIP(0x00), MORE_RIP(0x08), MORE_RIP(0x10), MORE_RIP(0x18), MORE_RIP(0x20), MORE_RIP(0x28), MORE_RIP(0x30),
    MORE_RIP(0x38),
    MORE(0x40, 1), MORE(0x48, 1), MORE(0x50, 1), MORE(0x58, 1), MORE(0x60, 1), MORE(0x68, 1), MORE(0x70, 1),
    MORE(0x78, 1),
    MORE(0x80, 4), MORE(0x88, 4), MORE(0x90, 4), MORE(0x98, 4), MORE(0xa0, 4), MORE(0xa8, 4), MORE(0xb0, 4),
    MORE(0xb8, 4),
};
