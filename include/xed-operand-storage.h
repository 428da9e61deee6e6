/* SPDX-License-Identifier: Apache-2.0
 * Made by scripts/gen-xed-forms from the public tables of XED v2024.05.20:
 * the fields of an instruction. */
#ifndef LINCHPIN_XED_OPERAND_STORAGE_H
#define LINCHPIN_XED_OPERAND_STORAGE_H
#include <stdint.h>

typedef struct {
    uint64_t uimm0;
    int64_t disp;
    uint16_t chip, seg0, base0, index, seg1, base1, mem_width, reg0, reg1, reg2;
    uint16_t reg3, reg4, reg5, reg6, reg7, reg8, reg9, outreg, iclass, element_size;
    uint8_t seg_ovd, hint, encode_force, lock, need_memdisp, disp_width, brdisp_width, df32, df64, norex;
    uint8_t norex2, needrex, rex, rexw, rexr, rexx, rexb, rex2, rexb4, rexx4;
    uint8_t rexr4, has_egpr, rep, osz, prefix66, asz, eosz, easz, skip_osz, mod;
    uint8_t reg, srm, rm, realmode, mode, smode, modep5, modep55c, p4, lzcnt;
    uint8_t tzcnt, mode_first_prefix, mode_short_ud0, imm0, imm1, imm0signed, uimm1, imm_width, using_default_segment0, using_default_segment1;
    uint8_t default_seg, scale, need_sib, sibscale, sibbase, sibindex, mem0, mem1, agen, relbr;
    uint8_t absbr, ptr, encoder_preferred, error, nelem, map, out_of_bytes, first_f2f3, last_f2f3, ild_f2;
    uint8_t ild_f3, max_bytes, ild_seg, nseg_prefixes, nrexes, nprefixes, nominal_opcode, pos_nominal_opcode, has_modrm, has_sib;
    uint8_t pos_modrm, pos_sib, pos_disp, pos_imm, pos_imm1, imm1_bytes, modrm_byte, esrc, vexvalid, dummy;
    uint8_t no_evex, no_vex, no_apx, amd3dnow, mpxmode, cet, cldemote, vexdest3, vexdest210, vl;
    uint8_t vex_prefix, vex_c4, bcast, must_use_evex, zeroing, llrc, bcrc, vexdest4, mask, roundc;
    uint8_t sae, vl_ign, ubit, wbnoinvd, evvspace, nd, nf, scc;
} xed_operand_storage_t;

#endif
