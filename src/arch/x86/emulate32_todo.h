/* SPDX-License-Identifier: Apache-2.0
 * An IA-32 instruction that the VM carries out, and what its parts (emulate32.c, emulate32_string.c, emulate32_far.c)
 * have in common. */
#ifndef LP_X86_EMULATE32_TODO_H
#define LP_X86_EMULATE32_TODO_H
#include "arch/arch.h"
#include "arch/x86/cpu.h"
#include "arch/x86/decoder.h"

enum { FLAG_CF = 1, FLAG_PF = 4, FLAG_AF = 0x10, FLAG_ZF = 0x40, FLAG_SF = 0x80, FLAG_DF = 0x400, FLAG_OF = 0x800,
    FLAG_NT = 0x4000, FLAGS_OF_RESULT = 0x8d5, SELECTOR_CODE32 = 0x23 };

/* Operands as the full decoder names them. */
struct todo {
    struct cpu_state *c;
    ZydisDecodedInstruction z;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    u32 word;        /* bytes of a word of the stack */
    u64 pc;
    bool jumps;      /* c->pc is where it goes on */
    bool paged;      /* its fault is a page fault: */
    u32 fault_at;
    u8 access;       /* enum os_fault_access */
    u8 kind;         /* of another fault: enum os_fault_kind; 0: general protection */
};

/* REFUSED: it is not carried out for IA-32 programs, which is said. */
enum done { DONE, FAULTS, REFUSED };
static inline enum done done(bool well) { return well ? DONE : FAULTS; }

/* Of the guest's memory; false: it faults, and the fault is noted. */
bool emulate32_load(struct todo *t, u64 at, void *to, size_t bytes);
bool emulate32_store(struct todo *t, u64 at, const void *from, size_t bytes);
bool emulate32_push(struct todo *t, u32 v);
bool emulate32_pop(struct todo *t, u32 *v);
/* Of a memory operand, with `sp` as the stack pointer. */
u64 emulate32_address(const struct todo *t, const ZydisDecodedOperand *o, u32 sp);
bool emulate32_operand(struct todo *t, const ZydisDecodedOperand *o, u32 *v, size_t bytes);
u32 emulate32_segment_base(const struct todo *t, ZydisRegister segment);
/* Loads FS or GS, or one of the others if that changes nothing. */
bool emulate32_set_selector(ZydisRegister r, u16 v);
void emulate32_pop_flags(struct todo *t, u32 v, u32 which);

/* Of a selector that a program loads (emulate.c): may it, and where does the segment begin? */
bool emulate_loadable(u16 selector);
u64 emulate_segment_base(u16 selector);

/* Strings and xlat. */
enum done emulate32_string(struct todo *t);
/* Branches with addresses of 16 bits or through FS, far ones, and loads of far pointers. */
enum done emulate32_transfer(struct todo *t);

static inline u32 reg32(const struct todo *t, u32 r) { return (u32)t->c->gpr[r]; }
static inline void set32(struct todo *t, u32 r, u32 v) { t->c->gpr[r] = v; }
static inline void set16(struct todo *t, u32 r, u32 v)
{
    t->c->gpr[r] = (t->c->gpr[r] & 0xffff0000) | (v & 0xffff);
}
/* A register that an operand of this width changes. */
static inline void set_part(struct todo *t, u32 r, u32 v, u32 bytes)
{
    if (bytes == 2)
        set16(t, r, v);
    else
        set32(t, r, v);
}

#endif
