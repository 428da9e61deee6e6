/* SPDX-License-Identifier: Apache-2.0
 * The parts of an instruction's encoding: prefixes, opcode, ModRM and what follows, and where they are. */
#ifndef LP_X86_LAYOUT_H
#define LP_X86_LAYOUT_H
#include "base/base.h"

struct ins_facts;

enum code_space { SPACE_LEGACY, SPACE_VEX, SPACE_EVEX, SPACE_XOP, SPACE_3DNOW };

struct layout {
    u8 space;                          /* enum code_space */
    u8 map, opcode;
    u8 nlegacy, nrex, nseg;            /* prefix bytes of each kind */
    u8 first_rep, last_rep;            /* 2: F2, 3: F3, 0: none */
    u8 seg;                            /* the last segment prefix, 0: none */
    bool f2, f3, osz, asz, lock;
    u8 rex;                            /* the byte, 0: none */
    bool w, r, x, b;                   /* as REX has them; VEX and its like have them inverted */
    u8 vector_length, pp, vvvv;        /* VEX and its like; vvvv as encoded, 15: no register */
    bool v4, r4, evex_b, zeroing, ubit;/* EVEX; v4 is 1 for registers from 16 on */
    bool c4;                           /* VEX of three bytes */
    u8 mask;
    bool has_modrm, has_sib;
    u8 modrm, sib;
    u8 at_opcode, at_modrm, at_sib, at_disp, at_imm, at_imm2; /* 0: not there, but for at_opcode */
    u8 disp_bytes, imm_bytes, imm2_bytes;
};

void layout_of(const struct ins_facts *f, struct layout *l);

#endif
