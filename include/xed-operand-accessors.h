/* SPDX-License-Identifier: Apache-2.0
 * Made by scripts/gen-xed-forms from the public tables of XED v2024.05.20:
 * the fields of an instruction, by name. */
#ifndef LINCHPIN_XED_OPERAND_ACCESSORS_H
#define LINCHPIN_XED_OPERAND_ACCESSORS_H
#include "xed-types.h"

static inline xed_bits_t xed3_operand_get_seg_ovd(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.seg_ovd; }
static inline void xed3_operand_set_seg_ovd(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.seg_ovd = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_hint(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.hint; }
static inline void xed3_operand_set_hint(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.hint = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_encode_force(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.encode_force; }
static inline void xed3_operand_set_encode_force(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.encode_force = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_lock(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.lock; }
static inline void xed3_operand_set_lock(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.lock = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_need_memdisp(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.need_memdisp; }
static inline void xed3_operand_set_need_memdisp(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.need_memdisp = (xed_uint8_t)v; }
static inline xed_int64_t xed3_operand_get_disp(const xed_decoded_inst_t *d) { return (xed_int64_t)d->_operands.disp; }
static inline void xed3_operand_set_disp(xed_decoded_inst_t *d, xed_int64_t v) { d->_operands.disp = (xed_int64_t)v; }
static inline xed_uint8_t xed3_operand_get_disp_width(const xed_decoded_inst_t *d) { return (xed_uint8_t)d->_operands.disp_width; }
static inline void xed3_operand_set_disp_width(xed_decoded_inst_t *d, xed_uint8_t v) { d->_operands.disp_width = (xed_uint8_t)v; }
static inline xed_uint8_t xed3_operand_get_brdisp_width(const xed_decoded_inst_t *d) { return (xed_uint8_t)d->_operands.brdisp_width; }
static inline void xed3_operand_set_brdisp_width(xed_decoded_inst_t *d, xed_uint8_t v) { d->_operands.brdisp_width = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_df32(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.df32; }
static inline void xed3_operand_set_df32(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.df32 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_df64(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.df64; }
static inline void xed3_operand_set_df64(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.df64 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_norex(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.norex; }
static inline void xed3_operand_set_norex(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.norex = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_norex2(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.norex2; }
static inline void xed3_operand_set_norex2(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.norex2 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_needrex(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.needrex; }
static inline void xed3_operand_set_needrex(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.needrex = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_rex(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.rex; }
static inline void xed3_operand_set_rex(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.rex = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_rexw(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.rexw; }
static inline void xed3_operand_set_rexw(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.rexw = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_rexr(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.rexr; }
static inline void xed3_operand_set_rexr(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.rexr = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_rexx(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.rexx; }
static inline void xed3_operand_set_rexx(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.rexx = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_rexb(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.rexb; }
static inline void xed3_operand_set_rexb(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.rexb = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_rex2(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.rex2; }
static inline void xed3_operand_set_rex2(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.rex2 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_rexb4(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.rexb4; }
static inline void xed3_operand_set_rexb4(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.rexb4 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_rexx4(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.rexx4; }
static inline void xed3_operand_set_rexx4(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.rexx4 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_rexr4(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.rexr4; }
static inline void xed3_operand_set_rexr4(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.rexr4 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_has_egpr(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.has_egpr; }
static inline void xed3_operand_set_has_egpr(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.has_egpr = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_rep(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.rep; }
static inline void xed3_operand_set_rep(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.rep = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_osz(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.osz; }
static inline void xed3_operand_set_osz(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.osz = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_prefix66(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.prefix66; }
static inline void xed3_operand_set_prefix66(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.prefix66 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_asz(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.asz; }
static inline void xed3_operand_set_asz(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.asz = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_eosz(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.eosz; }
static inline void xed3_operand_set_eosz(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.eosz = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_easz(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.easz; }
static inline void xed3_operand_set_easz(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.easz = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_skip_osz(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.skip_osz; }
static inline void xed3_operand_set_skip_osz(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.skip_osz = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_mod(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.mod; }
static inline void xed3_operand_set_mod(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.mod = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_reg(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.reg; }
static inline void xed3_operand_set_reg(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.reg = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_srm(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.srm; }
static inline void xed3_operand_set_srm(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.srm = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_rm(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.rm; }
static inline void xed3_operand_set_rm(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.rm = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_realmode(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.realmode; }
static inline void xed3_operand_set_realmode(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.realmode = (xed_uint8_t)v; }
static inline xed_chip_enum_t xed3_operand_get_chip(const xed_decoded_inst_t *d) { return (xed_chip_enum_t)d->_operands.chip; }
static inline void xed3_operand_set_chip(xed_decoded_inst_t *d, xed_chip_enum_t v) { d->_operands.chip = (xed_uint16_t)v; }
static inline xed_bits_t xed3_operand_get_mode(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.mode; }
static inline void xed3_operand_set_mode(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.mode = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_smode(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.smode; }
static inline void xed3_operand_set_smode(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.smode = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_modep5(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.modep5; }
static inline void xed3_operand_set_modep5(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.modep5 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_modep55c(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.modep55c; }
static inline void xed3_operand_set_modep55c(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.modep55c = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_p4(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.p4; }
static inline void xed3_operand_set_p4(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.p4 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_lzcnt(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.lzcnt; }
static inline void xed3_operand_set_lzcnt(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.lzcnt = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_tzcnt(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.tzcnt; }
static inline void xed3_operand_set_tzcnt(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.tzcnt = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_mode_first_prefix(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.mode_first_prefix; }
static inline void xed3_operand_set_mode_first_prefix(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.mode_first_prefix = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_mode_short_ud0(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.mode_short_ud0; }
static inline void xed3_operand_set_mode_short_ud0(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.mode_short_ud0 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_imm0(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.imm0; }
static inline void xed3_operand_set_imm0(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.imm0 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_imm1(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.imm1; }
static inline void xed3_operand_set_imm1(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.imm1 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_imm0signed(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.imm0signed; }
static inline void xed3_operand_set_imm0signed(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.imm0signed = (xed_uint8_t)v; }
static inline xed_uint64_t xed3_operand_get_uimm0(const xed_decoded_inst_t *d) { return (xed_uint64_t)d->_operands.uimm0; }
static inline void xed3_operand_set_uimm0(xed_decoded_inst_t *d, xed_uint64_t v) { d->_operands.uimm0 = (xed_uint64_t)v; }
static inline xed_uint8_t xed3_operand_get_uimm1(const xed_decoded_inst_t *d) { return (xed_uint8_t)d->_operands.uimm1; }
static inline void xed3_operand_set_uimm1(xed_decoded_inst_t *d, xed_uint8_t v) { d->_operands.uimm1 = (xed_uint8_t)v; }
static inline xed_uint8_t xed3_operand_get_imm_width(const xed_decoded_inst_t *d) { return (xed_uint8_t)d->_operands.imm_width; }
static inline void xed3_operand_set_imm_width(xed_decoded_inst_t *d, xed_uint8_t v) { d->_operands.imm_width = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_using_default_segment0(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.using_default_segment0; }
static inline void xed3_operand_set_using_default_segment0(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.using_default_segment0 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_using_default_segment1(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.using_default_segment1; }
static inline void xed3_operand_set_using_default_segment1(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.using_default_segment1 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_default_seg(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.default_seg; }
static inline void xed3_operand_set_default_seg(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.default_seg = (xed_uint8_t)v; }
static inline xed_reg_enum_t xed3_operand_get_seg0(const xed_decoded_inst_t *d) { return (xed_reg_enum_t)d->_operands.seg0; }
static inline void xed3_operand_set_seg0(xed_decoded_inst_t *d, xed_reg_enum_t v) { d->_operands.seg0 = (xed_uint16_t)v; }
static inline xed_reg_enum_t xed3_operand_get_base0(const xed_decoded_inst_t *d) { return (xed_reg_enum_t)d->_operands.base0; }
static inline void xed3_operand_set_base0(xed_decoded_inst_t *d, xed_reg_enum_t v) { d->_operands.base0 = (xed_uint16_t)v; }
static inline xed_reg_enum_t xed3_operand_get_index(const xed_decoded_inst_t *d) { return (xed_reg_enum_t)d->_operands.index; }
static inline void xed3_operand_set_index(xed_decoded_inst_t *d, xed_reg_enum_t v) { d->_operands.index = (xed_uint16_t)v; }
static inline xed_bits_t xed3_operand_get_scale(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.scale; }
static inline void xed3_operand_set_scale(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.scale = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_need_sib(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.need_sib; }
static inline void xed3_operand_set_need_sib(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.need_sib = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_sibscale(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.sibscale; }
static inline void xed3_operand_set_sibscale(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.sibscale = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_sibbase(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.sibbase; }
static inline void xed3_operand_set_sibbase(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.sibbase = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_sibindex(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.sibindex; }
static inline void xed3_operand_set_sibindex(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.sibindex = (xed_uint8_t)v; }
static inline xed_reg_enum_t xed3_operand_get_seg1(const xed_decoded_inst_t *d) { return (xed_reg_enum_t)d->_operands.seg1; }
static inline void xed3_operand_set_seg1(xed_decoded_inst_t *d, xed_reg_enum_t v) { d->_operands.seg1 = (xed_uint16_t)v; }
static inline xed_reg_enum_t xed3_operand_get_base1(const xed_decoded_inst_t *d) { return (xed_reg_enum_t)d->_operands.base1; }
static inline void xed3_operand_set_base1(xed_decoded_inst_t *d, xed_reg_enum_t v) { d->_operands.base1 = (xed_uint16_t)v; }
static inline xed_bits_t xed3_operand_get_mem0(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.mem0; }
static inline void xed3_operand_set_mem0(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.mem0 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_mem1(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.mem1; }
static inline void xed3_operand_set_mem1(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.mem1 = (xed_uint8_t)v; }
static inline xed_uint16_t xed3_operand_get_mem_width(const xed_decoded_inst_t *d) { return (xed_uint16_t)d->_operands.mem_width; }
static inline void xed3_operand_set_mem_width(xed_decoded_inst_t *d, xed_uint16_t v) { d->_operands.mem_width = (xed_uint16_t)v; }
static inline xed_bits_t xed3_operand_get_agen(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.agen; }
static inline void xed3_operand_set_agen(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.agen = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_relbr(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.relbr; }
static inline void xed3_operand_set_relbr(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.relbr = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_absbr(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.absbr; }
static inline void xed3_operand_set_absbr(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.absbr = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_ptr(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.ptr; }
static inline void xed3_operand_set_ptr(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.ptr = (xed_uint8_t)v; }
static inline xed_reg_enum_t xed3_operand_get_reg0(const xed_decoded_inst_t *d) { return (xed_reg_enum_t)d->_operands.reg0; }
static inline void xed3_operand_set_reg0(xed_decoded_inst_t *d, xed_reg_enum_t v) { d->_operands.reg0 = (xed_uint16_t)v; }
static inline xed_reg_enum_t xed3_operand_get_reg1(const xed_decoded_inst_t *d) { return (xed_reg_enum_t)d->_operands.reg1; }
static inline void xed3_operand_set_reg1(xed_decoded_inst_t *d, xed_reg_enum_t v) { d->_operands.reg1 = (xed_uint16_t)v; }
static inline xed_reg_enum_t xed3_operand_get_reg2(const xed_decoded_inst_t *d) { return (xed_reg_enum_t)d->_operands.reg2; }
static inline void xed3_operand_set_reg2(xed_decoded_inst_t *d, xed_reg_enum_t v) { d->_operands.reg2 = (xed_uint16_t)v; }
static inline xed_reg_enum_t xed3_operand_get_reg3(const xed_decoded_inst_t *d) { return (xed_reg_enum_t)d->_operands.reg3; }
static inline void xed3_operand_set_reg3(xed_decoded_inst_t *d, xed_reg_enum_t v) { d->_operands.reg3 = (xed_uint16_t)v; }
static inline xed_reg_enum_t xed3_operand_get_reg4(const xed_decoded_inst_t *d) { return (xed_reg_enum_t)d->_operands.reg4; }
static inline void xed3_operand_set_reg4(xed_decoded_inst_t *d, xed_reg_enum_t v) { d->_operands.reg4 = (xed_uint16_t)v; }
static inline xed_reg_enum_t xed3_operand_get_reg5(const xed_decoded_inst_t *d) { return (xed_reg_enum_t)d->_operands.reg5; }
static inline void xed3_operand_set_reg5(xed_decoded_inst_t *d, xed_reg_enum_t v) { d->_operands.reg5 = (xed_uint16_t)v; }
static inline xed_reg_enum_t xed3_operand_get_reg6(const xed_decoded_inst_t *d) { return (xed_reg_enum_t)d->_operands.reg6; }
static inline void xed3_operand_set_reg6(xed_decoded_inst_t *d, xed_reg_enum_t v) { d->_operands.reg6 = (xed_uint16_t)v; }
static inline xed_reg_enum_t xed3_operand_get_reg7(const xed_decoded_inst_t *d) { return (xed_reg_enum_t)d->_operands.reg7; }
static inline void xed3_operand_set_reg7(xed_decoded_inst_t *d, xed_reg_enum_t v) { d->_operands.reg7 = (xed_uint16_t)v; }
static inline xed_reg_enum_t xed3_operand_get_reg8(const xed_decoded_inst_t *d) { return (xed_reg_enum_t)d->_operands.reg8; }
static inline void xed3_operand_set_reg8(xed_decoded_inst_t *d, xed_reg_enum_t v) { d->_operands.reg8 = (xed_uint16_t)v; }
static inline xed_reg_enum_t xed3_operand_get_reg9(const xed_decoded_inst_t *d) { return (xed_reg_enum_t)d->_operands.reg9; }
static inline void xed3_operand_set_reg9(xed_decoded_inst_t *d, xed_reg_enum_t v) { d->_operands.reg9 = (xed_uint16_t)v; }
static inline xed_reg_enum_t xed3_operand_get_outreg(const xed_decoded_inst_t *d) { return (xed_reg_enum_t)d->_operands.outreg; }
static inline void xed3_operand_set_outreg(xed_decoded_inst_t *d, xed_reg_enum_t v) { d->_operands.outreg = (xed_uint16_t)v; }
static inline xed_bits_t xed3_operand_get_encoder_preferred(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.encoder_preferred; }
static inline void xed3_operand_set_encoder_preferred(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.encoder_preferred = (xed_uint8_t)v; }
static inline xed_error_enum_t xed3_operand_get_error(const xed_decoded_inst_t *d) { return (xed_error_enum_t)d->_operands.error; }
static inline void xed3_operand_set_error(xed_decoded_inst_t *d, xed_error_enum_t v) { d->_operands.error = (xed_uint8_t)v; }
static inline xed_iclass_enum_t xed3_operand_get_iclass(const xed_decoded_inst_t *d) { return (xed_iclass_enum_t)d->_operands.iclass; }
static inline void xed3_operand_set_iclass(xed_decoded_inst_t *d, xed_iclass_enum_t v) { d->_operands.iclass = (xed_uint16_t)v; }
static inline xed_bits_t xed3_operand_get_nelem(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.nelem; }
static inline void xed3_operand_set_nelem(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.nelem = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_element_size(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.element_size; }
static inline void xed3_operand_set_element_size(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.element_size = (xed_uint16_t)v; }
static inline xed_bits_t xed3_operand_get_map(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.map; }
static inline void xed3_operand_set_map(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.map = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_out_of_bytes(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.out_of_bytes; }
static inline void xed3_operand_set_out_of_bytes(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.out_of_bytes = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_first_f2f3(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.first_f2f3; }
static inline void xed3_operand_set_first_f2f3(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.first_f2f3 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_last_f2f3(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.last_f2f3; }
static inline void xed3_operand_set_last_f2f3(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.last_f2f3 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_ild_f2(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.ild_f2; }
static inline void xed3_operand_set_ild_f2(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.ild_f2 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_ild_f3(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.ild_f3; }
static inline void xed3_operand_set_ild_f3(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.ild_f3 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_max_bytes(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.max_bytes; }
static inline void xed3_operand_set_max_bytes(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.max_bytes = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_ild_seg(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.ild_seg; }
static inline void xed3_operand_set_ild_seg(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.ild_seg = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_nseg_prefixes(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.nseg_prefixes; }
static inline void xed3_operand_set_nseg_prefixes(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.nseg_prefixes = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_nrexes(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.nrexes; }
static inline void xed3_operand_set_nrexes(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.nrexes = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_nprefixes(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.nprefixes; }
static inline void xed3_operand_set_nprefixes(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.nprefixes = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_nominal_opcode(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.nominal_opcode; }
static inline void xed3_operand_set_nominal_opcode(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.nominal_opcode = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_pos_nominal_opcode(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.pos_nominal_opcode; }
static inline void xed3_operand_set_pos_nominal_opcode(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.pos_nominal_opcode = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_has_modrm(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.has_modrm; }
static inline void xed3_operand_set_has_modrm(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.has_modrm = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_has_sib(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.has_sib; }
static inline void xed3_operand_set_has_sib(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.has_sib = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_pos_modrm(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.pos_modrm; }
static inline void xed3_operand_set_pos_modrm(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.pos_modrm = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_pos_sib(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.pos_sib; }
static inline void xed3_operand_set_pos_sib(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.pos_sib = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_pos_disp(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.pos_disp; }
static inline void xed3_operand_set_pos_disp(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.pos_disp = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_pos_imm(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.pos_imm; }
static inline void xed3_operand_set_pos_imm(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.pos_imm = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_pos_imm1(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.pos_imm1; }
static inline void xed3_operand_set_pos_imm1(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.pos_imm1 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_imm1_bytes(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.imm1_bytes; }
static inline void xed3_operand_set_imm1_bytes(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.imm1_bytes = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_modrm_byte(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.modrm_byte; }
static inline void xed3_operand_set_modrm_byte(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.modrm_byte = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_esrc(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.esrc; }
static inline void xed3_operand_set_esrc(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.esrc = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_vexvalid(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.vexvalid; }
static inline void xed3_operand_set_vexvalid(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.vexvalid = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_dummy(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.dummy; }
static inline void xed3_operand_set_dummy(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.dummy = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_no_evex(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.no_evex; }
static inline void xed3_operand_set_no_evex(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.no_evex = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_no_vex(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.no_vex; }
static inline void xed3_operand_set_no_vex(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.no_vex = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_no_apx(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.no_apx; }
static inline void xed3_operand_set_no_apx(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.no_apx = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_amd3dnow(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.amd3dnow; }
static inline void xed3_operand_set_amd3dnow(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.amd3dnow = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_mpxmode(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.mpxmode; }
static inline void xed3_operand_set_mpxmode(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.mpxmode = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_cet(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.cet; }
static inline void xed3_operand_set_cet(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.cet = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_cldemote(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.cldemote; }
static inline void xed3_operand_set_cldemote(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.cldemote = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_vexdest3(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.vexdest3; }
static inline void xed3_operand_set_vexdest3(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.vexdest3 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_vexdest210(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.vexdest210; }
static inline void xed3_operand_set_vexdest210(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.vexdest210 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_vl(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.vl; }
static inline void xed3_operand_set_vl(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.vl = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_vex_prefix(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.vex_prefix; }
static inline void xed3_operand_set_vex_prefix(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.vex_prefix = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_vex_c4(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.vex_c4; }
static inline void xed3_operand_set_vex_c4(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.vex_c4 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_bcast(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.bcast; }
static inline void xed3_operand_set_bcast(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.bcast = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_must_use_evex(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.must_use_evex; }
static inline void xed3_operand_set_must_use_evex(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.must_use_evex = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_zeroing(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.zeroing; }
static inline void xed3_operand_set_zeroing(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.zeroing = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_llrc(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.llrc; }
static inline void xed3_operand_set_llrc(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.llrc = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_bcrc(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.bcrc; }
static inline void xed3_operand_set_bcrc(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.bcrc = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_vexdest4(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.vexdest4; }
static inline void xed3_operand_set_vexdest4(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.vexdest4 = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_mask(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.mask; }
static inline void xed3_operand_set_mask(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.mask = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_roundc(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.roundc; }
static inline void xed3_operand_set_roundc(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.roundc = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_sae(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.sae; }
static inline void xed3_operand_set_sae(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.sae = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_vl_ign(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.vl_ign; }
static inline void xed3_operand_set_vl_ign(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.vl_ign = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_ubit(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.ubit; }
static inline void xed3_operand_set_ubit(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.ubit = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_wbnoinvd(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.wbnoinvd; }
static inline void xed3_operand_set_wbnoinvd(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.wbnoinvd = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_evvspace(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.evvspace; }
static inline void xed3_operand_set_evvspace(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.evvspace = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_nd(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.nd; }
static inline void xed3_operand_set_nd(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.nd = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_nf(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.nf; }
static inline void xed3_operand_set_nf(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.nf = (xed_uint8_t)v; }
static inline xed_bits_t xed3_operand_get_scc(const xed_decoded_inst_t *d) { return (xed_bits_t)d->_operands.scc; }
static inline void xed3_operand_set_scc(xed_decoded_inst_t *d, xed_bits_t v) { d->_operands.scc = (xed_uint8_t)v; }

#endif
