/* SPDX-License-Identifier: Apache-2.0
 * Shared by the parts of the fuzzer's guest: templates, memory layout, a case and the state before and after it. */
#ifndef LP_FUZZ_H
#define LP_FUZZ_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int32_t s32;
typedef int64_t s64;
#define ARRAY_LEN(a) (sizeof(a) / sizeof(a)[0])

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, GPRS };

/* --- templates (fuzz_table.c makes them) ----------------------------------------------------------------- */
enum { ENC_LEGACY, ENC_3DNOW, ENC_VEX, ENC_EVEX, ENC_XOP };
enum tmpl_form { FORM_NONE, FORM_MEM, FORM_REG };
enum { TMPL_VSIB = 1, TMPL_MASKED = 2 };

struct tmpl {
    u16 mnemonic;
    u8 enc, map, op, pp, w, l, form;
    s8 reg, rm; /* -1: free */
    u8 flags;
};
extern const struct tmpl fuzz_templates[];
extern const unsigned fuzz_ntemplates;
extern u8 *fuzz_supported; /* per template: runs without #UD here */

/* --- randomness: a stream is a function of its seed only -------------------------------------------------- */
struct rng { u64 s; };

static inline u64 rng_next(struct rng *r)
{
    u64 z = r->s += 0x9e3779b97f4a7c15ul;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
    z = (z ^ z >> 27) * 0x94d049bb133111ebul;
    return z ^ z >> 31;
}
static inline u32 rng_below(struct rng *r, u32 n) { return (u32)((rng_next(r) >> 32) * n >> 32); }
static inline bool rng_percent(struct rng *r, u32 p) { return rng_below(r, 100) < p; }
static inline struct rng rng_make(u64 a, u64 b, u64 c)
{
    struct rng r = {a * 0xd1342543de82ef95ul + 1};
    r.s = rng_next(&r) ^ b * 0xaef17502108ef2d9ul;
    r.s = rng_next(&r) ^ c * 0xf1357aea2e62a9c5ul;
    rng_next(&r);
    return r;
}

/* --- memory: two layouts, one in the low 2 GiB, so that absolute and 32-bit addresses reach it, one far above ---- */
enum {
    DATA_BYTES = 16384,      /* random contents, compared */
    PTRS_AT = DATA_BYTES,    /* page of pointers to labels of the case, compared */
    RO_AT = PTRS_AT + 4096,  /* readable only */
    NONE_AT = RO_AT + 4096,  /* not accessible */
    BUS_AT = NONE_AT + 4096, /* mapping past the end of its file */
    DATA_END = BUS_AT + 4096,
    STACK_AT = 0x100000,
    STACK_BYTES = 16384,
    CODE_AT = 0x200000,      /* two arenas: W^X and RWX; the second half of a slot's page and the first of the next are one case's */
    GROUP = 16,              /* cases written before the arena is made executable */
    CODE_SLOT = 4096, CODE_HEAD = 2048,
    CODE_BYTES = (GROUP + 1) * CODE_SLOT,
    RWX_AT = CODE_AT + 0x40000,
    FUEL_AT = PTRS_AT + 2048, /* returns that a case may still make; then a word for rcx */
    FUEL = 100,
    EXIT_AT = 0x300000,      /* the pointer through which a case ends */
    FS_AT = 8192, GS_AT = 10240,    /* segment bases, in the data */
};
#define LAYOUT_LOW 0x50000000ul
#define LAYOUT_HIGH 0x510000000ul

/* --- a case ---------------------------------------------------------------------------------------------- */
enum { MAX_ITEMS = 64, MAX_FIXES = 256, MAX_CODE = 1700, MAX_ITEM = 300, XSAVE_BYTES = 4096, NPTRS = 64 };

struct fix { u16 at; u8 kind; u8 label; }; /* a place in the code (or in the page of pointers) that a label's address goes to */
enum { FIX_REL32, FIX_ABS64, FIX_PTR };

struct item { u16 off, len; const char *what; };

struct gen {
    struct rng rng;      /* of the item being made */
    u64 base;            /* layout */
    u64 code;            /* address of code[0] */
    bool rwx;
    u64 gpr[GPRS];       /* values at the start */
    u32 known;           /* registers that keep their start value: pointers and small offsets */
    u32 small;           /* of these, the offsets */
    u8 vindex;           /* vector register with small indices, never written */
    u8 code_buf[MAX_CODE + 64];
    u32 n;
    struct fix fix[MAX_FIXES];
    u32 nfix, nptrs;
    u16 label[MAX_ITEMS + 8];
    u32 nlabels;
    struct item item[MAX_ITEMS];
    u32 nitems, main_items;
    u64 ptr[NPTRS];
    int tmpl;            /* table mode: the template, else -1 */
    u64 skip;            /* items left out, by number */
    bool align;          /* alignment checks may be on */
    bool loop;           /* in the body of a loop: rcx counts */
};

void gen_case(struct gen *g, u64 seed, u64 number, int tmpl, u64 skip);
extern bool gen_all_rwx; /* probing: no W^X arena */
extern bool gen_steps;   /* only what can be stepped: not what the kernel emulates, which goes on to the next instruction without a trap */
extern bool gen_strict;  /* also what Linchpin is known to do differently (fuzz.py lists it) */

/* fuzz_insn.c: appends one instruction (with the setup that it needs); false: none was made */
bool insn_from_template(struct gen *g, int tmpl);
bool insn_random(struct gen *g);       /* a supported template */
bool insn_raw(struct gen *g);          /* random bytes */
bool insn_wild(struct gen *g);         /* with a memory operand that faults */
void insn_init(void);
/* fuzz_special.c: appends an item that is more than one instruction */
const char *special_item(struct gen *g, u32 self, u32 nlabels, u32 nfunctions);

static inline void put8(struct gen *g, u64 v) { g->code_buf[g->n++] = (u8)v; }
void put(struct gen *g, const void *p, size_t n);
void put32(struct gen *g, u64 v);
void put64(struct gen *g, u64 v);
void put_mov(struct gen *g, u32 reg, u64 v); /* mov $v,%reg */
void put_fix(struct gen *g, u32 kind, u32 label);
void put_rip(struct gen *g, u32 reg, u64 at, u32 tail); /* ModRM and displacement of at(%rip); tail: bytes of immediate to follow */
u64 random_value(struct rng *r);
u64 gen_ptr(struct gen *g, u32 label); /* address of a pointer to a label */

/* --- running it: fuzz_run.c and fuzz_enter.S -------------------------------------------------------------- */
struct run_in { u64 gpr[GPRS], rip, flags, fs, gs, xmask; };
struct run_out { u64 gpr[GPRS], rip, flags, fs, gs; u64 signo, code, addr, err, trapno, traps, trap_hash; };

extern struct run_in fuzz_in;
extern struct run_out fuzz_out;
extern u8 fuzz_xin[XSAVE_BYTES], fuzz_xout[XSAVE_BYTES];
void fuzz_enter(void);

void run_init(void);
void run_write_code(const struct gen *g);          /* into the arena, which is writable */
void run_protect(bool writable);                   /* the W^X arenas */
void run_case(const struct gen *g, u64 seed, u64 number);
void run_prepare(const struct gen *g, u64 seed, u64 number); /* what run_case does before fuzz_enter, */
void run_finish(void);                                       /* and after it */
extern const int run_greg_of[GPRS];                          /* places in a signal's context */
u64 run_digest(const struct gen *g);
void fuzz_mark(u64 n, u64 code);
void dump_case(const struct gen *g, u64 seed, u64 number);
void stops_run(u64 seed, u64 from, u64 to, u64 skip); /* fuzz_stops.c */
extern bool run_forgive_dead; /* handlers do not look at registers and flags: the program may not need them any more */
extern void *fuzz_host_sp;
extern u8 fuzz_in_case, fuzz_leave[], fuzz_abort[];
/* fuzz_state.c: the state before a case, and the state after it made comparable */
void state_init(void);
void state_set(const struct gen *g, struct rng *r);
void state_fill_memory(u64 base, struct rng *r);
void state_normalise(u8 *xsave);
u64 state_hash(u64 h, const void *p, size_t bytes);
extern u32 xsave_offset[8], xsave_bytes[8];
#endif
