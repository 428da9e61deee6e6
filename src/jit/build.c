/* SPDX-License-Identifier: Apache-2.0
 * Makes a trace: guest bytes are read and decoded from pc until the trace ends, then lowered by the architecture into a
 * region of the cache, then given exits, stubs and its state map. Under jit_lock. Reads guest memory only through
 * os_safe_copy. */
#include "vm/clock.h"
#include "opt/pass.h"

#include "arch/arch.h"
#include "opt/carry.h"
#include "opt/count.h"
#include "opt/fill.h"
#include "opt/hold.h"
#include "opt/live.h"
#include "opt/objects.h"
#include "base/options.h"
#include "opt/events.h"
#include "jit/clones.h"
#include "opt/hooks.h"
#include "jit/versions.h"
#include "jit/instrument.h"
#include "jit/jit_internal.h"
#include "jit/pages.h"
#include "jit/requests.h"
#include "jit/sections.h"
#include "jit/smc.h"
#include "jit/variants.h"
#include "os/os.h"
#include "os/thread.h"
#include "os/hostmem.h"

#include <string.h>

#define MAX_BRANCHES 12 /* conditional branches in a trace */
#define READ_BYTES 64   /* of guest code, at a time: most traces are not longer */
/* In a restartable sequence: instructions in a trace that has calls, and what is added to each at most. */
#define SECTION_TOOL_INSNS 16u
#define SECTION_INSN_BYTES 128

u32 build_max_ins = PASS_MAX_INSNS, build_max_bbls = PASS_MAX_INSNS;

/* One trace is built at a time. */
static struct pass build;

void build_hint(const struct exit *from)
{
    bool none = !from || !exit_binding(from, &build.hint);
    if (none && build.hint.early_off) /* else a child of a fork has no page copied for it */
        build.hint.early_off = 0;
}

/* Forgets the instructions of the trace before. */
static void begin_insns(struct pass *b)
{
    memset(b->ins, 0, b->ninsns * sizeof b->ins[0]);
    b->ninsns = 0;
}

/* Guest code that the tool gives (opt_events.fetch). It need not be what is in memory, so the trace does not compare
 * it. */
static size_t read_from_tool(struct pass *b, size_t want)
{
    struct gmap_area area;
    for (u64 at = b->pc; at < b->pc + want; at = PAGE_DOWN(at) + PAGE_BYTES)
        if (gmap_find(at, &area) && area.flags & GMAP_EXEC)
            pages_watch(at, &area);
    return code_fetch(b->source, b->pc, want);
}

/* Reads the guest code of the trace, up to `want` bytes, as far as it is executable, of which `got` are read already;
 * watches the pages first. Returns how many are read then. */
static size_t read_source(struct pass *b, size_t got, size_t want)
{
    struct gmap_area area;
    want = want < PASS_SOURCE_BYTES ? want : PASS_SOURCE_BYTES;
    if (UNLIKELY(opt_events.fetch != NULL))
        return read_from_tool(b, want);
    while (got < want) {
        u64 at = b->pc + got;
        if (!gmap_find(at, &area) || !(area.flags & GMAP_EXEC))
            break;
        u64 stop = PAGE_DOWN(at) + PAGE_BYTES;
        b->checked |= pages_watch(at, &area);
        size_t n = stop - at < want - got ? stop - at : want - got;
        size_t ok = os_safe_copy(b->source + got, (void *)at, n);
        got += ok;
        if (ok < n)
            break;
    }
    return got;
}

void build_raise_fetch_fault(u64 pc)
{
    struct gmap_area area;
    if (os_call_special_page())
        return;
    if (!gmap_find(pc, &area))
        os_raise_fault(OS_FAULT_EXEC_UNMAPPED, pc);
    else if (!(area.flags & GMAP_EXEC))
        os_raise_fault(OS_FAULT_EXEC_PROTECTED, pc);
    else
        os_raise_fault(OS_FAULT_BUS, pc);
}

static u32 blocks_complete(const struct pass *b)
{
    u32 n = 0;
    for (u32 i = 0; i < b->ninsns; i++)
        n += insn_ends_block(&b->insn[i]);
    return n;
}

/* Does the trace end before `next`, because another trace begins there? Without a tool it does, and is linked to that
 * trace (E7). */
static bool joins(const struct pass *b, gpc_t next)
{
    return !options.no_join && !instrument_active() && dir_find(version_key(next, b->clone ? b->clone : b->version));
}

static bool trace_ends(const struct pass *b, const struct insn *in, u32 *branches)
{
    if (insn_ends_trace(in) || hook_at(in->pc + in->len))
        return true;
    if (UNLIKELY(build_max_bbls < PASS_MAX_INSNS) && blocks_complete(b) >= build_max_bbls)
        return true;
    if (UNLIKELY(os_sections) && os_section_border(in->pc + in->len))
        return true;
    if (insn_is_branch(in) && (++*branches >= MAX_BRANCHES || joins(b, in->pc + in->len)))
        return true;
    return b->checked && in->uses_memory;
}

/* How many bytes are read at an address: not beyond its page while that is enough for an instruction, because most
 * traces stay in one. A tool that gives the code is asked for a page at a time. */
static size_t want_bytes(gpc_t at)
{
    size_t page_left = PAGE_BYTES - (at & (PAGE_BYTES - 1)), most = opt_events.fetch ? PAGE_BYTES : READ_BYTES;
    return page_left < LONGEST_INSN ? LONGEST_INSN : page_left < most ? page_left : most;
}

/* Decodes into b->insn, where several instructions that are only copied may be one. False: the first instruction cannot
 * be fetched. */
static bool decode_source(struct pass *b, u32 max_insns)
{
    /* Nobody asks for effects without a tool. */
    bool (*decode)(struct insn *, gpc_t, const u8 *, size_t) = instrument_active() ? decode_insn_effect : decode_insn;
    size_t have = 0, at = 0;
    u32 branches = 0, n = 0;
    bool named = false;
    bool runs = !options.tool && !options.no_runs && !b->single && !hook_any() && !instrument_active() &&
                !variants_varying &&
                !(UNLIKELY(os_sections) && os_section_near(b->pc, PASS_SOURCE_BYTES));
    b->checked = false;
    for (;;) {
        if (have < at + LONGEST_INSN)
            have = read_source(b, have, at + want_bytes(b->pc + at));
        struct insn *in = &b->insn[b->ninsns];
        /* not the last one that there is room for: whether the trace ends is asked after single instructions */
        u32 run = runs && !b->checked ? decode_run(in, b->pc + at, b->source + at, have - at, max_insns - 1 - n) : 0;
        if (!run && (have <= at || !decode(in, b->pc + at, b->source + at, have - at))) {
            b->fetch_fault = b->pc + have;
            return b->ninsns != 0;
        }
        at += in->len;
        b->ninsns++;
        n += run ? run : 1;
        named |= insn_may_name(in);
        b->named = named;
        b->guest_bytes = (u32)at;
        if (!run && (n >= max_insns || trace_ends(b, in, &branches)))
            return true;
    }
}

/* The calls just lowered are followed by a jump of the tool's. Their last exit, which is taken when a signal waits,
 * leads to the target of that jump, too. */
static void leave_by_jump(struct pass *b, const struct ins_jump *j)
{
    struct pass_exit *x = &b->exit[b->nexits - 1];
    if (j->indirect)
        *x = (struct pass_exit){x->target, x->patch, b->p, EXIT_KIND_STEP_JUMP, false, x->version, x->held, x->next_in,
            0};
    else
        *x = (struct pass_exit){j->target, x->patch, NULL, EXIT_KIND_STEP, false, b->target_version, x->held,
            x->next_in, 0};
}

/* The tool's jump after the calls that stand before the instruction; NULL: there is none. */
static const struct ins_jump *jump_before(const struct ins *ins)
{
    if (ins->change && ins->change->before.set)
        return &ins->change->before;
    return ins->deleted && ins->change && ins->change->after.set && !ins->after ? &ins->change->after : NULL;
}

/* Are its calls `taken` made when it has pushed its return address? Not by one that the VM carries out. */
static bool is_late(const struct ins *ins, const struct insn *in)
{
    return ins->taken_late && in->effect.cls == EFFECT_CALL;
}

static void lower_calls_before(struct pass *b, const struct insn *in, struct ins *ins)
{
    const struct ins_jump *jump = jump_before(ins);
    if (ins->before) {
        arch_lower_calls(b, in, ins, ins->before, BRIDGE_BEFORE, in->pc);
        if (jump)
            leave_by_jump(b, jump);
        else if (ins->deleted && !ins->after)
            leave_by_jump(b, &(struct ins_jump){.target = in->pc + in->len});
        else if (ins->deleted)
            b->exit[b->nexits - 1].kind = EXIT_KIND_STEP_JUMP;
    }
    if (ins->taken && !insn_is_branch(in) && !is_late(ins, in) && !ins->deleted)
        arch_lower_calls(b, in, ins, ins->taken, BRIDGE_TAKEN, in->pc);
}

static void lower_between(struct pass *b, const struct insn *in, struct ins *ins)
{
    if (ins->deleted)
        pass_map(b, b->p, MAP_GUEST, in->pc + in->len, 0);
    else
        arch_lower_insn(b, in,
                        ins_rewritten(ins)                                      ? LOWER_REWRITTEN
                        : ins->taken && (insn_is_branch(in) || is_late(ins, in)) ? LOWER_TAKEN
                                                                                : LOWER_AS_IS);
}

/* Marks the places at which the instruction is complete, or may be, and the calls after it are still to come. */
static void mark_waits(struct pass *b, const struct insn *in, u32 first)
{
    for (u32 i = first; i < b->nmap; i++) {
        struct map_entry *m = &b->map[i];
        /* Of an instruction that repeats itself, one iteration is complete there. */
        bool complete = b->pc + m->pc_off == in->pc + in->len || (m->kind == MAP_TARGET && m->how);
        m->waits = complete && m->kind != MAP_CALLS;
    }
}

/* Marks the places at which the calls before the instruction are done and the instruction itself is still to come. */
static void mark_calls_done(struct pass *b, const struct insn *in, u32 first)
{
    for (u32 i = first; b->map[first - 1].kind == MAP_INLINE && i < b->nmap && b->map[i].kind == MAP_GUEST &&
         b->pc + b->map[i].pc_off == in->pc; i++)
        b->map[i].stepped = true;
    if (b->map[first - 1].kind != MAP_CALLS_DONE)
        return;
    for (u32 i = first;
         i < b->nmap && b->map[i].kind == MAP_GUEST && !b->map[i].how && b->pc + b->map[i].pc_off == in->pc; i++)
        b->map[i].calls_done = true;
}

/* An instruction that repeats itself: are there calls on it, or at the start of the block that it ends? */
static bool iterations_seen(const struct ins *ins)
{
    const struct bbl *block = bbl_get(ins->bbl);
    const struct ins *head = block ? ins_get(block->head) : NULL;
    return ins->before || ins->after || ins->counted || ins_rewritten(ins) || (head && (head->before || head->counted));
}

/* An instruction that the VM completes, with calls after it. The calls before it are lowered here, those after it are
 * made by the VM (build_after). False: it is not such an instruction. */
static bool lower_with_after(struct pass *b, const struct insn *in, struct ins *ins)
{
    if (!ins->after || ins->deleted || !arch_insn_is(in, NATURE_NEEDS_VM))
        return false;
    lower_calls_before(b, in, ins);
    u32 first = b->nmap, exits = b->nexits;
    arch_lower_insn(b, in, ins_rewritten(ins) ? LOWER_REWRITTEN : LOWER_WITH_AFTER);
    for (u32 i = exits; i < b->nexits; i++)
        b->exit[i].after = true;
    if (first && first < b->nmap)
        mark_calls_done(b, in, first);
    return true;
}

static void lower_with_calls(struct pass *b, const struct insn *in, struct ins *ins)
{
    if (!ins) {
        if (UNLIKELY(b->section) && in == b->insn)
            sections_lower(b, in);
        arch_lower_insn(b, in, LOWER_AS_IS);
        return;
    }
    if (UNLIKELY(b->section) && (insn_repeats(in) || arch_insn_is(in, NATURE_NEEDS_VM)))
        sections_lower(b, in);
    if (lower_with_after(b, in, ins))
        return;
    u32 first = b->nmap;
    if (!ins->deleted && !jump_before(ins) && insn_repeats(in) && iterations_seen(ins) &&
        !(b->repeats_whole && in == b->insn)) {
        arch_lower_insn(b, in, LOWER_REPEAT);
    } else {
        lower_calls_before(b, in, ins);
        if (ins->change && ins->change->before.set) {
            arch_lower_jump(b, in, &ins->change->before);
            return; /* the instruction after the jump is never reached */
        }
        if (UNLIKELY(b->section) && !insn_repeats(in))
            sections_lower(b, in);
        first = b->nmap;
        lower_between(b, in, ins);
        if (first && first < b->nmap && !insn_repeats(in))
            mark_calls_done(b, in, first);
    }
    if (ins->after) {
        mark_waits(b, in, first);
        if (UNLIKELY(arch_insn_is(in, NATURE_TRAPS)))
            arch_lower_trap_end(b, in);
        arch_lower_calls(b, in, ins, ins->after, BRIDGE_AFTER, in->pc + in->len);
        if (ins->change && ins->change->after.set)
            leave_by_jump(b, &ins->change->after);
    }
    if (ins->change && ins->change->after.set)
        arch_lower_jump(b, in, &ins->change->after);
}

/* The version that the trace's exits lead to from instruction i on. Where a block goes on within the trace, that has
 * the trace's own version; a block without a target version of its own has that of the block before it. */
static void take_target_version(struct pass *b, u32 i)
{
    const struct bbl *block = b->ins[i] ? bbl_get(b->ins[i]->bbl) : NULL;
    if (block && block->has_target_version && block->tail == b->ins[i]->id)
        b->target_version = block->target_version;
}

/* The clone that the target of the instruction belongs to; 0: none. */
static u16 target_clone(const struct pass *b, const struct insn *in)
{
    if (LIKELY(!clones_used) || insn_is_return(in))
        return 0;
    return insn_is_call(in) ? clones_for_call(in->pc + in->len) : b->clone;
}

/* Is something else than the guest's own instruction executed? */
static bool lowered_anew(const struct insn *in, const struct ins *ins)
{
    return ins->change || ins->deleted || insn_repeats(in);
}

static void lower(struct pass *b, bool calls)
{
    u32 done = 0;
    b->target_version = b->version;
    b->target_clone = b->clone;
    arch_lower_begin(b);
    while (done < b->ninsns) {
        u32 hooks = hook_at(b->insn[done].pc) & (b->version == VERSION_NATIVE ? HOOK_RETURN : ~0u);
        take_target_version(b, done);
        b->target_clone = target_clone(b, &b->insn[done]);
        if (UNLIKELY(hooks))
            arch_lower_hooks(b, &b->insn[done], hooks);
        if (b->ins[done] && lowered_anew(&b->insn[done], b->ins[done]))
            hold_sync_insn(b, done, b->ins[done]->change || b->ins[done]->deleted);
        count_lower(b, done);
        if (calls)
            fill_lower(b, done);
        lower_with_calls(b, &b->insn[done], b->ins[done]);
        done++;
    }
    const struct insn *last = &b->insn[done - 1];
    const struct ins *ins = b->ins[done - 1];
    if (!insn_ends_trace(last) || last->ends_trace || (ins && ins->deleted))
        arch_lower_fall_through(b, last->pc + last->len);
    arch_lower_end(b);
}

static void make_exits(struct pass *b, struct trace *t)
{
    t->nexits = (u16)b->nexits;
    t->first_exit = record_alloc(&b->region->records, RECORD_EXIT, b->nexits);
    t->stubs_off = (u32)(b->data - b->region->base);
    arch_emit_stubs(b, t->first_exit);
    for (u32 i = 0; i < b->nexits; i++) {
        struct exit *x = exit_get(t->first_exit + i);
        const struct pass_exit *from = &b->exit[i];
        *x = (struct exit){.target = from->target, .from = t->number, .patch_off = (s32)(from->patch - b->body),
            .resume_off = from->resume ? (s32)(from->resume - b->body) : 0,
            .kind = from->kind, .part = from->part, .after = from->after, .version = from->version};
        carry_exit(x, from);
    }
    for (u32 i = 0; i < b->nbinds; i++)
        exit_get(t->first_exit + b->bind[i].exit)->binds = true;
}

static u8 *keep_bindings(struct pass *b, struct trace *t, u8 *at)
{
    if (b->binding.off) {
        t->flags |= TRACE_BOUND;
        memcpy(at, &b->binding, sizeof b->binding);
        at += sizeof b->binding;
    }
    memcpy(at, b->bind, b->nbinds * sizeof b->bind[0]);
    return at + b->nbinds * sizeof b->bind[0];
}

static u8 *keep_section(const struct pass *b, u8 *at)
{
    struct section_code c = sections_code(b);
    memcpy(at, &c, sizeof c);
    return at + sizeof c;
}

static void make_records(struct pass *b, struct trace *t)
{
    bool keep_source = (cache_events.smc || b->checked) && !(t->flags & (TRACE_AFTER | TRACE_SINGLE));
    u8 *at = record_room(&b->region->records, b->nmap * MAP_ENTRY_MAX_BYTES + counts_max_bytes(b) +
                                                  (keep_source ? b->guest_bytes : 0) + sizeof b->binding +
                                                  b->nbinds * sizeof b->bind[0] + sizeof(struct section_code)),
       *room = at;
    if (UNLIKELY(b->section))
        at = keep_section(b, at);
    u8 *start = at;
    at = map_encode(at, b->map, b->nmap);
    t->map_bytes = (u16)(at - start);
    at = counts_encode(at, b);
    t->count_bytes = (u16)(at - start - t->map_bytes);
    if (UNLIKELY(keep_source)) {
        memcpy(at, b->source, b->guest_bytes);
        at += b->guest_bytes;
        t->flags |= TRACE_SOURCE;
    }
    at = keep_bindings(b, t, at);
    t->records = start;
    record_keep_bytes(&b->region->records, (u32)(at - room));
}

static struct trace *make_trace(struct pass *b, u16 flags)
{
    struct trace *t = trace_get(b->number);
    *t = (struct trace){.pc = b->pc, .number = b->number, .version = b->clone ? b->clone : b->version,
        .guest_bytes = (u16)b->guest_bytes, .flags = flags, .body = b->body, .body_bytes = (u32)(b->p - b->body),
        .region = b->region};
    make_records(b, t);
    make_exits(b, t);
    if (b->entry) {
        t->ib_off = (u32)(b->entry - b->region->base);
        t->flags |= b->counts ? TRACE_COUNTS : 0;
        region_add_item(b->region, b->code, t, b->counts ? ITEM_COUNTED_ENTRY : ITEM_ENTRY);
    }
    region_add_item(b->region, t->body, t, ITEM_BODY);
    b->region->code_next = (u8 *)(((u64)b->p + 15) & ~15ul);
    t->stub_bytes = (u32)(b->region->stub_next - b->data);
    b->region->stub_next = b->data;
    ASSERT(b->region->code_next <= b->region->stub_next);
    return t;
}

static void begin_code(struct pass *b, bool indirect)
{
    b->p = b->code = b->region->code_next;
    region_open(b->region);
    b->entry = NULL;
    b->number = record_alloc(&b->region->records, RECORD_TRACE, 1);
    b->counts = indirect && clones_count(b->pc);
    if (indirect)
        b->p = jit_emit_entry(b->region, b->p, version_key(b->pc, b->version), NULL,
                              b->counts ? ibt_counter(b->number) : NULL, &b->entry);
    b->body = b->p;
    b->data = b->region->stub_next;
    b->nexits = b->nmap = b->nbinds = 0;
    b->instrumented = instrument_active();
    b->clone_return = b->clone ? clones_return(b->clone) : 0;
    b->binding.off = 0;
}

/* Asks the tool to make room (the cache is full). No translation is in progress while its function runs, so it may
 * remove traces. */
static struct region *tool_makes_room(gpc_t pc, size_t room)
{
    u32 depth = jit_work_pause();
    cache_events.full(room, 0);
    jit_work_again(depth);
    return region_for(pc, room);
}

static struct region *find_room(gpc_t pc, size_t room)
{
    jit_make_room(pc, room);
    struct region *r = region_for(pc, room);
    if (!r && UNLIKELY(cache_events.full))
        r = tool_makes_room(pc, room);
    if (!r || !records_ready() || !dir_ready()) { /* better little code than none */
        jit_flush_locked();
        r = region_for(pc, room);
    }
    if (!r)
        r = region_beyond_limit();
    if (!r)
        hostmem_die("the code cache");
    return r;
}

struct trace *build_after(gpc_t pc, u16 version, u8 source[LONGEST_INSN], u32 *len)
{
    struct pass *b = &build;
    b->pc = pc;
    b->version = b->target_version = version;
    b->clone = b->target_clone = 0;
    begin_insns(b);
    b->ncounts = b->ncount_items = b->repeats_whole = 0;
    *len = 0;
    b->section = false;
    if (!decode_source(b, 1))
        return NULL;
    memcpy(source, b->source, *len = b->guest_bytes);
    struct trace *t = NULL;
    size_t calls = instrument_trace(b);
    if (calls && b->ins[0]->after) {
        b->region = find_room(pc, PASS_BYTES_FIXED + calls * PASS_BYTES_PER_CALL);
        begin_code(b, false);
        live_reset(b);
        arch_lower_calls(b, &b->insn[0], b->ins[0], b->ins[0]->after, BRIDGE_ALONE, pc + b->insn[0].len);
        arch_lower_end(b);
        t = make_trace(b, TRACE_AFTER);
    }
    if (calls)
        objects_reset();
    return t;
}

/* Also finds sections that its instructions name (RS2): the trace may lead into them. */
static bool decode_with_sections(struct pass *b, u32 max)
{
    do {
        b->section = UNLIKELY(os_sections) && os_section_at(b->pc);
        b->section_from = NULL;
        begin_insns(b);
        if (!decode_source(b, b->section && instrument_active() && max > SECTION_TOOL_INSNS ? SECTION_TOOL_INSNS : max))
            return false;
    } while (b->named && UNLIKELY(sections_seek(b)));
    return true;
}

struct trace *build_single(gpc_t pc, u16 version, u8 source[LONGEST_INSN], u32 *len, u64 *fetch_fault)
{
    build.single = true;
    struct trace *t = build_trace(pc, version, false, fetch_fault);
    build.single = false;
    *len = t ? build.guest_bytes : 0;
    memcpy(source, build.source, *len);
    return t;
}

struct trace *build_trace(gpc_t pc, u16 version, bool indirect, u64 *fetch_fault)
{
    struct pass *b = &build;
    u32 max = options.trace_max_ins && options.trace_max_ins < build_max_ins ? options.trace_max_ins : build_max_ins;
    if (UNLIKELY(b->single))
        max = 1;
    if (instrument_active() && max > PASS_TOOL_INSNS)
        max = PASS_TOOL_INSNS;
    b->pc = pc;
    b->version = clones_used ? 0 : version;
    b->clone = clones_used ? version : 0;
    enum clock_place was = clock_at(CLOCK_DECODE);
    bool there = decode_with_sections(b, max);
    indirect &= !b->section;
    if (!there) {
        *fetch_fault = b->fetch_fault;
        clock_back(was);
        return NULL;
    }
    clock_at(CLOCK_TOOL);
    size_t calls = UNLIKELY(version == VERSION_NATIVE) ? 0 : instrument_trace(b);
    clock_at(CLOCK_OPTIMISE);
    live_reset(b);
    if (calls)
        count_plan(b);
    else
        b->ncounts = b->ncount_items = b->repeats_whole = 0;
    size_t room = PASS_BYTES_FIXED + b->guest_bytes + b->ninsns * PASS_BYTES_PER_INSN + calls * PASS_BYTES_PER_CALL +
                  (b->checked ? b->guest_bytes * 8 : 0) + (b->section ? b->ninsns * SECTION_INSN_BYTES : 0);
    clock_at(CLOCK_ENCODE);
    b->region = find_room(pc, room);
    begin_code(b, indirect);
    b->varying = b->checked && !b->instrumented ? variants_varying : 0;
    lower(b, calls);
    const struct insn *last = &b->insn[b->ninsns - 1];
    struct trace *t = make_trace(b, (b->checked ? TRACE_CHECKED : 0) | (insn_is_return(last) ? TRACE_RETURNS : 0) |
                                        (last->effect.cls == EFFECT_CALL ? TRACE_CALLS : 0) |
                                        (b->section ? TRACE_SECTION : 0) | (b->single ? TRACE_SINGLE : 0));
    if (UNLIKELY(cache_events.smc) && !b->single)
        smc_trace_made(t);
    if (calls) {
        clock_at(CLOCK_TOOL);
        instrument_inserted(t);
        objects_reset();
    }
    clock_back(was);
    return t;
}
