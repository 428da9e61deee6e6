/* SPDX-License-Identifier: Apache-2.0
 * Types and small enumerations of the XED interface. Numbers are part of the tool ABI: they never change, new ones go to the end. */
#ifndef LINCHPIN_XED_TYPES_H
#define LINCHPIN_XED_TYPES_H
#include <stdint.h>

#include "xed-attribute-enum.h"
#include "xed-category-enum.h"
#include "xed-chip-enum.h"
#include "xed-cpuid-group-enum.h"
#include "xed-cpuid-rec-enum.h"
#include "xed-error-enum.h"
#include "xed-exception-enum.h"
#include "xed-extension-enum.h"
#include "xed-flag-action-enum.h"
#include "xed-flag-enum.h"
#include "xed-iclass-enum.h"
#include "xed-iform-enum.h"
#include "xed-iformfl-enum.h"
#include "xed-ild-enum.h"
#include "xed-isa-set-enum.h"
#include "xed-mapu-enum.h"
#include "xed-nonterminal-enum.h"
#include "xed-operand-convert-enum.h"
#include "xed-operand-ctype-enum.h"
#include "xed-operand-element-type-enum.h"
#include "xed-operand-element-xtype-enum.h"
#include "xed-operand-enum.h"
#include "xed-operand-storage.h"
#include "xed-operand-type-enum.h"
#include "xed-operand-width-enum.h"
#include "xed-reg-class-enum.h"
#include "xed-reg-enum.h"
#include "xed-reg-role-enum.h"

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

typedef xed_uint32_t xed_bits_t;

/* Bit n of a1 is attribute n, of a2 attribute 64 + n. */
typedef struct { xed_uint64_t a1, a2; } xed_attributes_t;

/* An operand as the form of an instruction has it; the functions of xed-interface.h say what is in it. */
typedef struct xed_operand_s {
    xed_uint8_t _name, _operand_visibility, _rw, _type, _oc2, _xtype;
    xed_uint16_t _value; /* a register, a nonterminal or a constant, by _type */
} xed_operand_t;

/* A form of an instruction. */
typedef struct xed_inst_s {
    xed_uint16_t _iform_enum, _operand_base, _attributes, _flag_info_index;
    xed_uint8_t _noperands, _cpl, _exceptions;
} xed_inst_t;

typedef struct xed_iform_info_s { xed_uint16_t iclass, category, extension, isa_set; } xed_iform_info_t;

/* An instruction, decoded or to be encoded; may be copied. Its fields are read and set by xed3_operand_get_* and xed3_operand_set_*. */
#define XED_ENCODE_ORDER_MAX_OPERANDS 8
typedef struct xed_decoded_inst_s {
    xed_uint64_t lp_state[101];
    const xed_inst_t *_inst;
    xed_operand_storage_t _operands;
    xed_uint8_t _operand_order[XED_ENCODE_ORDER_MAX_OPERANDS], _n_operand_order, _decoded_length;
    union { xed_uint64_t user_data; } u;
    xed_uint64_t lp_more[1]; /* what a displacement of a byte is multiplied by */
} xed_decoded_inst_t;
typedef xed_decoded_inst_t xed_operand_values_t;

typedef enum {
    XED_MACHINE_MODE_INVALID = 0, XED_MACHINE_MODE_LONG_64 = 1, XED_MACHINE_MODE_LONG_COMPAT_32 = 2, XED_MACHINE_MODE_LONG_COMPAT_16 = 3,
    XED_MACHINE_MODE_LEGACY_32 = 4, XED_MACHINE_MODE_LEGACY_16 = 5, XED_MACHINE_MODE_REAL_16 = 6, XED_MACHINE_MODE_REAL_32 = 7, XED_MACHINE_MODE_LAST = 8
} xed_machine_mode_enum_t;

typedef enum { XED_ADDRESS_WIDTH_INVALID = 0, XED_ADDRESS_WIDTH_16b = 2, XED_ADDRESS_WIDTH_32b = 4, XED_ADDRESS_WIDTH_64b = 8, XED_ADDRESS_WIDTH_LAST = 9 } xed_address_width_enum_t;

typedef struct xed_state_s {
    xed_machine_mode_enum_t mmode;
    xed_address_width_enum_t stack_addr_width;
} xed_state_t;

typedef enum { XED_SYNTAX_INVALID = 0, XED_SYNTAX_XED = 1, XED_SYNTAX_ATT = 2, XED_SYNTAX_INTEL = 3, XED_SYNTAX_LAST = 4 } xed_syntax_enum_t;

typedef enum { XED_OPVIS_INVALID = 0, XED_OPVIS_EXPLICIT = 1, XED_OPVIS_IMPLICIT = 2, XED_OPVIS_SUPPRESSED = 3, XED_OPVIS_LAST = 4 } xed_operand_visibility_enum_t;

typedef enum {
    XED_OPERAND_ACTION_INVALID = 0, XED_OPERAND_ACTION_RW = 1, XED_OPERAND_ACTION_R = 2, XED_OPERAND_ACTION_W = 3, XED_OPERAND_ACTION_RCW = 4,
    XED_OPERAND_ACTION_CW = 5, XED_OPERAND_ACTION_CRW = 6, XED_OPERAND_ACTION_CR = 7, XED_OPERAND_ACTION_LAST = 8
} xed_operand_action_enum_t;

/* Decoding needs no cache here; these keep tools compiling that give it one. */
typedef struct { xed_uint64_t lp_state[4]; } xed_decode_cache_entry_t;
typedef struct { xed_decode_cache_entry_t *entries; xed_uint32_t limit; } xed_decode_cache_t;

typedef int (*xed_disassembly_callback_fn_t)(xed_uint64_t address, char *symbol, xed_uint32_t bytes, xed_uint64_t *offset, void *context);

#endif
