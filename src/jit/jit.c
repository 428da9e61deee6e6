/* SPDX-License-Identifier: Apache-2.0
 * The translator as the rest of the engine sees it: lookup, invalidation, flush, state recovery. Owns jit_lock and the
 * epoch. A trace is dead from the moment it is unlinked; threads still inside leave at its next exit (E9). */
#include "jit/jit.h"

#include "arch/arch.h"
#include "base/options.h"
#include "opt/pass.h"
#include "jit/ahead.h"
#include "jit/clones.h"
#include "opt/events.h"
#include "opt/hooks.h"
#include "jit/forks.h"
#include "jit/instrument.h"
#include "jit/jit_internal.h"
#include "jit/pages.h"
#include "opt/bind.h"
#include "opt/live.h"
#include "opt/peek.h"
#include "opt/spread.h"
#include "jit/requests.h"
#include "jit/smc.h"
#include "jit/variants.h"
#include "os/hostmem.h"
#include "os/events.h"
#include "os/hostlock.h"
#include "os/os.h"
#include "vm/events.h"
#include "os/thread.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>

struct jit_stats jit_stats FORK_WRITES;
static struct hostlock lock FORK_WRITES = HOSTLOCK(LOCK_JIT);
static u64 epoch = 1;
static u64 made_since_flush;

/* A thread may take jit_lock again: the API functions that a callback calls want it. */
static __thread u32 lock_depth __attribute__((tls_model("local-exec")));

/* Writes to protected pages whose traces nobody has removed yet (write_fault): done by whoever has the lock next. */
static bool writes_wait;
static void settle_writes(void);
/* jit_tool_leaves: no trace is begun with the tool any more; those that are there are removed by whoever has the lock
 * next. */
static bool tool_leaves, tool_flush;

void jit_lock(void)
{
    if (lock_depth++ == 0) {
        hostlock_take(&lock);
        if (UNLIKELY(__atomic_load_n(&writes_wait, __ATOMIC_SEQ_CST)))
            settle_writes();
    }
}

static bool try_lock(void)
{
    if (lock_depth || !hostlock_try(&lock))
        return false;
    lock_depth++;
    lockrank_take(LOCK_JIT, &lock, false);
    return true;
}

/* A write that came too late for the lock's holder, and found the lock taken, is seen when the lock is free. */
void jit_unlock(void)
{
    ASSERT(lock_depth);
    if (--lock_depth)
        return;
    do {
        lock_depth = 0;
        code_close();
        hostlock_give(&lock);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        if (LIKELY(!__atomic_load_n(&writes_wait, __ATOMIC_SEQ_CST)) || !try_lock())
            return;
        settle_writes();
    } while (true);
}

bool jit_lock_held(void) { return lock_depth != 0; }

u64 jit_epoch(void) { return epoch; }

static u64 oldest_epoch(void)
{
    u64 oldest = ~0ul;
    thread_list_lock();
    for (struct thread *t = thread_first(); t; t = t->next) {
        u64 e = __atomic_load_n(&t->vm.epoch, __ATOMIC_ACQUIRE),
            floor = __atomic_load_n(&t->vm.epoch_floor, __ATOMIC_ACQUIRE);
        oldest = e < oldest ? e : oldest;
        oldest = floor < oldest ? floor : oldest;
    }
    thread_list_unlock();
    return oldest;
}

static void kill_item(struct code_item item)
{
    struct trace *t = item.trace;
    if (item.kind != ITEM_BODY || (t->flags & TRACE_DEAD))
        return;
    t->flags |= TRACE_DEAD;
    link_cut_trace(t);
    smc_trace_killed(t);
}

/* E10: a thread that waits in a gate must not come back to old code. */
void jit_evict_gates(void)
{
    thread_list_lock();
    for (struct thread *t = thread_first(); t; t = t->next) {
        u64 to = __atomic_load_n(&t->cpu.sysret, __ATOMIC_SEQ_CST);
        if (!to || to == (u64)vm_gate_flushed)
            continue;
        t->cpu.sysret_pc = arch_gate_next_pc(to);
        if (__atomic_compare_exchange_n(&t->cpu.sysret, &to, (u64)vm_gate_flushed, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            __atomic_store_n(&t->vm.epoch, ~0ul, __ATOMIC_RELEASE);
    }
    thread_list_unlock();
}

void jit_flush_locked(void)
{
    pages_forget_traces();
    for (struct region *r = region_first(); r; r = r->next)
        if (r->state == REGION_ACTIVE)
            for (u32 i = 0; i < r->nitems; i++)
                kill_item(region_item(r, i));
    dir_clear();
    ibt_clear_all();
    clones_forget();
    jit_evict_gates();
    epoch++;
    region_drain_all(epoch);
    region_reclaim(oldest_epoch());
    jit_stats.flushes++;
    made_since_flush = 0;
    cache_live = (struct cache_live){0};
    if (UNLIKELY(cache_events.flushed))
        cache_events.flushed();
}

void jit_make_room(gpc_t pc, size_t bytes)
{
    if (LIKELY(region_has_room(pc, bytes)))
        return;
    region_reclaim(oldest_epoch());
    struct region *r = region_has_room(pc, bytes) ? NULL : region_mostly_dead();
    if (!r)
        return;
    for (u32 i = 0; i < r->nitems; i++)
        if (r->items[i].kind == ITEM_BODY)
            jit_kill(trace_get(r->items[i].trace));
    jit_evict_gates();
    region_drain(r, ++epoch);
    region_reclaim(oldest_epoch());
    jit_stats.reclaimed++;
}

static void find_by_address(struct trace *t)
{
    struct trace *first = dir_find(trace_key(t));
    if (UNLIKELY(first != NULL)) {
        variants_add(first, t);
        return;
    }
    dir_insert(t);
}

static void begin_work(void)
{
    if (UNLIKELY(__atomic_load_n(&tool_leaves, __ATOMIC_RELAXED)) && !jit_works())
        instrument_tool_left();
    jit_work_begin();
}

static struct trace *make(gpc_t pc, u16 version, bool indirect, u64 *fetch_fault)
{
    if (options.random_flush && ++made_since_flush >= options.random_flush)
        jit_flush_locked();
    begin_work();
    struct trace *t = build_trace(pc, version, indirect, fetch_fault);
    jit_work_end();
    if (!t)
        return NULL;
    cache_live.traces++;
    cache_live.exits += t->nexits;
    cache_live.stub_bytes += t->stub_bytes;
    find_by_address(t);
    ahead_link(t);
    pages_add_trace(t);
    jit_stats.traces++;
    jit_stats.guest_bytes += t->guest_bytes;
    jit_stats.cache_bytes += t->body_bytes;
    log_at(2, "trace %lx, %u bytes, at %p, %u bytes", t->pc, t->guest_bytes, (void *)t->body, t->body_bytes);
    return t;
}

struct trace *jit_trace(gpc_t pc, u16 version, bool indirect, u64 *fetch_fault)
{
    struct trace *t = dir_find(version_key(pc, version));
    return t ? t : make(pc, version, indirect, fetch_fault);
}

/* The first of the variants that there will be: what led to those before leads to it. */
static struct trace *make_first(gpc_t pc, u16 version, bool indirect, u64 *fetch_fault)
{
    struct trace *t = make(pc, version, indirect, fetch_fault);
    if (t && indirect)
        jit_make_indirect(t);
    return t;
}

struct trace *jit_stale(const struct exit *x, u64 *fetch_fault)
{
    struct trace *stale = exit_from(x);
    gpc_t pc = stale->pc;
    u16 version = stale->version;
    const struct trace *first = dir_find(trace_key(stale));
    bool indirect = first && first->ib_off;
    jit_stats.stale++;
    if (stale->flags & TRACE_DEAD)
        return jit_trace(pc, version, false, fetch_fault);
    if (variants_used()) {
        struct trace *next = variants_next(stale);
        if (next)
            return next;
    } else {
        jit_kill(stale);
    }
    bool others = dir_find(version_key(pc, version));
    struct trace *t = others ? make(pc, version, false, fetch_fault) : make_first(pc, version, indirect, fetch_fault);
    variants_varying = 0;
    return t;
}

/* What is known of the calls after an instruction. */
struct known_after {
    u64 key, epoch;
    struct trace *trace;    /* NULL: there are none */
    u32 len;                /* of the instruction; 0: it could not be fetched */
    u8 source[LONGEST_INSN];
};

/* Is the instruction still the one that it was? A page of code that changes often is not watched, and such a trace does
 * not check its source itself. A tool that gives the code need not give what is in memory. */
static bool is_same_insn(const struct known_after *k, gpc_t pc)
{
    u8 now[LONGEST_INSN];
    return opt_events.fetch ||
           (k->len && os_safe_copy(now, (void *)pc, k->len) == k->len && !memcmp(now, k->source, k->len));
}

/* Such a trace is not in the directory, because the guest never goes there. It is found again here as long as it
 * lives. */
struct trace *jit_after_trace(gpc_t pc, u16 version)
{
    static struct known_after known[256];
    u64 key = version_key(pc, version);
    struct known_after *k = &known[key * DIR_HASH_MULTIPLIER >> 56];
    if (k->key == key && k->epoch == epoch && !(k->trace && k->trace->flags & TRACE_DEAD)) {
        if (is_same_insn(k, pc))
            return k->trace;
        if (k->trace)
            jit_kill(k->trace);
    }
    k->trace = build_after(pc, version, k->source, &k->len);
    if (k->trace)
        pages_add_trace(k->trace);
    k->key = key;
    k->epoch = epoch; /* making it may have flushed */
    return k->trace;
}

/* As jit_after_trace, for a thread that is stepped. */
struct trace *jit_single_trace(gpc_t pc, u16 version, u64 *fetch_fault)
{
    static struct known_after known[256];
    u64 key = version_key(pc, version);
    struct known_after *k = &known[key * DIR_HASH_MULTIPLIER >> 56];
    if (k->key == key && k->epoch == epoch && k->trace && !(k->trace->flags & TRACE_DEAD)) {
        if (is_same_insn(k, pc))
            return k->trace;
        jit_kill(k->trace);
    }
    begin_work();
    k->trace = build_single(pc, version, k->source, &k->len, fetch_fault);
    jit_work_end();
    if (k->trace)
        pages_add_trace(k->trace);
    k->key = key;
    k->epoch = epoch; /* making it may have flushed */
    return k->trace;
}

static u32 count_bytes; /* of what counts before an indirect entry: the same in all */

u8 *jit_emit_entry(const struct region *r, u8 *p, u64 key, const u8 *body, const u32 *counter, u8 **entry)
{
    *entry = p;
    if (counter) {
        p = arch_emit_ib_count(r, p, counter, entry);
        count_bytes = (u32)(p - *entry);
    }
    return arch_emit_ib_entry(r, p, key, body);
}

/* The count before its indirect entry has reached its limit: returns go to the entry itself from now on. */
static void stop_counting(struct trace *t)
{
    t->flags &= (u16)~TRACE_COUNTS;
    t->ib_off += count_bytes;
    *ibt_counter(t->number) = 0; /* for other traces that share the counter */
    dir_set_ib(t);
    clones_hot(t->pc);
}

void jit_make_indirect(struct trace *t)
{
    if (UNLIKELY(t->flags & TRACE_SECTION))
        return;
    if (!t->ib_off) {
        const u32 *counter = clones_count(t->pc) ? ibt_counter(t->number) : NULL;
        u8 *entry = trace_add_entry(t, counter ? ITEM_COUNTED_ENTRY : ITEM_ENTRY, arch_info.entry_bytes, 64);
        if (!entry)
            return; /* no room for an entry: the dispatcher serves its indirect branches */
        trace_end_entry(t, jit_emit_entry(t->region, entry, trace_key(t), t->body, counter, &entry));
        t->flags |= counter ? TRACE_COUNTS : 0;
        t->ib_off = (u32)(entry - t->region->base);
    } else if (t->flags & TRACE_COUNTS && *ibt_counter(t->number) >= ibt_hot) {
        stop_counting(t);
    }
    ibt_set(t->pc, trace_ib_entry(t));
}

void jit_kill(struct trace *t)
{
    if (t->flags & TRACE_DEAD)
        return;
    t->flags |= TRACE_DEAD;
    variants_leave(t);
    ibt_clear(t->pc, trace_ib_entry(t));
    link_drop_trace(t);
    pages_remove_trace(t);
    jit_stats.killed++;
    t->region->dead_bytes += t->body_bytes + t->stub_bytes;
    if (t->flags & (TRACE_AFTER | TRACE_SINGLE))
        return;
    cache_live.traces--;
    cache_live.exits -= t->nexits;
    cache_live.stub_bytes -= t->stub_bytes;
    smc_trace_killed(t);
    if (UNLIKELY(cache_events.invalidated))
        cache_events.invalidated(t);
}

static void code_changed(u64 start, u64 end)
{
    start = PAGE_DOWN(start); /* a page is unprotected as a whole, so no trace of it may stay */
    end = PAGE_UP(end);
    jit_lock();
    pages_each_trace(start, end, jit_kill);
    pages_unprotect(start, end);
    if (peek_forget(start, end)) {
        live_forget_code();
        jit_flush_locked();
    }
    jit_unlock();
}

static bool protects_pages(void) { return pages_protected_count() != 0; }

static void page_written(struct page *p)
{
    if (!p->protected)
        return;
    pages_each_trace(p->addr, p->addr + PAGE_BYTES, jit_kill);
    pages_unprotect(p->addr, p->addr + PAGE_BYTES);
    pages_written(p);
    jit_stats.write_faults++;
}

static void settle_writes(void)
{
    __atomic_store_n(&writes_wait, false, __ATOMIC_SEQ_CST);
    pages_each_opened(page_written);
    if (UNLIKELY(__atomic_exchange_n(&tool_flush, false, __ATOMIC_SEQ_CST)))
        jit_request_flush();
}

/* The caller may have locks of the tool's, for which an instrumentation function waits that has jit_lock. */
void jit_tool_leaves(void)
{
    __atomic_store_n(&tool_leaves, true, __ATOMIC_SEQ_CST);
    if (jit_lock_held()) {
        jit_request_flush();
        return;
    }
    __atomic_store_n(&tool_flush, true, __ATOMIC_SEQ_CST);
    __atomic_store_n(&writes_wait, true, __ATOMIC_SEQ_CST);
    if (try_lock())
        jit_unlock();
}

static bool is_guest_writable(u64 addr)
{
    struct gmap_area area;
    return gmap_find(addr, &area) && (area.flags & GMAP_WRITE);
}

/* Another thread is at work, and may wait for this one: only the kernel's protection is changed now. */
static bool open_page(u64 addr)
{
    if (!is_guest_writable(addr) || !pages_open(addr))
        return false;
    __atomic_store_n(&writes_wait, true, __ATOMIC_SEQ_CST);
    if (try_lock()) /* it has left meanwhile, perhaps without a look */
        jit_unlock();
    return true;
}

static bool write_fault(u64 addr, bool *later)
{
    bool held = jit_lock_held(); /* true in an instrumentation function that writes guest memory */
    if (!held && later && !try_lock())
        return *later = open_page(addr);
    if (!held && !later)
        jit_lock();
    struct page *p = pages_find(addr);
    if (p)
        page_written(p);
    bool ours = p && is_guest_writable(addr); /* where it was not protected any more, another thread was faster */
    if (!held)
        jit_unlock();
    return ours;
}

static void kernel_write(u64 start, u64 end)
{
    if (protects_pages())
        code_changed(start, end);
}

static bool in_cache(u64 pc)
{
    const struct region *r = region_of((void *)pc);
    return r && !place_leaves(r, pc);
}

static bool in_gate(u64 pc)
{
    const struct region *r = region_of((void *)pc);
    return r && pc >= (u64)r->gate_after && pc <= (u64)r->gate_taken;
}

static void tool_thread(void)
{
    jit_lock();
    spread_stop();
    jit_unlock();
}

static void recover(struct cpu_state *c)
{
    const struct region *r = region_of((void *)arch_pc(c));
    ASSERT(r);
    arch_recover(c, r);
    if (clones_used)
        vm_tc.jit.version = 0; /* the guest goes on in the original of a clone */
}

u64 jit_call_site(u64 sp)
{
    u64 word;
    for (u32 i = 1; i <= 32 && os_safe_copy(&word, (void *)(sp - i * 8), 8) == 8; i++) {
        const struct region *r = region_of((void *)word);
        if (!r || word <= (u64)r->code_start || word >= (u64)r->stub_next)
            continue;
        struct code_item item = region_find_item(r, (void *)(word - 1));
        if (item.trace && item.kind == ITEM_BODY)
            return place_guest_pc(item.trace, word - 1);
    }
    return 0;
}

static bool in_region(u64 pc) { return region_of((void *)pc) != NULL; }

/* The holder of jit_lock writes code (-wx), and closes the regions when it gives the lock back. */
static void wait_for_code(void)
{
    jit_lock();
    jit_unlock();
}

static void unprotect_all(void)
{
    jit_lock();
    pages_unprotect(0, ~0ul);
    jit_unlock();
}

static bool protect_no_more(void)
{
    if (!try_lock())
        return false;
    pages_watched = false;
    pages_unprotect(0, ~0ul);
    jit_unlock();
    return true;
}

static u64 *gates(u64 first, u32 *n, size_t *bytes)
{
    u32 count = 1;
    jit_lock();
    for (struct region *r = region_first(); r; r = r->next)
        count++;
    *bytes = PAGE_UP(count * sizeof(u64));
    u64 *gate = hostmem_map(*bytes, PROT_READ | PROT_WRITE);
    *n = 0;
    if (gate)
        gate[(*n)++] = first;
    for (struct region *r = region_first(); gate && r; r = r->next)
        gate[(*n)++] = (u64)r->gate_after;
    jit_unlock();
    return gate;
}

static void each_region(void (*f)(void *arg, u64 start, u64 end), void *arg)
{
    jit_lock();
    for (struct region *r = region_first(); r; r = r->next)
        f(arg, (u64)r->base, (u64)r->end);
    jit_unlock();
}

/* Most of it is as it was, and what a child of a fork does not write is not copied for it. What nobody has touched is
 * not even there. */
static void set_interest(u8 *to, u8 mask)
{
    u8 page[PAGE_BYTES];
    for (u32 at = 0; at < os_interest_end; at += PAGE_BYTES) {
        for (u32 i = 0; i < PAGE_BYTES; i++)
            page[i] = os_syscall_interest[at + i] & mask;
        if (memcmp(to + at, page, PAGE_BYTES))
            memcpy(to + at, page, PAGE_BYTES);
    }
}

static void interest_changed(void)
{
    u8 low = os_low_interest ? 0xff : (u8)~OS_HIGH_INTEREST;
    set_interest(ibt_interest, low);
    set_interest(ibt_interest + IBT_HIGH, 0xff);
    if (os_stops_threads)
        set_interest(ibt_interest + IBT_FILES, low & (u8)~OS_WAITS_INTEREST);
}

static void before_fork(void)
{
    jit_lock();
    forks_before();
    tables_before_fork();
}

static void after_fork(bool child)
{
    if (child)
        forks_child();
    jit_unlock();
}

void hook_add_locked(gpc_t pc, enum hook_kind kind)
{
    if (hook_note(pc, kind))
        pages_each_trace(pc, pc + 1, jit_kill);
}

void hook_add(gpc_t pc, enum hook_kind kind)
{
    if (hook_at(pc) & kind)
        return;
    jit_lock();
    hook_add_locked(pc, kind);
    jit_unlock();
}

void hook_drop(gpc_t pc, enum hook_kind kind)
{
    jit_lock();
    if (hook_forget(pc, kind))
        pages_each_trace(pc, pc + 1, jit_kill);
    jit_unlock();
}

/* Numbers of versions were those of clones. */
static void stop_clones(void)
{
    clones_used = false;
    thread_list_lock();
    for (struct thread *t = thread_first(); t; t = t->next)
        t->jit.version = 0;
    thread_list_unlock();
}

void jit_instrument_anew(void)
{
    jit_lock();
    if (clones_used)
        stop_clones();
    jit_flush_locked();
    jit_unlock();
}

static void watch_return(gpc_t pc) { hook_add(pc, HOOK_RETURN); }

static void stop_cache(void (*change)(void))
{
    jit_lock();
    change();
    jit_evict_gates();
    jit_unlock();
}

static void leave_translation(void (*change)(void))
{
    if (jit_lock_held())
        change();
    while (jit_lock_held())
        jit_unlock();
}

static void fill_events(void)
{
    os_events.code_changed = code_changed;
    os_events.protects_pages = protects_pages;
    os_events.write_fault = write_fault;
    os_events.kernel_write = kernel_write;
    os_events.unprotect_all = unprotect_all;
    os_events.protect_no_more = protect_no_more;
    os_events.in_region = in_region;
    os_events.in_cache = in_cache;
    os_events.wait_for_code = wait_for_code;
    os_events.in_gate = in_gate;
    os_events.place_is = place_is;
    os_events.recover = recover;
    os_events.interest_changed = interest_changed;
    os_events.tool_thread = tool_thread;
    os_events.gates = gates;
    os_events.each_region = each_region;
    os_events.code_before_fork = before_fork;
    os_events.code_after_fork = after_fork;
    opt_events.flush = jit_flush_locked;
    cache_events.bound_entry = bind_entry;
    vm_events.dispatch = jit_dispatch;
    vm_events.watch_return = watch_return;
    vm_events.stop_cache = stop_cache;
    vm_events.leave_translation = leave_translation;
}

void jit_init(void)
{
    decode_init();
    if (options.region_max_bbls && options.region_max_bbls < build_max_bbls)
        build_max_bbls = options.region_max_bbls;
    forks_reserve();
    region_init(options.cc_memory_size);
    ibt_init();
    dir_init();
    jit_lock();
    struct region *r = region_for(vm_tc.cpu.pc, PASS_BYTES_FIXED);
    if (!r)
        hostmem_die("the code cache");
    ibt_set_default(r->ib_miss);
    interest_changed();
    clones_init();
    jit_unlock();
    fill_events();
}
