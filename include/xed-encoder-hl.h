/* SPDX-License-Identifier: Apache-2.0
 * XED's descriptions of instructions for its encoder: xed_inst2(&x, mode, XED_ICLASS_ADD, 64, xed_reg(XED_REG_RAX), xed_simm0(1, 8)). */
#ifndef LINCHPIN_XED_ENCODER_HL_H
#define LINCHPIN_XED_ENCODER_HL_H
#include "xed-encode.h"

typedef struct {
    xed_int64_t displacement;
    xed_uint32_t displacement_bits;
} xed_enc_displacement_t;

typedef struct {
    xed_reg_enum_t seg, base, index;
    xed_uint32_t scale;
    xed_enc_displacement_t disp;
} xed_memop_t;

typedef enum {
    XED_ENCODER_OPERAND_TYPE_INVALID, XED_ENCODER_OPERAND_TYPE_REL_BRDISP, XED_ENCODER_OPERAND_TYPE_ABS_BRDISP, XED_ENCODER_OPERAND_TYPE_REG, XED_ENCODER_OPERAND_TYPE_IMM0,
    XED_ENCODER_OPERAND_TYPE_SIMM0, XED_ENCODER_OPERAND_TYPE_IMM1, XED_ENCODER_OPERAND_TYPE_MEM, XED_ENCODER_OPERAND_TYPE_PTR,
    XED_ENCODER_OPERAND_TYPE_SEG0, XED_ENCODER_OPERAND_TYPE_SEG1, /* segments of memory that is not named */
    XED_ENCODER_OPERAND_TYPE_OTHER                                /* a field by its name */
} xed_encoder_operand_type_t;

typedef struct {
    xed_encoder_operand_type_t type;
    union {
        xed_reg_enum_t reg;
        xed_int32_t brdisp;
        xed_uint64_t imm0;
        xed_uint8_t imm1;
        struct { xed_operand_enum_t operand_name; xed_uint32_t value; } s;
        xed_memop_t mem;
    } u;
    xed_uint32_t width_bits;
} xed_encoder_operand_t;

typedef union {
    struct { xed_uint32_t rep : 1, repne : 1, br_hint_taken : 1, br_hint_not_taken : 1; } s;
    xed_uint32_t i;
} xed_encoder_prefixes_t;

#define XED_ENCODER_OPERANDS_MAX 8
typedef struct {
    xed_state_t mode;
    xed_iclass_enum_t iclass;
    xed_uint32_t effective_operand_width;
    xed_uint32_t effective_address_width; /* 0: as the registers of the address say */
    xed_encoder_prefixes_t prefixes;
    xed_uint32_t noperands;
    xed_encoder_operand_t operands[XED_ENCODER_OPERANDS_MAX];
} xed_encoder_instruction_t;

#ifdef __cplusplus
extern "C" {
#endif
/* 0: there are more operands than an instruction has. */
xed_bool_t xed_convert_to_encoder_request(xed_encoder_request_t *out, xed_encoder_instruction_t *in);
/* Put another value of the same width into the bytes of a decoded instruction; 0: it has no such value. */
xed_bool_t xed_patch_disp(xed_decoded_inst_t *d, xed_uint8_t *bytes, xed_enc_displacement_t disp);
xed_bool_t xed_patch_brdisp(xed_decoded_inst_t *d, xed_uint8_t *bytes, xed_encoder_operand_t disp);
xed_bool_t xed_patch_imm0(xed_decoded_inst_t *d, xed_uint8_t *bytes, xed_encoder_operand_t imm0);
#ifdef __cplusplus
}
#endif

/* --- operands --------------------------------------------------------------------------------------------------- */
static inline xed_enc_displacement_t xed_disp(xed_int64_t displacement, xed_uint32_t bits)
{
    xed_enc_displacement_t x;
    x.displacement = displacement, x.displacement_bits = bits;
    return x;
}
static inline xed_encoder_operand_t lp_xed_operand(xed_encoder_operand_type_t type, xed_uint_t width_bits)
{
    xed_encoder_operand_t o;
    o.u.mem.seg = o.u.mem.base = o.u.mem.index = XED_REG_INVALID;
    o.u.mem.scale = 0;
    o.u.mem.disp = xed_disp(0, 0);
    o.type = type, o.width_bits = width_bits;
    return o;
}
static inline xed_encoder_operand_t lp_xed_branch(xed_encoder_operand_type_t type, xed_int32_t value, xed_uint_t width_bits)
{
    xed_encoder_operand_t o = lp_xed_operand(type, width_bits);
    o.u.brdisp = value;
    return o;
}
static inline xed_encoder_operand_t xed_relbr(xed_int32_t value, xed_uint_t bits) { return lp_xed_branch(XED_ENCODER_OPERAND_TYPE_REL_BRDISP, value, bits); }
static inline xed_encoder_operand_t xed_absbr(xed_int32_t value, xed_uint_t bits) { return lp_xed_branch(XED_ENCODER_OPERAND_TYPE_ABS_BRDISP, value, bits); }
static inline xed_encoder_operand_t xed_ptr(xed_int32_t value, xed_uint_t bits) { return lp_xed_branch(XED_ENCODER_OPERAND_TYPE_PTR, value, bits); }
static inline xed_encoder_operand_t lp_xed_register(xed_encoder_operand_type_t type, xed_reg_enum_t reg)
{
    xed_encoder_operand_t o = lp_xed_operand(type, 0);
    o.u.reg = reg;
    return o;
}
static inline xed_encoder_operand_t xed_reg(xed_reg_enum_t reg) { return lp_xed_register(XED_ENCODER_OPERAND_TYPE_REG, reg); }
static inline xed_encoder_operand_t xed_seg0(xed_reg_enum_t reg) { return lp_xed_register(XED_ENCODER_OPERAND_TYPE_SEG0, reg); }
static inline xed_encoder_operand_t xed_seg1(xed_reg_enum_t reg) { return lp_xed_register(XED_ENCODER_OPERAND_TYPE_SEG1, reg); }
static inline xed_encoder_operand_t xed_imm0(xed_uint64_t value, xed_uint_t bits)
{
    xed_encoder_operand_t o = lp_xed_operand(XED_ENCODER_OPERAND_TYPE_IMM0, bits);
    o.u.imm0 = value;
    return o;
}
static inline xed_encoder_operand_t xed_simm0(xed_int32_t value, xed_uint_t bits)
{
    xed_encoder_operand_t o = lp_xed_operand(XED_ENCODER_OPERAND_TYPE_SIMM0, bits);
    o.u.imm0 = (xed_uint64_t)(xed_int64_t)value;
    return o;
}
static inline xed_encoder_operand_t xed_imm1(xed_uint8_t value)
{
    xed_encoder_operand_t o = lp_xed_operand(XED_ENCODER_OPERAND_TYPE_IMM1, 8);
    o.u.imm1 = value;
    return o;
}
static inline xed_encoder_operand_t xed_other(xed_operand_enum_t name, xed_int32_t value)
{
    xed_encoder_operand_t o = lp_xed_operand(XED_ENCODER_OPERAND_TYPE_OTHER, 0);
    o.u.s.operand_name = name, o.u.s.value = (xed_uint32_t)value;
    return o;
}

/* --- memory: g a segment, b a base, i an index, s a scale, d a displacement ------------------------------------ */
static inline xed_encoder_operand_t xed_mem_gbisd(xed_reg_enum_t seg, xed_reg_enum_t base, xed_reg_enum_t index, xed_uint_t scale, xed_enc_displacement_t disp, xed_uint_t width_bits)
{
    xed_encoder_operand_t o = lp_xed_operand(XED_ENCODER_OPERAND_TYPE_MEM, width_bits);
    o.u.mem.seg = seg, o.u.mem.base = base, o.u.mem.index = index, o.u.mem.scale = scale, o.u.mem.disp = disp;
    return o;
}
static inline xed_encoder_operand_t xed_mem_b(xed_reg_enum_t base, xed_uint_t bits) { return xed_mem_gbisd(XED_REG_INVALID, base, XED_REG_INVALID, 0, xed_disp(0, 0), bits); }
static inline xed_encoder_operand_t xed_mem_bd(xed_reg_enum_t base, xed_enc_displacement_t disp, xed_uint_t bits) { return xed_mem_gbisd(XED_REG_INVALID, base, XED_REG_INVALID, 0, disp, bits); }
static inline xed_encoder_operand_t xed_mem_bisd(xed_reg_enum_t base, xed_reg_enum_t index, xed_uint_t scale, xed_enc_displacement_t disp, xed_uint_t bits)
{
    return xed_mem_gbisd(XED_REG_INVALID, base, index, scale, disp, bits);
}
static inline xed_encoder_operand_t xed_mem_gb(xed_reg_enum_t seg, xed_reg_enum_t base, xed_uint_t bits) { return xed_mem_gbisd(seg, base, XED_REG_INVALID, 0, xed_disp(0, 0), bits); }
static inline xed_encoder_operand_t xed_mem_gbd(xed_reg_enum_t seg, xed_reg_enum_t base, xed_enc_displacement_t disp, xed_uint_t bits)
{
    return xed_mem_gbisd(seg, base, XED_REG_INVALID, 0, disp, bits);
}
static inline xed_encoder_operand_t xed_mem_gd(xed_reg_enum_t seg, xed_enc_displacement_t disp, xed_uint_t bits) { return xed_mem_gbisd(seg, XED_REG_INVALID, XED_REG_INVALID, 0, disp, bits); }

/* --- instructions ------------------------------------------------------------------------------------------------ */
static inline void xed_addr(xed_encoder_instruction_t *x, xed_uint_t width_bits) { x->effective_address_width = width_bits; }
static inline void xed_rep(xed_encoder_instruction_t *x) { x->prefixes.s.rep = 1; }
static inline void xed_repne(xed_encoder_instruction_t *x) { x->prefixes.s.repne = 1; }
static inline void xed_inst(xed_encoder_instruction_t *x, xed_state_t mode, xed_iclass_enum_t iclass, xed_uint_t width, xed_uint_t count, const xed_encoder_operand_t *operands)
{
    x->mode = mode, x->iclass = iclass, x->effective_operand_width = width, x->effective_address_width = 0, x->prefixes.i = 0, x->noperands = count;
    for (xed_uint_t i = 0; i < count && i < XED_ENCODER_OPERANDS_MAX; i++)
        x->operands[i] = operands[i];
}
static inline void xed_inst0(xed_encoder_instruction_t *x, xed_state_t mode, xed_iclass_enum_t iclass, xed_uint_t width) { xed_inst(x, mode, iclass, width, 0, 0); }
static inline void xed_inst1(xed_encoder_instruction_t *x, xed_state_t mode, xed_iclass_enum_t iclass, xed_uint_t width, xed_encoder_operand_t a) { xed_inst(x, mode, iclass, width, 1, &a); }
static inline void xed_inst2(xed_encoder_instruction_t *x, xed_state_t mode, xed_iclass_enum_t iclass, xed_uint_t width, xed_encoder_operand_t a, xed_encoder_operand_t b)
{
    xed_encoder_operand_t all[2];
    all[0] = a, all[1] = b;
    xed_inst(x, mode, iclass, width, 2, all);
}
static inline void xed_inst3(xed_encoder_instruction_t *x, xed_state_t mode, xed_iclass_enum_t iclass, xed_uint_t width, xed_encoder_operand_t a, xed_encoder_operand_t b, xed_encoder_operand_t c)
{
    xed_encoder_operand_t all[3];
    all[0] = a, all[1] = b, all[2] = c;
    xed_inst(x, mode, iclass, width, 3, all);
}
static inline void xed_inst4(xed_encoder_instruction_t *x, xed_state_t mode, xed_iclass_enum_t iclass, xed_uint_t width, xed_encoder_operand_t a, xed_encoder_operand_t b, xed_encoder_operand_t c,
                             xed_encoder_operand_t d)
{
    xed_encoder_operand_t all[4];
    all[0] = a, all[1] = b, all[2] = c, all[3] = d;
    xed_inst(x, mode, iclass, width, 4, all);
}
static inline void xed_inst5(xed_encoder_instruction_t *x, xed_state_t mode, xed_iclass_enum_t iclass, xed_uint_t width, xed_encoder_operand_t a, xed_encoder_operand_t b, xed_encoder_operand_t c,
                             xed_encoder_operand_t d, xed_encoder_operand_t e)
{
    xed_encoder_operand_t all[5];
    all[0] = a, all[1] = b, all[2] = c, all[3] = d, all[4] = e;
    xed_inst(x, mode, iclass, width, 5, all);
}

#endif
