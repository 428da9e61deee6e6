/* SPDX-License-Identifier: Apache-2.0
 * The code cache: regions, traces, exits, the directory. Everything here is under jit_lock, but for the lookups that
 * say otherwise. */
#ifndef LP_CACHE_H
#define LP_CACHE_H
#include "base/base.h"
#include "cache/records.h"
#include "os/events.h"
#include "reg_set.h"

struct trace;
struct region;

/* --- state map: what the hardware registers mean at each cache address of a trace (E2) ------------------------ */
/* What an entry of the state map says of the guest. Where the guest's registers are is for the architecture to know, by
 * `how` and `data`; with how 0 all are in place. */
enum map_kind {
    MAP_GUEST,      /* pc = the instruction at pc_off, not yet executed */
    /* The instruction at pc_off has had its effect, and execution goes on elsewhere; with how 0 at the target of exit
     * number `data` of the trace. */
    MAP_TARGET,
    MAP_LEAVING,    /* the same, in cold code */
    /* Analysis calls. At the entry's start all registers are in place, and pc is the instruction that the calls belong
     * to. Inside, signals wait. data 1: the start is not at a boundary, and signals wait there, too. */
    MAP_CALLS,
    /* The part of a bridge from its look at os.pending on. All registers can be restored from the context: a signal
     * makes the bridge look again (arch_bridge_again). */
    MAP_CALLS_DONE,
    /* Inlined analysis routines. At the entry's start all registers are in place. Inside, signals wait until the
     * guest's instruction after it is done (PLACE_COMMIT), and faults are the tool's. */
    MAP_INLINE,
    /* The instruction has had its effects on memory and registers are being put right, or an inlined routine comes back
     * from its rest. Signals wait until the instruction is complete (PLACE_COMMIT). */
    MAP_COMMIT,
    MAP_KINDS,
};
#define MAP_HOWS (32 - MAP_KINDS)
/* Defined by the architecture: the kind of the entries with that `how`. */
extern const u8 arch_map_kind[MAP_HOWS + 1];
/* And those, one bit for each `how`, in which the instruction has had no effect yet: a signal may take it back
 * (arch_bridge_again). */
extern const u32 arch_map_undone;

struct map_entry {
    u32 off;     /* from the trace's body: the start of the range, which ends at the next entry */
    u16 pc_off;  /* from the trace's guest address */
    u16 data;        /* the architecture's, but where it is an exit's number, and for MAP_CALLS */
    u8 kind;         /* enum map_kind */
    u8 how;
    bool waits : 1;  /* the instruction is complete, the calls after it are still to come: signals wait */
    bool calls_done : 1; /* MAP_GUEST: the calls before the instruction are done */
    bool stepped : 1; /* the inlined calls before the instruction are done: signals wait as inside of MAP_INLINE */
    bool flags_held : 1; /* the flags are in a register (opt/hold.h); they count as in place */
    bool copied : 1; /* MAP_GUEST: copies of guest instructions, each as long as the original: pc_off grows with off */
    u8 next_in;      /* register + 1 that has the place of the next trace record (opt/carry.h), 0: none */
    reg_set held;    /* registers that are in the bridge's context (opt/hold.h), one bit each; they count as in place */
};

/* Kept in few bytes, and read from the start whenever somebody asks (statemap.c). Lock-free. */
#define MAP_ENTRY_MAX_BYTES (14u + ((u32)sizeof(reg_set) * 8 + 6) / 7)
u8 *map_encode(u8 *to, const struct map_entry *e, u32 n); /* returns its end */
struct map_reader {
    const u8 *at, *end;
    struct map_entry e;
};
void map_begin(struct map_reader *r, const struct trace *t);
bool map_next(struct map_reader *r); /* reads the next entry into r->e; false: there is none */
/* The entry for body + off. If its instructions are copied, it is changed to begin there. */
struct map_entry map_at(const struct trace *t, u64 off);

/* --- bindings: where registers are on the way from one trace to another (opt/bind.h) ------------------------------ */
/* The second entry of a trace with TRACE_BOUND, for exits that leave registers in the bridge's context. */
struct trace_binding {
    u64 constant;
    u32 off;         /* of that entry, from the trace's body */
    reg_set held;    /* registers that are in the context, one bit each */
    u8 constant_in;  /* register + 1 that has `constant`, 0: none */
} __attribute__((packed));
/* What an exit that `binds` has: a jump that is taken before the registers in the context are loaded. */
struct exit_binding {
    u64 constant;
    /* From the body of its trace: the rel32 of that jump, and where the jump leads while it is not linked. */
    s32 early_off, late_off;
    u16 exit;                /* the exit's number in its trace */
    /* One bit for each register. reg: its value is in the register. slot: its value is in the context. needed: the
     * guest still needs its value. */
    reg_set reg, slot, needed;
    u8 constant_in;
} __attribute__((packed));

/* Code between such an exit and such an entry. It moves the registers that are not where the entry wants them. */
struct bound_piece {
    /* loads are from the context, stores to it; all loads come first, each in the order of register numbers */
    reg_set loads, stores;
    /* From the start of its code: its last instruction, a jump; before it the constant may be loaded. */
    u8 jump_off;
    u8 code[];
};

/* --- exits ------------------------------------------------------------------------------------------------- */
enum exit_kind { EXIT_KIND_BRANCH, EXIT_KIND_EMULATE, EXIT_KIND_STALE, EXIT_KIND_STEP, EXIT_KIND_STEP_JUMP,
    EXIT_KIND_INT80, EXIT_KIND_INT80_DONE, /* int $0x80 that the tool sees: before it, after it */
    EXIT_KIND_REPLACE, EXIT_KIND_RETURN, EXIT_KIND_BREAK, /* opt/hooks.h */
    EXIT_KIND_FULL }; /* no room for trace records: goes on at resume */

struct exit {
    gpc_t target;
    /* Numbers of traces. to: number + 1 of the trace that it is linked to; 0: it goes to its stub. */
    u32 from, to;
    u32 next_in;           /* number + 1 of another exit linked to the same trace */
    s32 patch_off;         /* from the body of its trace: the rel32 */
    s32 resume_off;        /* the same: where the trace goes on after the VM has done its part; 0: at the target */
    u16 version;           /* of the target */
    u8 kind;               /* enum exit_kind */
    u8 part;               /* EXIT_KIND_EMULATE: what the VM does, in the architecture's numbers */
    bool far : 1;          /* linked through a far jump */
    bool after : 1;        /* the VM completes the instruction, and there are calls after it */
    bool carries : 1;      /* in its stub, the place of the next trace record is in a register (opt/carry.h) */
    /* EXIT_KIND_FULL: more registers are not in place; the map at resume_off says where they are. */
    bool looks : 1;
    bool binds : 1;        /* has an exit_binding */
    bool bound : 1;        /* is linked by its early jump */
};

/* Values of cpu.exit_id above any exit number. */
enum { EXIT_SPECIAL = 0x70000000, EXIT_INDIRECT = EXIT_SPECIAL, EXIT_SYSCALL, EXIT_RESUME, EXIT_EMULATE, EXIT_EFAULT,
    EXIT_STALE, EXIT_GATE, EXIT_SYSCALL_AFTER };

/* Records of traces and exits live as long as their region: while there is a record of an exit, there is one of its
 * trace. */
static inline struct exit *exit_get(u32 id) { return record_get(RECORD_EXIT, id, sizeof(struct exit)); }

/* --- traces ------------------------------------------------------------------------------------------------ */
enum {
    TRACE_DEAD = 1,
    TRACE_CHECKED = 2,  /* compares its source when it is entered (E16) */
    /* Only the calls after an instruction that the VM completes (build_after): the guest cannot find it. */
    TRACE_AFTER = 4,
    TRACE_SOURCE = 8,   /* the guest bytes that it was made from are kept with it (jit/smc.h) */
    TRACE_COUNTS = 16,  /* its indirect entry counts returns (jit/clones.h) */
    TRACE_RETURNS = 32, /* it ends with a return */
    TRACE_BOUND = 64,   /* has a trace_binding */
    TRACE_CALLS = 128,  /* it ends with a direct call */
    /* In a restartable sequence (docs/design/rseq.md): only the VM enters it. Before its map there is a
     * section_code. */
    TRACE_SECTION = 256,
    TRACE_SINGLE = 512  /* one instruction, for a thread that is stepped (build_single): the guest cannot find it */
};
struct section_code { /* from the trace's body: the instructions, which the kernel breaks off */
    u32 from, to;
};

/* The key that traces are found by: the address, and above it the number of the version; 0 where the tool has no
 * versions. */
#define VERSION_SHIFT 48
/* A tool uses versions (jit/versions.h). Traces that were made before are gone when one of another version can be
 * reached. */
extern bool versions_used;
static inline u64 version_key(gpc_t pc, u64 version) { return pc + (version << VERSION_SHIFT); }

struct trace {
    gpc_t pc;
    u8 *body;
    /* Its map, then its counters (opt/counts.h), then with TRACE_SOURCE the guest_bytes bytes that it was made from
     * (jit/smc.h), then its bindings. */
    const u8 *records;
    struct region *region;
    u32 number;
    u32 ib_off;            /* from the region's base: its indirect entry; 0: it has none yet */
    u32 body_bytes;
    u32 stub_bytes;        /* stubs, literals and whatever else of it is at the region's end */
    u32 stubs_off;         /* from the region's base: the end of its stubs (arch_stub_at) */
    u32 first_exit;
    u32 in;                /* number + 1 of an exit linked to this trace */
    u32 next_in_page;      /* number + 1 of another trace that starts in the same page (pages.c) */
    u32 next_variant;      /* number + 1 of a trace of the same address for other bytes there (jit/variants.h) */
    u16 nexits, guest_bytes, version, map_bytes, count_bytes;
    u16 flags;
};

static inline struct trace *trace_get(u32 number) { return record_get(RECORD_TRACE, number, sizeof(struct trace)); }
static inline u64 trace_key(const struct trace *t) { return version_key(t->pc, t->version); }
u8 *trace_ib_entry(const struct trace *t); /* NULL: none */

static inline struct trace *exit_from(const struct exit *x) { return trace_get(x->from); }
static inline struct trace *exit_to(const struct exit *x) { return x->to ? trace_get(x->to - 1) : NULL; }
static inline u8 *exit_patch(const struct exit *x) { return exit_from(x)->body + x->patch_off; }
static inline u8 *exit_resume(const struct exit *x)
{
    return x->resume_off ? exit_from(x)->body + x->resume_off : NULL;
}
u8 *exit_stub(const struct exit *x);

/* --- regions (E5, E6) -------------------------------------------------------------------------------------- */
enum region_state { REGION_ACTIVE, REGION_DRAINING, REGION_FREE };

enum item_kind {
    ITEM_BODY,
    ITEM_ENTRY,            /* an indirect entry */
    ITEM_COUNTED_ENTRY,    /* the same, with a count before it (jit/clones.h) */
    ITEM_BOUND,            /* struct bound_piece */
};
struct code_item {
    u8 *start;
    struct trace *trace;   /* NULL: nothing is there */
    u8 kind;               /* enum item_kind */
};
struct packed_item {
    u32 off;               /* from the region's base */
    u32 trace : 30, kind : 2;
};

struct region {
    u8 *base, *end;
    u8 *code_start;        /* traces begin here, after the common routines */
    u8 *code_next;         /* where the next trace goes; grows up */
    u8 *stub_next;         /* where the next stubs end; grows down */
    enum region_state state;
    bool open;             /* all of it (code_open) */
    u64 drain_epoch;
    u64 dead_bytes;        /* of traces that were invalidated one by one */
    struct region *next;
    struct packed_item *items; /* ordered by start; never moves, so that signal handlers may search it */
    u32 nitems, items_cap;
    struct region_records records;
    /* The common routines; arch_emit_common writes them and sets these. */
    u8 *exit_routine, *efault, *bridge_save, *bridge_step, *bridge_restore, *forward_end;
    u8 *gate, *gate_syscall, *gate_after, *gate_counted, *gate_taken;
    u8 *ib_mismatch, *ib_miss, *ib_flags_saved, *ib_none, *ib_none_restored, *ib_hit, *ib_rsi_saved, *ib_found,
        *common_end;
};

void region_init(u64 limit_bytes);
/* A region with at least `bytes` free, in reach of pc where possible; NULL: the limit is reached, and the cache has to
 * be flushed first. */
struct region *region_for(gpc_t pc, size_t bytes);
/* Makes one more region although the limit is reached: after a flush, while other threads are still in regions that
 * drain. */
struct region *region_beyond_limit(void);
void region_add_item(struct region *r, u8 *start, struct trace *t, enum item_kind kind);
/* Before code is written there, and when jit_lock is given back. With -wx the pages are writable in between, and not
 * executable: threads that come to them wait (os_events.wait_for_code). Without, they are always both. */
void code_open(u8 *from, size_t bytes);
void code_close(void);
/* The region is new, and writable. */
void code_new(struct region *r);
/* As code_open, for what is free of the region. */
void region_open(struct region *r);
struct region *region_of(const void *pc);          /* lock-free */
struct code_item region_item(const struct region *r, u32 i);
struct code_item region_find_item(const struct region *r, const void *pc);
struct region *region_first(void);
/* To be called when all traces of all regions are dead and unlinked: every region in use drains until all threads have
 * reached the epoch. */
void region_drain_all(u64 epoch);
void region_drain(struct region *r, u64 epoch); /* the same for one region */
/* Is there a region with `bytes` free for code at pc, so that no new one is needed? */
bool region_has_room(gpc_t pc, size_t bytes);
/* A region that is nearly full, mostly with dead traces; NULL: there is none. */
struct region *region_mostly_dead(void);
/* Frees regions that have drained. oldest_epoch: the smallest epoch of all threads. */
void region_reclaim(u64 oldest_epoch);
u64 region_used_bytes(void);
u64 region_reserved_bytes(void);
u64 region_limit(void);                  /* 0: none */
bool region_set_limit(u64 bytes);        /* false: there is more than that already */
u64 region_block_bytes(void);
bool region_set_block_bytes(u64 bytes);  /* of the regions made from now on; false: too small */
bool region_add_block(u64 bytes);        /* one more now; false: the limit or the kernel says no */

/* --- places: what a cache address stands for (place.c); lock-free ------------------------------------------- */
struct code_item place_item(u64 pc);
const struct trace *place_trace(u64 pc); /* whose body, or what is between it and the next, it is in; NULL: none */
const struct trace *place_body(u64 pc);  /* the same, only the body */
gpc_t place_guest_pc(const struct trace *t, u64 pc); /* the guest instruction that an address of t's body belongs to */
/* The guest instruction of a cache address, of which perhaps (!whole) only the low 32 bits are known; 0: it is in no
 * trace's body. */
gpc_t place_guest_pc_at(u64 at, bool whole);
/* Is it on its way to the VM, where signals wait? */
bool place_leaves(const struct region *r, u64 pc);
/* Where the bridge around it looks at os.pending, 0: it has not looked yet, or there is none. *at: the state there. The
 * look is followed by the instruction, first in place, then with registers in slots, as long as it has not been
 * executed. */
u64 place_look(u64 pc, struct map_entry *at);
bool place_is(u64 pc, enum os_place what);

/* --- directory: guest address to trace (E8) ----------------------------------------------------------------------- */
/* The lookup in a region's common routines reads the indirect entries here without a lock. */
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
/* There is room for one more trace. False: only by the last resort, there is no memory for more. */
bool dir_ready(void);
struct trace *dir_find(u64 key);
void dir_prefetch(u64 key); /* it will be looked for; takes no lock */
void dir_insert(struct trace *t);
void dir_remove(struct trace *t);
void dir_set_ib(const struct trace *t);
void dir_clear(void);
u64 dir_bytes(void);

/* --- linking ----------------------------------------------------------------------------------------------- */
void link_exit(struct exit *x, struct trace *to);
/* The calls to `to` that return to `ret` go to its clone from now on. */
void link_redirect(struct trace *to, gpc_t ret, u16 clone);
void link_drop_trace(struct trace *t); /* unlinks its exits and the exits that lead to it */
void link_cut_trace(struct trace *t);  /* the same when every trace goes: the lists of exits are not kept */
bool trace_binding(const struct trace *t, struct trace_binding *out);
bool exit_binding(const struct exit *x, struct exit_binding *out);
/* Room for `bytes` of code after the last trace of t's region, as an item of its own; NULL: there is none, or less than
 * `left` bytes would remain. trace_end_entry says where the code that was written there ends. */
u8 *trace_add_entry(struct trace *t, enum item_kind kind, size_t bytes, size_t left);
void trace_end_entry(struct trace *t, u8 *end);

/* --- table of indirect branches (E8) ------------------------------------------------------------------------------ */
/* One mapping in the low 2 GiB: 65536 pointers, then three times 65536 bytes of interest in system calls (the second:
 * where the first argument is a high descriptor; the third: where it is that of a file), os_file_fds, counts. */
extern u8 **ibt;
extern u8 *ibt_interest;
enum { IBT_HIGH = 65536, IBT_FILES = 2 * 65536, IBT_FILE_FDS = 3 * 65536 };
/* Counts of returns, by the number of the trace that they return to (jit/clones.h): those of a program are together. */
extern u32 *ibt_count;
#define ibt_counter(trace) (&ibt_count[(trace) & (IBT_ENTRIES - 1)])
extern u32 ibt_hot;    /* so many returns make a clone */
#define IBT_ENTRIES 65536
/* The index of a guest address. Its low bits alone would put all function entries, which are aligned to 16, into a
 * sixteenth of the table. Cache code computes the same (emit_ibt_index). */
extern bool ibt_mixes; /* the CPU can mix the bits without touching flags */
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
void ibt_set_default(u8 *ib_miss); /* where empty entries of the table lead: to a region's routine for a miss */

/* --- memory of tables (tables.c) ---------------------------------------------------------------------------------- */
#define TABLES_LARGE_BYTES (2ul << 20)
void tables_use_large(u8 *page, size_t used); /* from now on; its first bytes are used */
void tables_want_large(void *p, size_t bytes); /* large pages for memory of that size, where they fit */
void *tables_map(size_t bytes);               /* zeros; NULL: no memory */
void tables_unmap(void *table, size_t bytes);
bool tables_keep(size_t bytes);               /* are tables of that size in a page with others? */
void tables_before_fork(void); /* in the parent */

#endif
