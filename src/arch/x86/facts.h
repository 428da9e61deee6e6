/* SPDX-License-Identifier: Apache-2.0
 * Everything that tools may ask about an instruction, decoded once. The decoder's view is Zydis'; names, categories and
 * operands are corrected to what XED says, because that is what Pin's tools were written against (facts_fix.c).
 * Registers are those of the tool API (REG_*). */
#ifndef LP_X86_FACTS_H
#define LP_X86_FACTS_H
#include "base/base.h"
#include "opt/elements.h"

struct ins;

enum fact_kind {
    FACT_NONE,
    FACT_REG,
    FACT_MEM,      /* a real access */
    FACT_AGEN,     /* an address that is computed only: lea, nop, mpx */
    FACT_IMM,
    FACT_BRANCH,   /* imm: displacement */
    FACT_POINTER,  /* direct far transfer: seg_selector, imm: offset */
};

enum fact_visibility { FACT_EXPLICIT, FACT_IMPLICIT, FACT_SUPPRESSED };

struct fact_operand {
    u8 kind;            /* enum fact_kind */
    u8 visibility;      /* enum fact_visibility */
    u8 memory;          /* FACT_MEM: its number among the memory operands */
    u8 name;            /* xed_operand_enum_t */
    bool read, written;
    bool conditional;   /* read or written only on a condition (REP, CMOV from memory, masks) */
    bool is_base;       /* FACT_REG: the address register that a suppressed memory operand uses and changes */
    bool is_signed;     /* FACT_IMM */
    bool vsib;          /* the index is a vector */
    u8 scale;
    u8 disp_bits;       /* width in the encoding, 0: none */
    u8 element_type;    /* ZydisElementType */
    u16 reg;
    u16 base, index, seg; /* seg: only FS and GS, or what a prefix names; else REG_INVALID_ */
    u16 seg_selector;
    u16 element_bits, elements;
    u32 bits;
    s64 disp;
    u64 imm;
};

enum fact_flag {
    FACT_FLAG_BRANCH = 1 << 0,      /* jmp, jcc, loop, jrcxz */
    FACT_FLAG_CALL = 1 << 1,
    FACT_FLAG_RET = 1 << 2,         /* near, far, iret */
    FACT_FLAG_DIRECT = 1 << 3,      /* target in the encoding (target) */
    FACT_FLAG_FAR = 1 << 4,
    FACT_FLAG_CONDITIONAL = 1 << 5, /* a branch that may fall through */
    FACT_FLAG_SYSCALL = 1 << 6,     /* syscall, sysenter, int 0x80 */
    FACT_FLAG_NO_FALL_THROUGH = 1 << 7,
    FACT_FLAG_ATOMIC = 1 << 8,      /* locked read-modify-write, by prefix or by nature (xchg) */
    FACT_FLAG_REP = 1 << 9,         /* a REP that repeats */
    FACT_FLAG_REPNE = 1 << 10,
    FACT_FLAG_PREDICATED = 1 << 11, /* cmov, fcmov, REP */
    FACT_FLAG_PREFETCH = 1 << 12,
    FACT_FLAG_GATHER = 1 << 13,
    FACT_FLAG_SCATTER = 1 << 14,
    FACT_FLAG_LOCK_PREFIX = 1 << 15,
    FACT_FLAG_STACK = 1 << 16,      /* pushes or pops */
    FACT_FLAG_XSAVE = 1 << 17,      /* bytes accessed depend on more than the encoding */
    FACT_FLAG_BAD = 1 << 18,        /* not an instruction that the decoder knows */
    FACT_FLAG_BITS = 1 << 19,       /* bt, bts, btr, btc */
};

/* Prefix bytes that are there, whether or not they do anything. */
enum fact_prefix {
    FACT_PREFIX_66 = 1 << 0, FACT_PREFIX_67 = 1 << 1, FACT_PREFIX_F0 = 1 << 2, FACT_PREFIX_F2 = 1 << 3,
    FACT_PREFIX_F3 = 1 << 4,
    FACT_PREFIX_SEG = 1 << 5, FACT_PREFIX_2E = 1 << 6, FACT_PREFIX_3E = 1 << 7,
};

#define FACT_MAX_OPERANDS 14
#define FACT_MAX_REGS 16
#define FACT_MAX_MEMS 5 /* xcrypt of VIA's CPUs */

struct ins_facts {
    gpc_t pc;
    gpc_t target;           /* FACT_FLAG_DIRECT */
    u32 flags;              /* enum fact_flag */
    u16 iclass, category, extension;
    u16 mnemonic;           /* Zydis' number, for texts */
    u16 seg_prefix;         /* REG of the segment prefix, REG_INVALID_: none */
    u16 mask_reg;           /* EVEX mask (K0: all elements), REG_INVALID_: the instruction takes none */
    u8 prefixes;            /* enum fact_prefix */
    u8 len;
    u8 mode32;              /* enum code_mode: decoded as IA-32 (xed_decode, and systems) */
    bool truncated;         /* FACT_FLAG_BAD: more bytes might have made an instruction */
    u8 address_bits, operand_bits;
    bool zeroing;           /* EVEX mask: zeroes instead of merging */
    u8 rounding;            /* ZydisRoundingMode */
    bool sae;
    u8 broadcast;           /* ZydisBroadcastMode of the memory operand */
    u8 predicate;           /* enum PREDICATE of the tool API */
    u8 noperands, nmem, nread, nwritten;
    u8 bytes[15];
    u8 mem[FACT_MAX_MEMS];  /* memory operand -> operand */
    u16 read_reg[FACT_MAX_REGS], written_reg[FACT_MAX_REGS];
    struct fact_operand op[FACT_MAX_OPERANDS];
};

/* PREDICATE_* of the tool API. */
enum fact_predicate {
    FACT_PREDICATE_ALWAYS_TRUE, FACT_PREDICATE_INVALID, FACT_PREDICATE_B, FACT_PREDICATE_BE, FACT_PREDICATE_L,
    FACT_PREDICATE_LE, FACT_PREDICATE_NB,
    FACT_PREDICATE_NBE, FACT_PREDICATE_NL, FACT_PREDICATE_NLE, FACT_PREDICATE_NO, FACT_PREDICATE_NP, FACT_PREDICATE_NS,
    FACT_PREDICATE_NZ,
    FACT_PREDICATE_O, FACT_PREDICATE_P, FACT_PREDICATE_S, FACT_PREDICATE_Z, FACT_PREDICATE_CXNZ, FACT_PREDICATE_ECXNZ,
    FACT_PREDICATE_RCXNZ,
};

/* Decodes; false: not an instruction (f is then FACT_FLAG_BAD with no operands). len 0: as long as it is, at most avail
 * bytes. */
enum code_mode { CODE_64, CODE_32, CODE_16 };
bool facts_decode(struct ins_facts *f, gpc_t pc, const u8 *bytes, size_t avail, u8 len, enum code_mode mode);

/* Intel (XED's Pin default) or AT&T text. Returns its length, cut to bytes - 1. */
enum facts_syntax { FACTS_INTEL, FACTS_ATT, FACTS_XED };
size_t facts_format(const struct ins_facts *f, enum facts_syntax syntax, char *out, size_t bytes);

/* Does nothing, by its nature (nop of any length, the x87 no-operations). */
bool facts_is_nop(const struct ins_facts *f);

/* --- memory operands, for code that computes their addresses --- */

enum mem_kind {
    MEM_NORMAL,  /* seg base + base + index * scale + disp */
    MEM_PUSH,    /* base is the stack pointer before the instruction, disp is -bytes */
    MEM_POP,     /* the stack pointer before the instruction */
    MEM_STRING,  /* rsi or rdi, of the iteration about to run */
    MEM_XLAT,    /* base + the low byte of index */
    MEM_BIT,     /* as MEM_NORMAL, + bit / bits of the operand * bytes */
    MEM_VSIB,    /* index is the number of a vector register; a vector of addresses */
    MEM_OTHER,   /* no single address: tiles, enter with nesting */
};
enum mem_seg { MEM_SEG_NONE, MEM_SEG_FS, MEM_SEG_GS };
#define MEM_NO_REG (-1)
#define MEM_RIP 16

struct mem_operand {
    u8 kind;         /* enum mem_kind */
    u8 seg;          /* enum mem_seg */
    s8 base, index;  /* enum gpr; MEM_NO_REG, MEM_RIP (base: then `absolute` is the address) */
    s8 bit;          /* MEM_BIT: the general register with the number of the bit, from the address on */
    u8 scale;
    bool addr32;     /* the sum is cut to 32 bits before the segment base is added */
    bool addr16;     /* to 16 bits, in IA-32 programs */
    bool read, written;
    bool conditional;
    u16 index_reg;   /* MEM_VSIB: the REG */
    u16 elements;    /* MEM_VSIB: addresses; each access is bytes long */
    u32 bytes;
    s64 disp;        /* sign-extended; what the instruction itself adds to the stack pointer before is in it */
    u64 absolute;    /* base MEM_RIP, or neither base nor index: the address (without the segment base) */
};

bool facts_memory(const struct ins_facts *f, u32 index, struct mem_operand *m);
/* The address that the encoding names, accessed or (lea) only computed; false: none. */
bool facts_explicit_address(const struct ins_facts *f, struct mem_operand *m);

/* --- of instruction objects (ins_facts.c) --- */
const struct ins_facts *facts_of(struct ins *ins);
/* False: the instruction has no memory operand of that number. */
bool facts_mem_operand(struct ins *ins, u32 index, struct mem_operand *m);
/* Number of the n-th (0, 1) memory operand that is read, or the first that is written; -1: none. */
int facts_read_operand(const struct ins_facts *f, u32 n);
int facts_write_operand(const struct ins_facts *f);
/* Has the instruction a mask? */
bool facts_masked(const struct ins_facts *f);

/* --- accesses of more than one address and one size: gathers, scatters, masks, elements of vectors, the XSAVE family.
 * Evaluated while an analysis call is made, with the guest's registers in the thread's bridge state --- */
/* Elements of an operand; their number. */
u32 elements_list(const struct ins_facts *f, const struct fact_operand *o, struct element *out);
/* Address of the first byte; of a gather or scatter without the index. */
u64 elements_address(const struct ins_facts *f, const struct fact_operand *o);
/* Bytes of an XSAVE or XRSTOR area that the instruction touches; done: it has been executed. */
u32 elements_xsave_bytes(const struct ins_facts *f, bool done);
/* Is it the first iteration of the repeated instruction? True once for each execution that does something. */
bool facts_first_iteration(const struct ins_facts *f);

#endif
