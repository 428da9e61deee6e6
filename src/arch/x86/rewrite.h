/* SPDX-License-Identifier: Apache-2.0
 * What the files share that lower instructions whose memory operands the tool rewrites. Under jit_lock.
 *
 * A lowering saves the general registers that it borrows in slots 0, 1, ... in the order of their numbers (HOW_UNDO: if
 * they are put back, the instruction is not executed). Then it does what may fault. From rewrite_commit on (MAP_COMMIT)
 * it only moves registers: a signal there waits until that is done. */
#ifndef LP_X86_REWRITE_H
#define LP_X86_REWRITE_H
#include "opt/objects.h"
#include "arch/x86/facts.h"
#include "arch/x86/lower.h"

struct rewrite {
    struct pass *b;
    struct emit e;
    const struct insn *in;
    struct ins *ins;
    const struct ins_facts *f;
    u16 used;  /* general registers that the instruction or the tool's addresses use */
    u16 saved; /* those in slots */
    bool indirect; /* in the form of E8: rcx in slot 0, rax in slot 1 */
};

/* Slots that are not for saved registers: the addresses of a string instruction, the target of an indirect call. */
enum { REWRITE_SLOT_SOURCE = 5, REWRITE_SLOT_DESTINATION = 7, REWRITE_SLOT_TARGET = REWRITE_SLOT_SOURCE };

/* A register for a base address that nothing else uses, marked as used. low: one that needs no extension bit. */
enum gpr rewrite_pick(struct rewrite *w, bool low);
void rewrite_begin(struct rewrite *w, u16 save);
void rewrite_commit(struct rewrite *w);
/* Puts saved registers back but for `keep`, and takes over the emission point. */
void rewrite_end(struct rewrite *w, u16 keep);
/* Slot of a saved register. */
s32 rewrite_slot(const struct rewrite *w, enum gpr r);
/* rewrite_load_address: loads the tool's address for memory operand n. The other one loads that, or the address that
 * the instruction itself would use; returns the prefix that the access needs. */
void rewrite_load_address(struct rewrite *w, enum gpr to, int n);
u8 rewrite_load_any_address(struct rewrite *w, enum gpr to, int n, enum gpr scratch);
/* Number of the memory operand that is named in the encoding, or of the one on the stack; -1: none. */
int rewrite_explicit(const struct ins_facts *f);
int rewrite_implicit(const struct ins_facts *f);
/* Has the tool rewritten it? (-1: no) */
bool rewrite_has(const struct rewrite *w, int n);
/* An access that the instruction makes through the stack segment is marked by two prefixes that do nothing: where its
 * address is not canonical the CPU raises another fault than for a stack's register as the base (arch_is_stack_fault).
 * STACK_PREFIX as `prefix` below does so, too. */
#define STACK_PREFIX 0x36
void rewrite_segment(struct emit *e, u8 prefix);
bool rewrite_through_stack(const struct ins_facts *f, int n);
/* mov between (base) and a register: 1, 2 or 8 bytes; 2 are zero-extended when loaded. */
void rewrite_load(struct emit *e, enum gpr to, enum gpr base, u32 bytes, u8 prefix);
void rewrite_store(struct emit *e, enum gpr base, enum gpr from, u32 bytes, u8 prefix);
/* lea disp(%from),%to */
void rewrite_lea(struct emit *e, enum gpr to, enum gpr from, s32 disp);

/* Can operand n have another address? */
bool rewrite_valid(struct ins *i, u32 n);

bool rewrite_stack(struct rewrite *w); /* false: not one of these */
bool rewrite_string(struct rewrite *w);
bool rewrite_transfer(struct rewrite *w);
bool rewrite_reg(struct rewrite *w);
/* Writes the instruction as it is. One that is relative to its own address goes through `base`; GPR_COUNT: it is
 * not. */
void rewrite_emit_same(struct rewrite *w, enum gpr base);

#endif
