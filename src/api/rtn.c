/* SPDX-License-Identifier: Apache-2.0
 * RTN_: routines as tools see them, and the walk over the instructions of an open one. Insertion and replacement are in
 * rtn_insert.c. Under image_lock; the open routine belongs to whoever holds jit_lock (or to the first thread before the
 * program runs). */
#include "opt/objects.h"
#include "api/usage.h"
#include "api/callback_list.h"
#include "api/ins_facts.h"
#include "facts.h"
#include "decode.h"
#include "image/image.h"
#include "linchpin/api_text.h"

#include <stdlib.h>
#include <string.h>

/* The open routine; there is one at a time. */
static struct {
    u32 rtn;               /* 0: none */
    u32 head, tail, count; /* its instructions, as far as it has been walked */
    u64 walked_bytes;
    u32 first_block, last_block; /* 0: not asked for */
} open;

static RTN handle(const struct rtn *r)
{
    return (RTN){r ? (INT32)r->id : 0};
}

/* The routine of a handle, with image_lock taken. */
static struct rtn *take(const char *call, RTN rtn)
{
    image_lock();
    struct rtn *r = rtn_get((u32)rtn.index);
    if (!r)
        api_misuse(call, NULL, 0,
                   rtn.index ? "routine %d is of an image that is not loaded any more"
                             : "the routine is not valid (%d)",
                   rtn.index);
    return r;
}

#define GETTER(type, name, r, value) \
    type name(RTN rtn) \
    { \
        struct rtn *r = take(#name, rtn); \
        type result = (value); \
        image_unlock(); \
        return result; \
    }

/* The next or previous routine in the same section. */
static RTN neighbour(const struct rtn *r, s32 step)
{
    u32 i = r->pos + (u32)step;
    return handle(i < r->image->nrtns && r->image->rtn[i]->section == r->section ? r->image->rtn[i] : NULL);
}

/* The bytes from its start to the next routine's, padding included. */
static u64 range_of(const struct rtn *r)
{
    const struct section *s = &r->image->file->section[r->section];
    u64 end = s->addr + s->bytes + r->image->bias;
    if (r->pos + 1 < r->image->nrtns && r->image->rtn[r->pos + 1]->start < end)
        end = r->image->rtn[r->pos + 1]->start;
    return end - r->start;
}

static SYM symbol_of(const struct rtn *r)
{
    return (SYM){r->symbol == NO_SYMBOL ? 0 : (INT32)(image_syms(r->image) + r->symbol)};
}

static SEC section_of(const struct rtn *r)
{
    return (SEC){(INT32)(image_secs(r->image) + r->section)};
}

/* Which resolver has chosen this implementation? */
static struct rtn *resolver_of(const struct rtn *r)
{
    struct elffile *f = r->image->file;
    u64 value = r->start - r->image->bias;
    for (u32 i = symbols_from(f, value); i < f->nsymbols && f->symbol[i].value == value; i++)
        for (u32 k = 0; f->symbol[i].flags & SYMBOL_IMPLEMENTATION && k < f->nsymbols; k++)
            if (f->symbol[k].flags & SYMBOL_IFUNC && strcmp(f->symbol[k].name, f->symbol[i].name) == 0)
                return rtn_at(r->image, f->symbol[k].value + r->image->bias);
    return NULL;
}

GETTER(const CHAR *, RTN_Name, r, r->name)
GETTER(UINT32, RTN_Id, r, r->id)
GETTER(ADDRINT, RTN_Address, r, r->start)
GETTER(AFUNPTR, RTN_Funptr, r, (AFUNPTR)r->start)
GETTER(USIZE, RTN_Size, r, r->end - r->start)
GETTER(USIZE, RTN_Range, r, range_of(r))
GETTER(BOOL, RTN_IsArtificial, r, (r->flags & FUNC_ARTIFICIAL) != 0)
GETTER(BOOL, RTN_IsDynamic, r, r->image == NULL) /* code that a JIT compiler has announced: there is none yet */
GETTER(UINT, RTN_DynamicMethodId, r, r->image ? 0 : r->id)
GETTER(SEC, RTN_Sec, r, section_of(r))
GETTER(SYM, RTN_Sym, r, symbol_of(r))
GETTER(RTN, RTN_Next, r, neighbour(r, 1))
GETTER(RTN, RTN_Prev, r, neighbour(r, -1))
GETTER(RTN, RTN_IFuncImplementation, r, handle(rtn_ifunc_target(r)))
GETTER(RTN, RTN_IFuncResolver, r, handle(resolver_of(r)))

/* --- finding ------------------------------------------------------------------------------------------------------ */

RTN RTN_Invalid(void)
{
    return (RTN){0};
}

BOOL RTN_Valid(RTN rtn)
{
    image_lock();
    bool valid = rtn_get((u32)rtn.index) != NULL;
    image_unlock();
    return valid;
}

RTN RTN_FindByAddress(ADDRINT address)
{
    image_lock();
    RTN rtn = handle(rtn_find(address));
    image_unlock();
    return rtn;
}

/* The open routine's, or the one that holds the instruction of a trace. */
RTN INS_Rtn(INS ins)
{
    const struct ins *i = ins_checked(ins, __func__);
    if (i->rtn)
        return (RTN){(INT32)i->rtn};
    return RTN_FindByAddress(i->pc);
}

RTN TRACE_Rtn(TRACE trace) { return RTN_FindByAddress(TRACE_Address(trace)); }

const CHAR *RTN_FindNameByAddress(ADDRINT address)
{
    image_lock();
    const struct rtn *r = rtn_find(address);
    const char *name = r ? r->name : "";
    image_unlock();
    return name;
}

RTN RTN_FindByName(IMG img, const CHAR *name)
{
    image_lock();
    struct image *im = image_get((u32)img.index);
    if (!im)
        api_misuse(__func__, NULL, 0, "%s is looked up in an image that is not valid (%d)", name, img.index);
    RTN rtn = handle(rtn_named(im, name));
    image_unlock();
    if (!RTN_Valid(rtn) && !symbols_wanted)
        usage_need_symbols(__func__);
    return rtn;
}

RTN RTN_CreateAt(ADDRINT address, const CHAR *name)
{
    image_lock();
    RTN rtn = handle(rtn_create(address, name));
    image_unlock();
    return rtn;
}

PIN_CALLBACK RTN_AddInstrumentFunction(RTN_INSTRUMENT_CALLBACK fun, VOID *v)
{
    return (PIN_CALLBACK)tool_callback_add(&rtn_callbacks, (void *)fun, v);
}

/* --- instructions ------------------------------------------------------------------------------------------------- */

VOID RTN_Open(RTN rtn)
{
    struct rtn *r = take(__func__, rtn);
    if (open.rtn)
        api_misuse(__func__, NULL, 0, "%s cannot be opened: a routine (%s) is open already", r->name,
                   rtn_get(open.rtn) ? rtn_get(open.rtn)->name : "gone");
    open.rtn = r->id;
    open.head = open.tail = open.count = open.first_block = open.last_block = 0;
    open.walked_bytes = 0;
    image_unlock();
}

VOID RTN_Close(RTN rtn)
{
    struct rtn *r = take(__func__, rtn);
    if (open.rtn != r->id)
        api_misuse(__func__, NULL, 0, "%s is not open", r->name);
    u32 head = open.head;
    open.rtn = open.head = open.tail = open.count = 0;
    image_unlock();
    if (rtn_close_hook)
        rtn_close_hook(r, head);
}

static void append(const struct rtn *r, gpc_t pc, const u8 *bytes, u8 len)
{
    struct ins *i = ins_new(pc, bytes, len), *tail = ins_get(open.tail);
    i->rtn = r->id;
    i->prev = open.tail;
    if (tail)
        tail->next = i->id;
    else
        open.head = i->id;
    open.tail = i->id;
    open.count++;
}

/* Bytes that are no instruction count as one each, as they do when they are executed: the fault is there. */
static u8 length_at(gpc_t pc, const u8 *bytes, size_t avail)
{
    struct insn in;
    return decode_insn(&in, pc, bytes, avail) && in.cls != INSN_BAD && in.len <= avail ? in.len : 1;
}

/* Makes the instructions of the open routine, from where the last walk has stopped: one, or all. Most tools look at the
 * first one only, and a large program has millions in its routines: the others are made when they are asked for. */
static void walk(const struct rtn *r, bool one)
{
    u64 from = r->start + open.walked_bytes;
    size_t want = one && r->end - from > 15 ? 15 : r->end - from;
    u8 *bytes = elffile_alloc(want);
    size_t have = image_read(r->image, from, bytes, want);
    for (size_t at = 0; at < have;) {
        u8 len = length_at(from + at, bytes + at, have - at);
        append(r, from + at, bytes + at, len);
        at += len;
        open.walked_bytes += len;
        if (one)
            break;
    }
    free(bytes);
}

/* Takes image_lock and makes the instructions of the open routine. */
static void need_walk(const char *call, RTN rtn)
{
    struct rtn *r = take(call, rtn);
    if (open.rtn != r->id)
        api_misuse(call, NULL, 0, "%s has not been opened by RTN_Open", r->name);
    if (open.walked_bytes < r->end - r->start)
        walk(r, false);
}

/* The first instruction, without the others; it stays the same one when they are made. */
static INS first_of(const char *call, RTN rtn)
{
    const struct rtn *r = take(call, rtn);
    if (open.rtn != r->id)
        api_misuse(call, NULL, 0, "%s has not been opened by RTN_Open", r->name);
    if (!open.head)
        walk(r, true);
    INS ins = {(INT32)open.head};
    image_unlock();
    return ins;
}

INS RTN_InsHead(RTN rtn) { return first_of(__func__, rtn); }
INS RTN_InsHeadOnly(RTN rtn) { return first_of(__func__, rtn); }

void rtn_walk_on(const struct ins *last)
{
    image_lock();
    const struct rtn *r = open.rtn == last->rtn ? rtn_get(open.rtn) : NULL;
    if (r && open.tail == last->id && open.walked_bytes < r->end - r->start)
        walk(r, false);
    image_unlock();
}

INS RTN_InsTail(RTN rtn)
{
    need_walk(__func__, rtn);
    INS ins = {(INT32)open.tail};
    image_unlock();
    return ins;
}

static u32 count_closed(const struct rtn *r)
{
    u32 n = 0;
    u8 *bytes = elffile_alloc(r->end - r->start);
    size_t have = image_read(r->image, r->start, bytes, r->end - r->start);
    for (size_t at = 0; at < have; n++)
        at += length_at(r->start + at, bytes + at, have - at);
    free(bytes);
    return n;
}

/* The routine need not be open. */
UINT32 RTN_NumIns(RTN rtn)
{
    const struct rtn *r = take(__func__, rtn);
    u32 n = count_closed(r);
    image_unlock();
    return n;
}

/* --- blocks: the open routine cut after every instruction that may go elsewhere ----------------------------------- */

static struct bbl *new_block(struct ins *first, struct bbl *prev)
{
    struct bbl *b = bbl_new();
    b->head = first->id;
    if (prev) {
        b->prev = prev->id;
        prev->next = b->id;
    } else {
        open.first_block = b->id;
    }
    return b;
}

static void make_blocks(void)
{
    struct bbl *b = NULL, *prev = NULL;
    for (struct ins *i = ins_get(open.head); i; i = ins_get(i->next)) {
        u32 flags = facts_of(i)->flags;
        if (!b)
            b = prev = new_block(i, prev);
        i->bbl = b->id;
        b->tail = i->id;
        b->nins++;
        b->has_fall_through = !(flags & FACT_FLAG_NO_FALL_THROUGH);
        if (flags &
            (FACT_FLAG_BRANCH | FACT_FLAG_CALL | FACT_FLAG_RET | FACT_FLAG_SYSCALL | FACT_FLAG_REP | FACT_FLAG_REPNE))
            b = NULL;
    }
    open.last_block = prev ? prev->id : 0;
}

static BBL block(const char *call, RTN rtn, bool last)
{
    need_walk(call, rtn);
    if (!open.first_block)
        make_blocks();
    BBL b = {(INT32)(last ? open.last_block : open.first_block)};
    image_unlock();
    return b;
}

BBL RTN_BblHead(RTN rtn) { return block(__func__, rtn, false); }
BBL RTN_BblTail(RTN rtn) { return block(__func__, rtn, true); }
