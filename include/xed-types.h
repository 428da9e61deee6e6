/* SPDX-License-Identifier: Apache-2.0
 * Types and small enumerations of the XED interface. Numbers are part of the tool ABI: they never change, new ones go to the end. */
#ifndef LINCHPIN_XED_TYPES_H
#define LINCHPIN_XED_TYPES_H
#include <stdint.h>

typedef uint8_t xed_uint8_t;
typedef uint16_t xed_uint16_t;
typedef uint32_t xed_uint32_t;
typedef uint64_t xed_uint64_t;
typedef int8_t xed_int8_t;
typedef int16_t xed_int16_t;
typedef int32_t xed_int32_t;
typedef int64_t xed_int64_t;
typedef unsigned int xed_uint_t;
typedef int xed_int_t;
typedef unsigned int xed_bool_t;
typedef uintptr_t xed_addr_t;

#define XED_MAX_INSTRUCTION_BYTES 15

/* Opaque; may be copied. */
typedef struct xed_decoded_inst_s { xed_uint64_t lp_state[128]; } xed_decoded_inst_t;
typedef struct xed_inst_s xed_inst_t;
typedef xed_uint32_t xed_bits_t;
typedef struct xed_operand_s xed_operand_t;

typedef enum {
    XED_MACHINE_MODE_INVALID = 0, XED_MACHINE_MODE_LONG_64 = 1, XED_MACHINE_MODE_LONG_COMPAT_32 = 2, XED_MACHINE_MODE_LONG_COMPAT_16 = 3,
    XED_MACHINE_MODE_LEGACY_32 = 4, XED_MACHINE_MODE_LEGACY_16 = 5, XED_MACHINE_MODE_REAL_16 = 6, XED_MACHINE_MODE_REAL_32 = 7, XED_MACHINE_MODE_LAST = 8
} xed_machine_mode_enum_t;

typedef enum { XED_ADDRESS_WIDTH_INVALID = 0, XED_ADDRESS_WIDTH_16b = 2, XED_ADDRESS_WIDTH_32b = 4, XED_ADDRESS_WIDTH_64b = 8, XED_ADDRESS_WIDTH_LAST = 9 } xed_address_width_enum_t;

typedef struct xed_state_s {
    xed_machine_mode_enum_t mmode;
    xed_address_width_enum_t stack_addr_width;
} xed_state_t;

typedef enum {
    XED_ERROR_NONE = 0, XED_ERROR_BUFFER_TOO_SHORT = 1, XED_ERROR_GENERAL_ERROR = 2, XED_ERROR_INVALID_FOR_CHIP = 3, XED_ERROR_BAD_REGISTER = 4,
    XED_ERROR_BAD_LOCK_PREFIX = 5, XED_ERROR_BAD_REP_PREFIX = 6, XED_ERROR_BAD_LEGACY_PREFIX = 7, XED_ERROR_BAD_REX_PREFIX = 8, XED_ERROR_BAD_EVEX_UBIT = 9,
    XED_ERROR_BAD_MAP = 10, XED_ERROR_INSTR_TOO_LONG = 11, XED_ERROR_INVALID_MODE = 12, XED_ERROR_BAD_MEMOP_INDEX = 13, XED_ERROR_LAST = 14
} xed_error_enum_t;

typedef enum { XED_SYNTAX_INVALID = 0, XED_SYNTAX_XED = 1, XED_SYNTAX_ATT = 2, XED_SYNTAX_INTEL = 3, XED_SYNTAX_LAST = 4 } xed_syntax_enum_t;

typedef enum { XED_OPVIS_INVALID = 0, XED_OPVIS_EXPLICIT = 1, XED_OPVIS_IMPLICIT = 2, XED_OPVIS_SUPPRESSED = 3, XED_OPVIS_LAST = 4 } xed_operand_visibility_enum_t;

typedef enum {
    XED_OPERAND_ACTION_INVALID = 0, XED_OPERAND_ACTION_RW = 1, XED_OPERAND_ACTION_R = 2, XED_OPERAND_ACTION_W = 3, XED_OPERAND_ACTION_RCW = 4,
    XED_OPERAND_ACTION_CW = 5, XED_OPERAND_ACTION_CRW = 6, XED_OPERAND_ACTION_CR = 7, XED_OPERAND_ACTION_LAST = 8
} xed_operand_action_enum_t;

typedef enum {
    XED_OPERAND_ELEMENT_TYPE_INVALID = 0, XED_OPERAND_ELEMENT_TYPE_UINT = 1, XED_OPERAND_ELEMENT_TYPE_INT = 2, XED_OPERAND_ELEMENT_TYPE_SINGLE = 3,
    XED_OPERAND_ELEMENT_TYPE_DOUBLE = 4, XED_OPERAND_ELEMENT_TYPE_LONGDOUBLE = 5, XED_OPERAND_ELEMENT_TYPE_LONGBCD = 6, XED_OPERAND_ELEMENT_TYPE_STRUCT = 7,
    XED_OPERAND_ELEMENT_TYPE_VARIABLE = 8, XED_OPERAND_ELEMENT_TYPE_FLOAT16 = 9, XED_OPERAND_ELEMENT_TYPE_BFLOAT16 = 10, XED_OPERAND_ELEMENT_TYPE_LAST = 11
} xed_operand_element_type_enum_t;

typedef enum {
    XED_REG_CLASS_INVALID = 0, XED_REG_CLASS_BNDCFG = 1, XED_REG_CLASS_BNDSTAT = 2, XED_REG_CLASS_BOUND = 3, XED_REG_CLASS_CR = 4, XED_REG_CLASS_DR = 5,
    XED_REG_CLASS_FLAGS = 6, XED_REG_CLASS_GPR = 7, XED_REG_CLASS_GPR16 = 8, XED_REG_CLASS_GPR32 = 9, XED_REG_CLASS_GPR64 = 10, XED_REG_CLASS_GPR8 = 11,
    XED_REG_CLASS_IP = 12, XED_REG_CLASS_MASK = 13, XED_REG_CLASS_MMX = 14, XED_REG_CLASS_MSR = 15, XED_REG_CLASS_MXCSR = 16, XED_REG_CLASS_PSEUDO = 17,
    XED_REG_CLASS_SR = 18, XED_REG_CLASS_TREG = 19, XED_REG_CLASS_UIF = 20, XED_REG_CLASS_X87 = 21, XED_REG_CLASS_XCR = 22, XED_REG_CLASS_XMM = 23,
    XED_REG_CLASS_YMM = 24, XED_REG_CLASS_ZMM = 25, XED_REG_CLASS_LAST = 26
} xed_reg_class_enum_t;

typedef enum {
    XED_ATTRIBUTE_INVALID = 0, XED_ATTRIBUTE_FAR_XFER = 1, XED_ATTRIBUTE_GATHER = 2, XED_ATTRIBUTE_INDIRECT_BRANCH = 3, XED_ATTRIBUTE_LOCKABLE = 4,
    XED_ATTRIBUTE_LOCKED = 5, XED_ATTRIBUTE_MASKOP = 6, XED_ATTRIBUTE_MASKOP_EVEX = 7, XED_ATTRIBUTE_NOP = 8, XED_ATTRIBUTE_PREFETCH = 9,
    XED_ATTRIBUTE_REP = 10, XED_ATTRIBUTE_SCATTER = 11, XED_ATTRIBUTE_SIMD_SCALAR = 12, XED_ATTRIBUTE_STACKPOP0 = 13, XED_ATTRIBUTE_STACKPOP1 = 14,
    XED_ATTRIBUTE_STACKPUSH0 = 15, XED_ATTRIBUTE_STACKPUSH1 = 16, XED_ATTRIBUTE_FIXED_BASE0 = 17, XED_ATTRIBUTE_FIXED_BASE1 = 18, XED_ATTRIBUTE_LAST = 19
} xed_attribute_enum_t;

/* Bit n of a1 is attribute n. */
typedef struct { xed_uint64_t a1, a2; } xed_attributes_t;

typedef enum { XED_CHIP_INVALID = 0, XED_CHIP_ALL = 1, XED_CHIP_LAST = 2 } xed_chip_enum_t;

/* Numbers are given out in the order in which forms are met, so they hold for one run; names are in XED's way (MOV_GPRv_MEMv). */
typedef enum { XED_IFORM_INVALID = 0, XED_IFORM_LAST = 65535 } xed_iform_enum_t;

/* Decoding needs no cache here; these keep tools compiling that give it one. */
typedef struct { xed_uint64_t lp_state[4]; } xed_decode_cache_entry_t;
typedef struct { xed_decode_cache_entry_t *entries; xed_uint32_t limit; } xed_decode_cache_t;

typedef int (*xed_disassembly_callback_fn_t)(xed_uint64_t address, char *symbol, xed_uint32_t bytes, xed_uint64_t *offset, void *context);

#endif
