/* SPDX-License-Identifier: Apache-2.0
 * Inside of the code of probes: instructions of the program's, moved (probe_code.c, probe_whole.c). */
#ifndef LP_X86_PROBE_MOVE_H
#define LP_X86_PROBE_MOVE_H
#include "arch/probe.h"
#include "arch/x86/decode.h"
#include "arch/x86/emit.h"

struct move {
    struct emit e;
    const u8 *buffer;
    u64 address;          /* of buffer[0], where the code will be */
    const struct probe_site *s;
};

static inline u64 move_here(const struct move *m) { return m->address + (u64)(m->e.p - m->buffer); }
/* NULL, or why not. *ends: nothing comes after it. */
const char *probe_move_insn(struct move *m, const struct insn *in, bool *ends);
/* A call by a register or by memory, whose return address is the program's own. */
const char *probe_move_call_ind(struct move *m, const struct insn *in);

#endif
