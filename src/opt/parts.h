/* SPDX-License-Identifier: Apache-2.0
 * Parts of the state of a pass (pass.h) that have modules of their own, and its bounds. */
#ifndef LP_OPT_PARTS_H
#define LP_OPT_PARTS_H
#include "opt/body.h"
#include "opt/summary.h"

struct call;
struct ins;
struct insn;

#define PASS_MAX_INSNS 128
#define PASS_SOURCE_BYTES (PASS_MAX_INSNS * 15 + 16)
/* With a tool: each instruction may have three places for calls, each with an exit, two jumps, and version cases. */
#define PASS_TOOL_INSNS 64
#define PASS_MAX_EXITS (PASS_TOOL_INSNS * 15 + 4)
#define PASS_MAX_MAP (PASS_MAX_INSNS * 13 + 16 + PASS_MAX_COUNT_ITEMS * 3)
/* Upper bounds for region space, checked before emission starts. */
#define PASS_BYTES_PER_INSN 192
#define PASS_BYTES_FIXED 4096
#define PASS_BYTES_PER_CALL 2048
#define PASS_MAX_COUNT_ITEMS (PASS_TOOL_INSNS * 8)

/* --- where registers are (hold.h) --------------------------------------------------------------------------------- */

/* One bit for each general register: the guest's value is in the register, in the context, or in both. In neither: it
 * is not needed any more. While the stack pointer is not in its register, that has the host's. */
struct hold {
    reg_set reg, slot;
    bool flags; /* the guest's flags are in arch_info.flags_in (arch_flags) */
};

/* A register that the guest does not have now, and the constant that code left in it; -1: none. hold_set forgets it
 * when the guest gets the register, others who use registers must. */
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

/* Where an inlined routine is left for the routine itself (rest.h). */
struct rest {
    const struct insn *in;
    struct body_way way;
    u8 *back;
    void *fn;
    struct body_use use; /* where the routine's registers are, and the values of constant arguments */
    const struct body *body;
    struct hold hold;   /* of the guest's, on both ways */
    reg_set kept;       /* registers with values for the code after it */
    bool result;        /* it has one */
    u8 next_in;         /* carry.h: it may ask */
};

#define REST_MAX 192 /* in a trace */

/* --- trace records (fill.h) --------------------------------------------------------------------------------------- */

#define FILL_MAX_PIECES PASS_TOOL_INSNS
#define FILL_MAX_RECORDS (PASS_TOOL_INSNS * 4)

/* One piece of a block: records of one buffer. */
struct fill_piece {
    const struct call *full; /* for when there is no room */
    struct ins *ins;         /* the first that has records */
    u32 id, record;
    u32 first, place, last;  /* instructions: of the piece, where room is made, the last with a record */
    u32 records;
    reg_set used;                /* registers that its instructions touch */
    u8 at, work;             /* registers: the room; for values */
    bool flags;              /* are needed where room is made */
    bool follows;            /* carried: there is room since the piece before */
    bool repeats;            /* carried: of each iteration of a REP instruction */
    bool counted;            /* of these: only where the count is not 0 */
    u16 count;               /* of the trace */
};

struct fill_record {
    const struct call *call;
    struct ins *ins;
    u32 piece, number; /* of the piece's records */
};

/* A look at the limit that has code behind the trace. */
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
    u32 room;  /* carried: records since there was a look at the buffer's limit */
    bool open; /* the last piece may go on */
};

#endif
