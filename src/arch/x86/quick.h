/* SPDX-License-Identifier: Apache-2.0
 * The common instructions decoded by tables of our own, several times faster than the full decoder; what is not common is left to it. */
#ifndef LP_X86_QUICK_H
#define LP_X86_QUICK_H
#include "arch/x86/decode.h"

/* in->bytes holds `avail` bytes. False: not for us, nothing is changed but in's fields, which are set again by the full decoder. effect: all of it, not only its class. */
bool quick_decode(struct insn *in, gpc_t pc, size_t avail, bool effect);

/* Which fields of an instruction name general registers, for code that renames them. */
struct quick_fields {
    bool reg, rm, low;    /* modrm.reg; modrm.rm without memory; the low bits of the opcode */
    bool byte_reg, byte_rm;
    u16 fixed;            /* registers that it names without a field */
};
/* False: not an instruction of the integer unit that can be moved elsewhere. in: as from quick_decode, with its effect. */
bool quick_fields(struct insn *in, const u8 *bytes, struct quick_fields *f);

#endif
