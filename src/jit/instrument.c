/* SPDX-License-Identifier: Apache-2.0
 * See instrument.h. Owns the tool's instrumentation callbacks and the trace that they see. Under jit_lock, on the
 * translating thread. */
#include "jit/instrument.h"

#include "arch/arch.h"
#include "cache/events.h"
#include "jit/events.h"
#include "jit/ticks.h"
#include "opt/objects.h"
#include "os/record.h"

struct tool_callback *instrument_callbacks[INSTRUMENT_KINDS];
struct trace_view instrument_view;
static bool tool_left;

void instrument_tool_left(void) { tool_left = true; }

bool instrument_active(void)
{
    return jit_events.watch || os_record || (!tool_left && (instrument_callbacks[INSTRUMENT_TRACE] ||
           instrument_callbacks[INSTRUMENT_INS] || instrument_callbacks[INSTRUMENT_INSERTED] || jit_events.instrument));
}

/* Called when all callbacks have seen the instruction: do its changes go together? */
static void check_change(struct ins *i)
{
    if (i->change && i->change->after.set && !i->deleted && !arch_allows(i, CHANGE_AFTER, 0))
        api_misuse(i->change->after.indirect ? "INS_InsertIndirectJump" : "INS_InsertDirectJump", NULL, 0,
            "IPOINT_AFTER at 0x%lx: the instruction has no fall-through and is not deleted", i->pc);
}

static void close_block(struct bbl *b, struct ins *last)
{
    b->tail = last->id;
    last->next = 0;
}

/* A block ends after each instruction that may go elsewhere: transfers of control, system calls, repeated string
 * instructions. */
static void make_blocks(struct pass *b)
{
    struct bbl *block = NULL, *last_block = NULL;
    struct ins *prev = NULL;
    for (u32 i = 0; i < b->ninsns; i++) {
        const struct insn *in = &b->insn[i];
        struct ins *ins = ins_new(in->pc, b->source + (in->pc - b->pc), in->len);
        b->ins[i] = ins;
        if (!block) {
            block = bbl_new();
            block->head = ins->id;
            block->trace = 1;
            block->prev = last_block ? last_block->id : 0;
            if (last_block)
                last_block->next = block->id;
            else
                instrument_view.head = block->id;
            instrument_view.nbbls++;
            prev = NULL;
        }
        ins->bbl = block->id;
        ins->prev = prev ? prev->id : 0;
        if (prev)
            prev->next = ins->id;
        block->nins++;
        prev = ins;
        block->has_fall_through = !insn_ends_trace(in);
        if (insn_ends_block(in) || i + 1 == b->ninsns) {
            close_block(block, ins);
            instrument_view.tail = block->id;
            last_block = block;
            block = NULL;
        }
    }
}

static void call_all(enum instrument_kind kind, u32 handle)
{
    for (struct tool_callback *c = tool_left ? NULL : instrument_callbacks[kind]; c; c = c->next)
        ((instrument_fn *)c->fn)(handle, c->arg);
}

static size_t count(const struct call *c)
{
    size_t n = 0;
    for (; c; c = c->next)
        n += 1 + c->nargs / 3;
    return n;
}

void instrument_inserted(const struct trace *t)
{
    if (UNLIKELY(cache_events.deliver))
        cache_events.deliver();
    instrument_view.cached = t;
    call_all(INSTRUMENT_INSERTED, 1);
}

static bool running;

bool instrument_running(void) { return running; }

size_t instrument_trace(struct pass *b)
{
    if (!instrument_active())
        return 0;
    running = true;
    instrument_view = (struct trace_view){.pc = b->pc, .nins = b->ninsns, .bytes = b->guest_bytes,
        .version = b->version};
    make_blocks(b);
    for (u32 i = 0; !tool_left && jit_events.instrument && i < b->ninsns; i++)
        jit_events.instrument(b->ins[i]);
    for (u32 i = 0; UNLIKELY(jit_events.watch != NULL) && i < b->ninsns; i++)
        jit_events.watch(b->ins[i]);
    for (u32 i = 0; UNLIKELY(os_record) && i < b->ninsns; i++)
        ticks_instrument(b->ins[i], &b->insn[i]);
    call_all(INSTRUMENT_TRACE, 1);
    for (u32 i = 0; instrument_callbacks[INSTRUMENT_INS] && i < b->ninsns; i++)
        call_all(INSTRUMENT_INS, b->ins[i]->id);
    running = false;
    size_t calls = 1;
    for (u32 i = 0; i < b->ninsns; i++) {
        struct ins *ins = b->ins[i];
        check_change(ins);
        arch_prepare_calls(ins);
        if (jit_events.resolve)
            jit_events.resolve(ins);
        calls += (ins->change != NULL) + count(ins->before) + count(ins->after) + count(ins->taken);
    }
    return calls;
}
