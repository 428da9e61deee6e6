/* SPDX-License-Identifier: Apache-2.0
 * The objects of instrumentation, of which tools hold handles: instructions, blocks and the calls inserted there. A
 * handle is a 32-bit number, 0: invalid; INS, BBL and TRACE live as long as the callback that showed them (or, for
 * instructions fetched from an open routine, until it is closed). JIT-time objects are made and used under jit_lock on
 * the thread that translates. */
#ifndef LP_OPT_OBJECTS_H
#define LP_OPT_OBJECTS_H
#include "base/base.h"

struct ins_facts; /* the architecture's full decode, made when first asked for (facts.h) */

/* One argument of an analysis call, as the tool gave it (IARG_*), validated. */
struct call_arg {
    u16 iarg;
    u16 reg;      /* REG for those that name one */
    u32 index;    /* memory operand, argument number, ... */
    u32 offset;   /* in the record of a trace buffer */
    u64 value;    /* constants */
};

/* Arguments that the API makes of those that tools give (src/api/made.c): one that host code makes before the call, its
 * struct made is at the address in `value`; and the instruction's facts, which become a constant. */
enum { IARG_MADE = 1000, IARG_MADE_FACTS };
struct made {
    void (*make)(void *frame, u64 made); /* in the call's frame */
    void (*put)(void *frame, u64 made);  /* behind the call; NULL: there is nothing to do */
    u32 bytes;                           /* of the frame, a multiple of 16 */
    bool is_value;                       /* the argument is the word there, not its address */
    bool counts;                         /* it asks which iteration of a repeated instruction it is */
};

/* One shape of the records of a trace buffer (api/buffer.c); kept for good, there are few. */
#define FILL_MAX_FIELDS 32
struct fill {
    struct fill *next;
    u32 id, n;
    u32 record, most; /* bytes of a record; how many of them a buffer has room for */
    u32 slack;        /* how many are written after one look at its limit, at most */
    struct { u32 offset, bytes; } field[FILL_MAX_FIELDS];
};
extern u32 fill_only; /* the number of the buffer that the tool has defined, 0: none or several */

enum call_kind {
    CALL_PLAIN,
    CALL_IF,
    CALL_THEN,
    CALL_VERSION /* a version case: arguments are the register, the value and the number of the version */
};

struct call {
    struct call *next;      /* the next call at the same place: in CALL_ORDER, then in the order of insertion */
    void *fn;
    const char *name;       /* of the API function that inserted it */
    const char *file;       /* of the tool's source, NULL: unknown */
    int line;
    u8 kind;                /* enum call_kind; a THEN follows its IF */
    bool predicated;
    bool fast;              /* fast linkage: same registers on x86-64 */
    s32 order;
    u64 serial;             /* of its insertion; 0: the engine's own, after all of the same order */
    const void *proto;      /* IARG_PROTOTYPE (struct abi_proto), NULL: none */
    u16 return_reg;         /* REG that gets the result, 0: none */
    u16 nargs;
    bool expose_mxcsr;      /* IARG_EXPOSE */
    bool check_inline;      /* IARG_CHECK_INLINE: the tool expects it to be inlined */
    /* The call writes that record into a trace buffer; its fields are the arguments from 1 on. */
    const struct fill *fill;
    struct call_arg arg[];
};

/* A jump that the tool inserts. */
struct ins_jump {
    bool set, indirect;
    u16 reg;                /* indirect: the REG that holds the target */
    gpc_t target;
};

/* What the tool changes about an instruction. */
#define INS_MAX_MEMS 3
struct ins_change {
    struct ins_jump before, after;
    u16 rewrite[INS_MAX_MEMS]; /* memory operand: the REG that holds its address, 0: unchanged */
    bool scattered;            /* the elements of a gather or scatter are where the tool says */
    struct { u16 old, new; } read, written; /* a REG in place of another where it is read or written, 0: none */
};

struct ins {
    gpc_t pc;
    u32 id;
    u32 next, prev;         /* within the basic block (JIT) or the routine */
    u32 bbl, rtn;
    u8 len;
    u8 bytes[15];
    u8 mode;                /* how it is decoded: the architecture's number, 0 for programs */
    bool deleted;
    bool counted;           /* its calls have become counters (opt/counts.h) */
    bool original;          /* false: inserted by the tool */
    bool taken_late;        /* a direct call whose calls `taken` are made when it has pushed its return address (A37) */
    struct ins_change *change; /* NULL: none */
    struct ins_facts *facts;
    struct call *before, *after, *taken;
};

struct bbl {
    u32 id, trace, next, prev, head, tail, nins;
    bool has_fall_through;
    bool has_target_version;
    u16 target_version;     /* number */
    struct call *calls; /* BBL_InsertCall(IPOINT_BEFORE): moved to the head's list when lowered */
};

struct ins *ins_get(u32 id);     /* NULL: not a live handle */
struct bbl *bbl_get(u32 id);
struct ins *ins_new(gpc_t pc, const u8 *bytes, u8 len);
struct bbl *bbl_new(void);
void objects_reset(void);        /* end of a callback: all JIT-time objects go */
/* Memory that goes with objects_reset. */
void *objects_alloc(size_t bytes);
/* Puts the call into the list of a place, by CALL_ORDER, then by serial. */
void call_put(struct call **list, struct call *c);

/* Is it not to be lowered as it is, but with other operands? */
static inline bool ins_rewritten(const struct ins *ins)
{
    const struct ins_change *c = ins->change;
    return c && (c->rewrite[0] || c->rewrite[1] || c->rewrite[2] || c->scattered || c->read.old || c->written.old);
}

#endif
