/* SPDX-License-Identifier: Apache-2.0
 * The code cache: regions, traces, exits, the directory. Everything here is under jit_lock, but for the lookups that say otherwise. */
#ifndef LP_CACHE_H
#define LP_CACHE_H
#include "base/base.h"
#include "jit/counts.h"

struct trace;
struct region;

/* --- state map: what the hardware registers mean at each cache address of a trace (E2) ------------------------ */
enum map_kind {
    MAP_GUEST,    /* all in place; pc = the instruction at pc_off, not yet executed */
    MAP_SPILL,    /* as MAP_GUEST, but register `data >> 4` is in slot `data & 15` */
    MAP_IB,       /* indirect branch under way: rcx in slot 0, rax in slot 1, pc = the instruction */
    MAP_IB_DONE,  /* its guest effect is complete: rcx, rax in slots, pc = value in rcx; data: the target's version */
    MAP_IB_KEY,   /* the same, rcx = key of the target in that version */
    MAP_TARGET,   /* all in place; pc = target of exit `data` of the trace */
    MAP_TARGET_COLD, /* the same, behind the trace */
    MAP_JUMP,     /* a jump of the tool's: pc = value of the register `data` (MAP_JUMP_*, arch/x86/lower.h) */
    MAP_SYSCALL,  /* rcx in slot 0; pc = the system call instruction */
    MAP_SYSRET,   /* after the gate: all but rcx in place, rcx = pc = pc_off */
    MAP_GS,       /* GS base swapped: two registers in slots 2 (rax) and 3 (rdx), host-side copy of guest FS base in slot 4 */
    MAP_REP_STEP, /* one iteration of a REP instruction was made, rcx not yet counted down: data as REP_* (arch/x86/lower.h) */
    MAP_REP_DONE, /* the same, counted down */
    MAP_BRIDGE,   /* analysis calls: at its start all is in place, pc = the instruction they stand at; inside, signals wait. data 1: not at a boundary, they wait at its start too */
    MAP_BRIDGE_END, /* from the look at os.pending on, all is restored from the context: a signal makes it look again (arch_bridge_again) */
    MAP_INLINE,   /* inlined analysis routines: at its start all is in place; inside, signals wait until the guest's instruction behind it is done (arch_in_commit), and faults are the tool's */
    MAP_COUNT,    /* amid an addition to a counter: registers and flags that are in slots are in data (arch/x86/count.c) */
    MAP_UNDO,     /* the registers of the mask `data` are in slots 0, 1, ..., in the order of their numbers; the instruction has not been executed */
    MAP_COMMIT,   /* the instruction has had its effects on memory and registers are being put right: signals wait until it is complete (arch_in_commit) */
    MAP_CHECK,    /* self-check prologue: rcx in slot 0, rax in slot 1; pc = start of the trace */
};

struct map_entry {
    u32 off;     /* from the trace's body, start of the range (up to the next entry) */
    u16 pc_off;  /* from the trace's guest address */
    u16 data;
    u8 kind;
    bool waits : 1;  /* the instruction is complete, the calls after it are still to come: signals wait */
    bool behind : 1; /* MAP_GUEST: the calls in front of the instruction are done */
    bool stepped : 1; /* the inlined calls in front of the instruction are done: as inside of MAP_INLINE */
    u16 held;        /* of "all": registers that are in the bridge's context instead (arch/x86/hold.h), one bit each */
};

/* --- exits ------------------------------------------------------------------------------------------------- */
struct exit {
    gpc_t target;
    struct trace *from;
    struct trace *to;      /* linked to, NULL: goes to the stub */
    struct exit *next_in;  /* other exits linked to the same trace */
    u8 *patch;             /* the rel32 in the trace */
    bool far;              /* linked through a far jump */
    u8 *stub;
    u8 *resume;            /* where the trace goes on after the VM's part, NULL: at the target */
    u8 kind;               /* enum exit_kind (jit/build.h) */
    u16 version;           /* of the target */
    bool after;            /* the VM completes the instruction, and there are calls after it */
};

/* Values of cpu.exit_id above any exit number. */
enum { EXIT_SPECIAL = 0x70000000, EXIT_INDIRECT = EXIT_SPECIAL, EXIT_SYSCALL, EXIT_RESUME, EXIT_EMULATE, EXIT_EFAULT, EXIT_STALE, EXIT_GATE, EXIT_SYSCALL_AFTER };

struct exit *exit_get(u32 id);
/* Reserves n consecutive exits for a trace of r; returns the first number. They are free again when the region has drained. */
u32 exit_alloc(struct region *r, u32 n);
void exit_free_region(struct region *r);

/* --- traces ------------------------------------------------------------------------------------------------ */
enum { TRACE_DEAD = 1, TRACE_CHECKED = 2, TRACE_PIECE = 4 /* calls that the VM has run apart from a trace: nobody can find it */ };

/* What traces are found by: the address, and the number of the version above it, 0 where tools have none. */
#define VERSION_SHIFT 48
static inline u64 version_key(gpc_t pc, u64 version) { return pc + (version << VERSION_SHIFT); }

struct trace {
    gpc_t pc;
    u64 key;               /* version_key(pc, version) */
    u16 version;
    u32 guest_bytes;
    u32 flags;
    u8 *body;
    u8 *ib_entry;          /* NULL: not yet an indirect target */
    u32 body_bytes;
    u32 stub_bytes;        /* stubs, literals and what else of it is at the region's end */
    u32 first_exit, nexits;
    u32 nmap;
    struct map_entry *map;
    struct counts counts;
    struct exit *in;       /* exits linked to this trace */
    struct region *region;
    struct page_use *uses; /* pages its code came from (pages.c) */
    u8 *source;            /* guest_bytes bytes, as translated; NULL: nobody asks for it (smc.c) */
};

/* --- regions (E5, E6) -------------------------------------------------------------------------------------- */
enum region_state { REGION_ACTIVE, REGION_DRAINING, REGION_FREE };

struct code_item {
    u8 *start;
    struct trace *trace;
    bool ib_entry;         /* an indirect entry, not a body */
};

struct region {
    u8 *base, *end;
    u8 *code_start;        /* after the common routines */
    u8 *code_next;         /* grows up */
    u8 *stub_next;         /* grows down */
    enum region_state state;
    u64 drain_epoch;
    u64 dead_bytes;        /* of traces that were invalidated one by one */
    struct region *next;
    struct code_item *items; /* ordered by start; never moves, so that signal handlers may search it */
    u32 nitems, items_cap;
    u32 exit_chunk, exit_used; /* current chunk of exits (chunk number + 1), exits used in it */
    u32 exit_chunks;           /* list of the chunks it owns (number + 1) */
    /* common routines, by architecture */
    u8 *exit_routine, *efault, *bridge_save, *bridge_restore, *forward_end;
    u8 *gate, *gate_syscall, *gate_after, *gate_taken;
    u8 *ib_mismatch, *ib_miss, *ib_flags_saved, *ib_none, *ib_none_restored, *ib_hit, *ib_rsi_saved, *ib_found, *common_end;
};

void region_init(u64 limit_bytes);
/* A region with at least `bytes` free that reaches pc where possible; NULL: the limit is reached, flush first. */
struct region *region_for(gpc_t pc, size_t bytes);
/* One more although the limit is reached: after a flush, while other threads are still in what drains. */
struct region *region_beyond_limit(void);
void region_add_item(struct region *r, u8 *start, struct trace *t, bool ib_entry);
struct region *region_of(const void *pc);          /* lock-free */
const struct code_item *region_find_item(const struct region *r, const void *pc);
struct region *region_first(void);
/* After all traces of all regions are dead and unlinked: what is in use drains until the epoch is reached by all threads. */
void region_drain_all(u64 epoch);
void region_drain(struct region *r, u64 epoch); /* one of them */
/* Is there a region with `bytes` free for code at pc, without a new one? */
bool region_has_room(gpc_t pc, size_t bytes);
/* A region that is used for the most part, and that by dead traces; NULL: none. */
struct region *region_mostly_dead(void);
/* Frees what has drained; oldest: smallest epoch of all threads. */
void region_reclaim(u64 oldest_epoch);
u64 region_used_bytes(void);
u64 region_reserved_bytes(void);
u64 region_limit(void);                  /* 0: none */
bool region_set_limit(u64 bytes);        /* false: less than there is */
u64 region_block_bytes(void);
bool region_set_block_bytes(u64 bytes);  /* of the regions made from now on; false: too small */
bool region_add_block(u64 bytes);        /* one more now; false: the limit or the kernel says no */

/* --- directory: guest address to trace; the assembly lookup reads it without a lock (E8) ------------------------ */
struct dir_entry {
    u64 pc;                /* the key; 0: empty */
    u8 *ib_entry;          /* 0: none */
};
struct dir_table {
    u64 offset_mask;       /* (entries - 1) * 16 */
    u64 used;
    struct dir_entry entry[];
};
extern struct dir_table *dir_current; /* read by cache code */
#define DIR_HASH_MULTIPLIER 0x9e3779b97f4a7c15ul

void dir_init(void);
struct trace *dir_find(u64 key);
void dir_insert(struct trace *t);
void dir_remove(struct trace *t);
void dir_set_ib(struct trace *t);
void dir_clear(void);
u64 dir_bytes(void);

/* --- linking ----------------------------------------------------------------------------------------------- */
void link_exit(struct exit *x, struct trace *to);
void link_drop_trace(struct trace *t); /* unlinks all in and out */
void link_cut_trace(struct trace *t);  /* the same when every trace goes: no list is kept */

/* --- indirect branch table (E8): 65536 pointers in the low 2 GiB, then 65536 bytes of system call interest ------ */
extern u8 **ibt;
extern u8 *ibt_interest;
#define LOW_SCRATCH_BYTES 4096
extern u8 *low_scratch; /* memory in reach of 32-bit addresses (jit/spread.h) */
#define IBT_ENTRIES 65536
/* Low bits alone would put all 16-aligned function entries into a sixteenth of the table. Cache code computes the same (emit_ibt_index). */
extern bool ibt_mixes; /* the CPU can do it without touching flags */
static inline u32 ibt_index(gpc_t pc)
{
    u32 low = (u32)pc;
    if (!ibt_mixes)
        return low & (IBT_ENTRIES - 1);
    return (low + (low >> 12 | low << 20)) & (IBT_ENTRIES - 1);
}
void ibt_init(void);
void ibt_set(gpc_t pc, u8 *entry);
void ibt_clear(gpc_t pc, const u8 *entry);
void ibt_clear_all(void);
void ibt_set_default(u8 *ib_miss); /* where empty entries lead: a region's routine */

#endif
