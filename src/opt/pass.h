/* SPDX-License-Identifier: Apache-2.0
 * The state of the translation of one trace, all of it: what is decoded and instrumented, where the guest's registers
 * are, what is held, carried, bound, counted and recorded, the code, its exits and its state map. There is one pass, in
 * jit/build.c; it is used under jit_lock. */
#ifndef LP_OPT_PASS_H
#define LP_OPT_PASS_H
#include "arch/arch.h"
#include "cache/cache.h"
#include "decode.h"
#include "opt/counts.h"
#include "opt/parts.h"
#include "pass_arch.h"

struct ins;
struct call;

struct pass_exit {
    gpc_t target;
    u8 *patch; /* the rel32 that is pointed at the stub */
    u8 *resume;
    u8 kind;
    bool after;
    u16 version;
    reg_set held; /* as in map_entry */
    u8 next_in;
    u8 part;      /* as in exit */
};

struct pass_count {
    struct count c;
    u32 insn;        /* the addition is made before that instruction */
    struct home at; /* of the counter */
    u8 bytes;
    bool locked;
};

struct pass {
    gpc_t pc;
    u16 version;            /* of this trace */
    u16 target_version;     /* version of what the current instruction leads to */
    u16 clone;              /* jit/clones.h */
    gpc_t clone_return;     /* where the code of that clone returns to, 0: not known */
    u16 target_clone;       /* as target_version */
    struct insn insn[PASS_MAX_INSNS];
    struct ins *ins[PASS_MAX_INSNS]; /* the tool's view of it, NULL: no tool has calls there */
    u32 ninsns;
    u32 guest_bytes;
    u64 fetch_fault;        /* first address that could not be fetched */
    bool instrumented;      /* a tool wants to see traces */
    bool single;            /* one instruction, after which the VM is asked (build_single) */
    bool section;           /* a restartable sequence (docs/design/rseq.md) */
    u8 *section_from;       /* where its instructions begin */
    bool named;             /* the trace may name a constant address (insn_may_name) */
    bool checked;           /* E16: source bytes are compared on entry */
    u64 varying;            /* bytes of the source that are others each time: one bit each, of the first 64 */
    u8 source[PASS_SOURCE_BYTES]; /* guest_bytes bytes, as decoded */
    struct region *region;
    u32 number;                  /* of the trace */
    u8 *p;                  /* emission point */
    u8 *body;
    u8 *code;               /* where all of it begins */
    u8 *entry;              /* indirect entry before the body, where indirect branches go; NULL: none */
    bool counts;            /* it begins with a count */
    u8 *data;               /* literals and stubs grow down from here */
    struct pass_exit exit[PASS_MAX_EXITS];
    u32 nexits;
    struct map_entry map[PASS_MAX_MAP];
    u32 nmap;
    struct exit_binding hint;            /* of the exit that asks for the trace; early_off 0: none */
    struct trace_binding binding;        /* off 0: none */
    struct exit_binding bind[PASS_MAX_INSNS + 1];
    u32 nbinds;
    /* Where the guest's registers are. hold_set changes it, and with it what the map entries and exits that follow
     * say: */
    struct hold hold;
    reg_set held;           /* those that are only in the context */
    bool flags_held;
    u8 next_in;             /* the register that has the place of the next record, plus 1 (carry.h); 0: memory has it */
    /* Registers that analysis code uses over several instructions: they do not have the guest's values. */
    reg_set reserved;
    struct hold_constant constant;
    /* Jumps out of the trace with registers to load on their way, in cold code. */
    struct hold_way way[PASS_MAX_INSNS + 1];
    u32 nways;
    struct live live[PASS_MAX_INSNS + 1]; /* what is needed before each instruction, and after the last */
    bool live_known;
    struct pass_count count[PASS_MAX_COUNT_ITEMS];
    struct count_item count_item[PASS_MAX_COUNT_ITEMS];
    u32 ncounts, ncount_items;
    /* The calls that count of the current piece of a block, which has no other calls (count.c). */
    struct raw_count raw[PASS_MAX_COUNT_ITEMS];
    u32 nraw;
    struct fills fills;     /* trace records */
    struct rest rest[REST_MAX]; /* places where inlined routines are left for their rests */
    u32 nrests;
    /* The calls before each instruction are kept here while it is tried whether all of them are counters. */
    struct call *before[PASS_TOOL_INSNS];
    struct pass_arch arch;  /* what the architecture keeps */
    /* The first instruction repeats itself and is executed as a whole, because its calls only count. */
    bool repeats_whole;
};

/* --- what is asked of an instruction ------------------------------------------------------------------------------ */
static inline bool insn_is_branch(const struct insn *in) { return in->effect.cls == EFFECT_BRANCH; }
static inline bool insn_is_call(const struct insn *in)
{
    return in->effect.cls == EFFECT_CALL || in->effect.cls == EFFECT_CALL_INDIRECT;
}
static inline bool insn_is_return(const struct insn *in) { return in->effect.cls == EFFECT_RETURN; }
static inline bool insn_repeats(const struct insn *in) { return in->effect.cls == EFFECT_REPEAT; }
/* Does the trace end after it? */
static inline bool insn_ends_trace(const struct insn *in)
{
    switch ((enum effect_class)in->effect.cls) {
    case EFFECT_JUMP: case EFFECT_CALL: case EFFECT_JUMP_INDIRECT: case EFFECT_CALL_INDIRECT: case EFFECT_RETURN:
    case EFFECT_VM: case EFFECT_BAD:
        return true;
    default:
        return in->ends_trace;
    }
}
/* May execution go on elsewhere than after it, or come back to it? */
static inline bool insn_ends_block(const struct insn *in)
{
    return insn_is_branch(in) || insn_ends_trace(in) || in->effect.cls == EFFECT_SYSCALL || insn_repeats(in);
}

/* --- what lowering notes ------------------------------------------------------------------------------------------ */
u32 pass_add_exit(struct pass *b, gpc_t target, u8 *patch, enum exit_kind kind);
/* Adds a map entry: what the state is from cache address p on. */
void pass_map(struct pass *b, const u8 *p, enum map_kind kind, gpc_t pc, u16 data);
/* The same, with a `how` of the architecture. */
void pass_state(struct pass *b, const u8 *p, u8 how, gpc_t pc, u16 data);

#endif
