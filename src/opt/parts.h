/* SPDX-License-Identifier: Apache-2.0
 * Types of the parts of a pass (pass.h) that belong to one module each, and the bounds of a pass. */
#ifndef LP_OPT_PARTS_H
#define LP_OPT_PARTS_H
#include "opt/body.h"
#include "opt/summary.h"

struct call;
struct ins;
struct insn;

#define PASS_MAX_INSNS 128
#define LONGEST_INSN 15 /* bytes, of all architectures */
#define PASS_SOURCE_BYTES (PASS_MAX_INSNS * LONGEST_INSN + 16)
/* With a tool: each instruction may have three places for calls, each with an exit, two jumps, and version cases. */
#define PASS_TOOL_INSNS 64
#define PASS_MAX_EXITS (PASS_TOOL_INSNS * 15 + 4)
#define PASS_MAX_MAP (PASS_MAX_INSNS * 13 + 16 + PASS_MAX_COUNT_ITEMS * 3)
/* Upper bounds for the space in a region, which is checked before anything is written. */
#define PASS_BYTES_PER_INSN 192
#define PASS_BYTES_FIXED 4096
#define PASS_BYTES_PER_CALL 2048
#define PASS_MAX_COUNT_ITEMS (PASS_TOOL_INSNS * 8)

/* --- where registers are (hold.h) --------------------------------------------------------------------------------- */

/* One bit for each general register: the guest's value is in the register, in the context, or in both. In neither: the
 * guest does not need it any more. While the stack pointer is not in its register, the register has the host's. */
struct hold {
    reg_set reg, slot;
    bool flags; /* the guest's flags are in arch_info.flags_in (arch_flags) */
};

/* A register that does not have the guest's value now, and the constant that is in it; -1: none. hold_set forgets it
 * when the register gets the guest's value again; other code that uses the register has to do so itself. */
struct hold_constant {
    int reg;
    u64 value;
};

struct hold_way {
    gpc_t pc;
    u8 *patch;
    u32 exit;
    reg_set live;
    struct hold hold;
    struct hold_constant constant;
    u8 next_in;
};

/* What the guest still needs (live.h). */
struct live {
    reg_set regs;
    flag_set flags;
};

/* A call that only counts (count.c). */
struct raw_count {
    struct summary what;
    u16 pc_off;
    bool taken; /* belongs to a count already */
};

/* A place where an inlined routine is left for its rest (rest.h). */
struct rest {
    const struct insn *in;
    struct body_way way;
    u8 *back;
    void *fn;
    struct body_use use; /* where the routine's registers are, and the values of constant arguments */
    const struct body *body;
    struct hold hold;   /* where the guest's registers are there, and when the rest comes back */
    reg_set kept;       /* registers whose values the code after it needs */
    bool result;        /* the routine's result is needed */
    u8 next_in;         /* where the next record's place is (carry.h) */
};

#define REST_MAX 192 /* rests in a trace */

/* --- trace records (fill.h) --------------------------------------------------------------------------------------- */

#define FILL_MAX_PIECES PASS_TOOL_INSNS
#define FILL_MAX_RECORDS (PASS_TOOL_INSNS * 4)

/* One piece of a block: it has records of one buffer. */
struct fill_piece {
    const struct call *full; /* the call to make when the buffer is full */
    struct ins *ins;         /* the first that has records */
    u32 id, record;
    /* instructions: the first of the piece, the one before which room is made, the last with a record */
    u32 first, place, last;
    u32 records;
    reg_set used;                /* registers that its instructions touch */
    u8 at, work;             /* registers: `at` points at the room, `work` is for values */
    bool flags;              /* the guest needs its flags where room is made */
    bool follows;            /* carried: the look of an earlier piece is for this one, too */
    bool repeats;            /* carried: these are the records of each iteration of a REP instruction */
    bool counted;            /* and they are only written if there are iterations */
    u16 count;               /* the number of its counter in the trace */
};

struct fill_record {
    const struct call *call;
    struct ins *ins;
    u32 piece, number; /* of the piece's records */
};

/* A look at the buffer's limit: its cold code for a full buffer is still to be written. */
struct fill_full {
    const struct insn *in;
    u8 *patch, *again;
    struct hold hold;
    u8 next_in;
};

struct fills {
    struct fill_piece piece[FILL_MAX_PIECES];
    struct fill_record record[FILL_MAX_RECORDS];
    struct fill_full full[FILL_MAX_PIECES];
    struct { u16 first, n; } of[PASS_MAX_INSNS]; /* records by instruction */
    u32 npieces, nrecords, nfull;
    u32 room;  /* carried: how many records were written since the last look at the buffer's limit */
    bool open; /* the last piece may go on */
};

#endif
