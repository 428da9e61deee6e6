/* SPDX-License-Identifier: Apache-2.0
 * TRACE and BBL: the view of the trace being made (A4). From instrumentation callbacks, under jit_lock. */
#include "api/insert.h"
#include "arch/arch.h"
#include "jit/instrument.h"

static const struct trace_view *trace(const char *call, u32 t)
{
    if (t != 1 || !instrument_view.head)
        api_misuse(call, NULL, 0, "the trace handle %u is not valid here", t);
    return &instrument_view;
}

static struct bbl *bbl(const char *call, u32 id)
{
    struct bbl *b = bbl_get(id);
    if (!b)
        api_misuse(call, NULL, 0, "the basic block handle %u is not valid here", id);
    return b;
}

u64 TRACE_Address(u32 t) { return trace("TRACE_Address", t)->pc; }
u64 TRACE_Size(u32 t) { return trace("TRACE_Size", t)->bytes; }
u32 TRACE_NumBbl(u32 t) { return trace("TRACE_NumBbl", t)->nbbls; }
u32 TRACE_NumIns(u32 t) { return trace("TRACE_NumIns", t)->nins; }
u32 TRACE_BblHead(u32 t) { return trace("TRACE_BblHead", t)->head; }
u32 TRACE_BblTail(u32 t) { return trace("TRACE_BblTail", t)->tail; }
int TRACE_Original(u32 t) { (void)trace("TRACE_Original", t); return 1; }
int TRACE_HasFallThrough(u32 t)
{
    return bbl("TRACE_HasFallThrough", trace("TRACE_HasFallThrough", t)->tail)->has_fall_through;
}

int BBL_Valid(u32 b) { return bbl_get(b) != NULL; }
u32 BBL_Next(u32 b) { return bbl("BBL_Next", b)->next; }
u32 BBL_Prev(u32 b) { return bbl("BBL_Prev", b)->prev; }
u32 BBL_InsHead(u32 b) { return bbl("BBL_InsHead", b)->head; }
u32 BBL_InsTail(u32 b) { return bbl("BBL_InsTail", b)->tail; }
u32 BBL_NumIns(u32 b) { return bbl("BBL_NumIns", b)->nins; }
u64 BBL_Address(u32 b) { return ins_get(bbl("BBL_Address", b)->head)->pc; }
int BBL_Original(u32 b) { (void)bbl("BBL_Original", b); return 1; }
int BBL_HasFallThrough(u32 b) { return bbl("BBL_HasFallThrough", b)->has_fall_through; }

u64 BBL_Size(u32 b)
{
    const struct ins *tail = ins_get(bbl("BBL_Size", b)->tail);
    return tail->pc + tail->len - BBL_Address(b);
}

/* The first instruction of the trace. If the handle is not valid, the argument list is read for the place in the tool's
 * source. */
static u32 first_instruction(const char *name, u32 t, void *fn, va_list ap)
{
    if (t != 1 || !instrument_view.head) {
        const struct call *c = insert_read(name, fn, ap);
        api_misuse(name, c->file, c->line, "the trace handle %u is not valid here", t);
    }
    return bbl(name, instrument_view.head)->head;
}

#define INSERT_TRACE(function, kind)                                                          \
    void function(u32 t, int point, void *fn, ...)                                            \
    {                                                                                         \
        va_list ap;                                                                           \
        va_start(ap, fn);                                                                     \
        u32 head = first_instruction(#function, t, fn, ap);                                   \
        insert_call(#function, head, point, fn, kind, false, ap);                             \
        va_end(ap);                                                                           \
    }

INSERT_TRACE(TRACE_InsertCall, CALL_PLAIN)
INSERT_TRACE(TRACE_InsertIfCall, CALL_IF)
INSERT_TRACE(TRACE_InsertThenCall, CALL_THEN)
