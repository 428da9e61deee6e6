/* SPDX-License-Identifier: Apache-2.0
 * The code cache as tools see it: what happens in it, what is in it, its limits, removal of traces. Functions of the
 * tool are called under the client lock and jit_lock, soon after what they tell of; what they ask for while a trace is
 * being made is done before the cache is entered (jit/requests.h). Rules CC1 to CC4. */
#include "vm/client.h"
#include "api/callback_list.h"
#include "opt/objects.h"
#include "arch/arch.h"
#include "cache/events.h"
#include "image/image.h"
#include "opt/pass.h"
#include "jit/instrument.h"
#include "jit/jit_internal.h"
#include "jit/pages.h"
#include "jit/requests.h"
#include "os/hostmem.h"

#include <stdlib.h>

typedef void noarg_fn(void);
typedef void size_fn(u64);
typedef void pc_fn(u64);
typedef void full_fn(u64, u64);
typedef void link_fn(u64, u64);
typedef void invalidated_fn(u64, u64, int);
typedef void smc_fn(u64, u64, void *);

static struct tool_callback *init, *linked, *unlinked, *invalidated, *flushed, *full, *block, *entered, *exited, *smc;

#define EACH(c, list) for (struct tool_callback *c = list; c; c = c->next)

/* --- what has happened and is not told yet, in order -------------------------------------------------------------- */

enum event_kind { LINKED, UNLINKED, INVALIDATED, FLUSHED, BLOCK, SMC };

struct event {
    enum event_kind kind;
    u64 a, b;
};

static struct event *waiting;
static u32 nwaiting, room;
static bool delivering;

static void note(enum event_kind kind, u64 a, u64 b)
{
    if (nwaiting == room) {
        room = room ? 2 * room : 256;
        waiting = realloc(waiting, room * sizeof *waiting);
        if (!waiting)
            hostmem_die("events of the code cache");
    }
    waiting[nwaiting++] = (struct event){kind, a, b};
}

static void note_linked(const struct exit *x) { note(LINKED, (u64)exit_patch(x), (u64)exit_to(x)->body); }
static void note_unlinked(const struct exit *x) { note(UNLINKED, (u64)exit_patch(x), (u64)exit_stub(x)); }
static void note_invalidated(const struct trace *t) { note(INVALIDATED, t->pc, (u64)t->body); }
static void note_flushed(void) { note(FLUSHED, 0, 0); }
static void note_block(size_t bytes) { note(BLOCK, bytes, 0); }
static void note_smc(gpc_t start, gpc_t end) { note(SMC, start, end); }

static void tell(struct event e)
{
    switch (e.kind) {
    case LINKED: EACH(c, linked) ((link_fn *)c->fn)(e.a, e.b); break;
    case UNLINKED: EACH(c, unlinked) ((link_fn *)c->fn)(e.a, e.b); break;
    case INVALIDATED: EACH(c, invalidated) ((invalidated_fn *)c->fn)(e.a, e.b, 1); break;
    case FLUSHED: EACH(c, flushed) ((noarg_fn *)c->fn)(); break;
    case BLOCK: EACH(c, block) ((size_fn *)c->fn)(e.a); break;
    case SMC: EACH(c, smc) ((smc_fn *)c->fn)(e.a, e.b, c->arg); break;
    }
}

/* Tells the tool what has happened. Its functions may cause more events, which are told, too. */
static void deliver(void)
{
    if (delivering)
        return;
    delivering = true;
    for (u32 i = 0; i < nwaiting; i++)
        tell(waiting[i]);
    nwaiting = 0;
    delivering = false;
}

static void note_entered(const u8 *pc)
{
    EACH(c, entered) ((pc_fn *)c->fn)((u64)pc);
}

static void note_exited(const u8 *pc)
{
    deliver();
    EACH(c, exited) ((pc_fn *)c->fn)((u64)pc);
}

/* The cache is full, and no trace is in the making: the tool may flush, or raise the limit. */
static void note_full(size_t trace_bytes, size_t stub_bytes)
{
    deliver();
    EACH(c, full) ((full_fn *)c->fn)(trace_bytes, stub_bytes);
}

static void *add(struct tool_callback **list, void *fn, void *arg)
{
    cache_watched = true;
    cache_events.deliver = deliver;
    return tool_callback_add(list, fn, arg);
}

#define REGISTER(name, list, event)            \
    void *name(void *fn, void *arg)            \
    {                                          \
        cache_events.event = note_##event;     \
        return add(&list, fn, arg);            \
    }

REGISTER(CODECACHE_AddTraceLinkedFunction, linked, linked)
REGISTER(CODECACHE_AddTraceUnlinkedFunction, unlinked, unlinked)
REGISTER(CODECACHE_AddTraceInvalidatedFunction, invalidated, invalidated)
REGISTER(CODECACHE_AddCacheFlushedFunction, flushed, flushed)
REGISTER(CODECACHE_AddFullCacheFunction, full, full)
REGISTER(CODECACHE_AddCacheBlockFunction, block, block)
REGISTER(CODECACHE_AddCodeCacheEnteredFunction, entered, entered)
REGISTER(CODECACHE_AddCodeCacheExitedFunction, exited, exited)

void *CODECACHE_AddCacheInitFunction(void *fn, void *arg) { return tool_callback_add(&init, fn, arg); }
void *CODECACHE_AddTraceInsertedFunction(void *fn, void *arg)
{
    return tool_callback_add(&instrument_callbacks[INSTRUMENT_INSERTED], fn, arg);
}

void TRACE_AddSmcDetectedFunction(void *fn, void *arg)
{
    cache_events.smc = note_smc;
    add(&smc, fn, arg);
}

void PIN_SetSmcSupport(int enable) { pages_watched = enable; }

void codecache_start(void)
{
    client_lock();
    EACH(c, init) ((noarg_fn *)c->fn)();
    client_unlock();
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

static void lock(void)
{
    client_lock();
    jit_lock();
}

static void unlock(void)
{
    deliver();
    jit_unlock();
    client_unlock();
}

/* A function of the API that returns a number, taken under the lock. */
#define NUMBER(name, expression)    \
    u32 name(void)                  \
    {                               \
        lock();                     \
        u32 n = (u32)(expression);  \
        unlock();                   \
        return n;                   \
    }

#define LINK_BYTES 4ul      /* the displacement of a branch that is patched */
#define FAR_LINK_BYTES 24ul /* a jump between distant regions */

NUMBER(CODECACHE_CodeMemReserved, region_reserved_bytes())
NUMBER(CODECACHE_CodeMemUsed, region_used_bytes())
NUMBER(CODECACHE_DirectoryMemUsed, dir_bytes())
NUMBER(CODECACHE_CacheSizeLimit, region_limit())
NUMBER(CODECACHE_BlockSize, region_block_bytes())
NUMBER(CODECACHE_NumTracesInCache, cache_live.traces)
NUMBER(CODECACHE_NumExitStubsInCache, cache_live.exits)
NUMBER(CODECACHE_ExitStubBytes, cache_live.stub_bytes)
NUMBER(CODECACHE_LinkBytes,
       (cache_live.links - cache_live.far_links) * LINK_BYTES + cache_live.far_links * (LINK_BYTES + FAR_LINK_BYTES))

static int locked(bool (*f)(u64), u64 arg)
{
    lock();
    bool ok = f(arg);
    unlock();
    return ok;
}

int CODECACHE_ChangeCacheLimit(u64 bytes) { return locked(region_set_limit, bytes); }
int CODECACHE_ChangeBlockSize(u64 bytes) { return locked(region_set_block_bytes, bytes); }
int CODECACHE_CreateNewCacheBlock(u64 bytes) { return locked(region_add_block, bytes); }

static int change_max(u32 *which, u32 n)
{
    if (!n || n > PASS_MAX_INSNS)
        return 0;
    lock();
    *which = n;
    unlock();
    return 1;
}

int CODECACHE_ChangeMaxInsPerTrace(u32 n) { return change_max(&build_max_ins, n); }
int CODECACHE_ChangeMaxBblsPerTrace(u32 n) { return change_max(&build_max_bbls, n); }

/* --- removal ------------------------------------------------------------------------------------------------------ */

int CODECACHE_FlushCache(void)
{
    lock();
    jit_request_flush();
    unlock();
    return 1;
}

void PIN_RemoveInstrumentation(void) { CODECACHE_FlushCache(); }

/* `last` belongs to the range. */
u32 CODECACHE_InvalidateRange(u64 first, u64 last)
{
    lock();
    u32 n = jit_request_removal(first, last + 1 ? last + 1 : last);
    unlock();
    return n;
}

void PIN_RemoveInstrumentationInRange(u64 first, u64 last)
{
    if (last < first)
        api_misuse("PIN_RemoveInstrumentationInRange", NULL, 0, "the range ends at 0x%lx, before its start 0x%lx", last,
                   first);
    CODECACHE_InvalidateRange(first, last);
}

u32 CODECACHE_InvalidateTraceAtProgramAddress(u64 pc)
{
    lock();
    u32 n = jit_request_removal_at(pc);
    unlock();
    return n;
}

/* --- places ------------------------------------------------------------------------------------------------------- */

/* Returns 0 if it is not an address of translated code. */
u64 CODECACHE_OriginalAddress(u64 cache_pc)
{
    lock();
    const struct region *r = region_of((void *)cache_pc);
    bool code = r && cache_pc >= (u64)r->code_start && cache_pc < (u64)r->code_next;
    struct code_item item = {0};
    if (code)
        item = region_find_item(r, (void *)cache_pc);
    u64 pc = 0;
    if (item.trace && !(item.trace->flags & TRACE_DEAD))
        pc = item.kind != ITEM_BODY                                ? item.trace->pc
             : cache_pc < (u64)item.start + item.trace->body_bytes ? place_guest_pc(item.trace, cache_pc)
                                                                   : 0;
    unlock();
    return pc;
}

static const struct trace *cached(const char *call, u32 trace)
{
    if (trace != 1 || !instrument_view.head)
        api_misuse(call, NULL, 0, "the trace handle %u is not valid here", trace);
    return instrument_view.cached;
}

/* Returns 0 while the trace is being instrumented, because its code is written afterwards. */
u64 TRACE_CodeCacheAddress(u32 trace)
{
    const struct trace *t = cached("TRACE_CodeCacheAddress", trace);
    return t ? (u64)t->body : 0;
}

u64 TRACE_CodeCacheSize(u32 trace)
{
    const struct trace *t = cached("TRACE_CodeCacheSize", trace);
    return t ? t->body_bytes : 0;
}

u64 TRACE_StubSize(u32 trace)
{
    const struct trace *t = cached("TRACE_StubSize", trace);
    return t ? t->stub_bytes : 0;
}

/* Offset of the first code for the guest address pc or a later one. */
static u32 code_offset(const struct trace *t, gpc_t pc)
{
    struct map_reader r;
    struct map_entry last = {0};
    u64 want = pc > t->pc ? pc - t->pc : 0;
    for (map_begin(&r, t); map_next(&r); last = r.e) {
        if (last.copied && last.pc_off + (r.e.off - last.off) > want)
            return (u32)(last.off + (want - last.pc_off));
        if (r.e.pc_off >= want)
            return r.e.off;
    }
    return t->body_bytes;
}

static u64 code_of(gpc_t pc)
{
    const struct trace *t = instrument_view.cached;
    return t ? (u64)t->body + code_offset(t, pc) : 0;
}

static u64 code_bytes(gpc_t start, gpc_t end)
{
    const struct trace *t = instrument_view.cached;
    u32 stop = t && end < t->pc + t->guest_bytes ? code_offset(t, end) : t ? t->body_bytes : 0;
    return t ? stop - code_offset(t, start) : 0;
}

static const struct ins *ins(const char *call, u32 id)
{
    const struct ins *i = ins_get(id);
    if (!i)
        api_misuse(call, NULL, 0, "the instruction handle %u is not valid here", id);
    return i;
}

u64 INS_CodeCacheAddress(u32 id) { return code_of(ins("INS_CodeCacheAddress", id)->pc); }

u64 INS_CodeCacheSize(u32 id)
{
    const struct ins *i = ins("INS_CodeCacheSize", id);
    return code_bytes(i->pc, i->pc + i->len);
}

static const struct ins *edge(const char *call, u32 id, bool tail)
{
    const struct bbl *b = bbl_get(id);
    if (!b)
        api_misuse(call, NULL, 0, "the basic block handle %u is not valid here", id);
    return ins_get(tail ? b->tail : b->head);
}

u64 BBL_CodeCacheAddress(u32 id) { return code_of(edge("BBL_CodeCacheAddress", id, false)->pc); }

u64 BBL_CodeCacheSize(u32 id)
{
    const struct ins *head = edge("BBL_CodeCacheSize", id, false), *tail = edge("BBL_CodeCacheSize", id, true);
    return code_bytes(head->pc, tail->pc + tail->len);
}
