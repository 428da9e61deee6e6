/* SPDX-License-Identifier: Apache-2.0
 * A block that QEMU translates, shown to the tool as a trace: its instructions are decoded by our own decoder, the
 * tool's instrumentation functions see them, and what they insert is registered with QEMU (plan.c). Blocks of the
 * tool's (BBL) are parts of QEMU's: they end where ours end for programs, and also, unless -whole_blocks is given,
 * after each instruction that may fault, so that a block whose first instruction is executed is executed as a whole. */
#include "arch/arch.h"
#include "facts.h"
#include "jit/instrument.h"
#include "system/system.h"

#include <string.h>

struct trace_view instrument_view;

struct block {
    u32 n;
    struct ins *ins[MOST_INSTRUCTIONS];
    struct qemu_plugin_insn *insn[MOST_INSTRUCTIONS];
};

static void take_instructions(struct block *b, const struct qemu_plugin_tb *tb)
{
    static struct guest_code code; /* under the client lock */
    code.n = (u32)qemu_plugin_tb_n_insns(tb);
    ASSERT(code.n <= MOST_INSTRUCTIONS);
    for (u32 i = 0; i < code.n; i++) {
        b->insn[i] = qemu_plugin_tb_get_insn(tb, i);
        size_t len = qemu_plugin_insn_size(b->insn[i]);
        code.insn[i].pc = qemu_plugin_insn_vaddr(b->insn[i]);
        code.insn[i].len = (u8)(len < 15 ? len : 15);
        memcpy(code.insn[i].bytes, qemu_plugin_insn_data(b->insn[i]), code.insn[i].len);
    }
    u8 mode = guest_look_at(&code);
    b->n = code.n;
    for (u32 i = 0; i < b->n; i++) {
        b->ins[i] = ins_new(code.insn[i].pc, code.insn[i].bytes, code.insn[i].len);
        b->ins[i]->mode = mode;
    }
}

static struct bbl *begin(struct bbl *last, struct ins *head)
{
    struct bbl *b = bbl_new();
    b->head = head->id;
    b->trace = 1;
    b->prev = last ? last->id : 0;
    if (last)
        last->next = b->id;
    else
        instrument_view.head = b->id;
    instrument_view.nbbls++;
    return b;
}

static void make_blocks(struct block *b)
{
    struct bbl *now = NULL, *last = NULL;
    struct ins *prev = NULL;
    for (u32 i = 0; i < b->n; i++) {
        struct ins *ins = b->ins[i];
        if (!now) {
            now = begin(last, ins);
            prev = NULL;
        }
        ins->bbl = now->id;
        ins->prev = prev ? prev->id : 0;
        if (prev)
            prev->next = ins->id;
        now->nins++;
        now->tail = ins->id;
        now->has_fall_through = !(facts_of(ins)->flags & FACT_FLAG_NO_FALL_THROUGH);
        instrument_view.bytes += ins->len;
        prev = ins;
        if (guest_ends_block(ins) || (!asked.whole_blocks && !guest_runs_through(ins)) || i + 1 == b->n) {
            instrument_view.tail = now->id;
            last = now;
            now = NULL;
        }
    }
}

static void call_all(enum instrument_kind kind, u32 handle)
{
    for (struct tool_callback *c = instrument_callbacks[kind]; c; c = c->next)
        ((instrument_fn *)c->fn)(handle, c->arg);
}

void translate_block(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    static struct block b; /* under the client lock */
    (void)id;
    client_lock();
    take_instructions(&b, tb);
    symbols_find_kernel(b.ins[0]->pc);
    instrument_view = (struct trace_view){.pc = qemu_plugin_tb_vaddr(tb), .nins = b.n};
    tasks_watch(b.ins[0]->pc, b.insn[0]);
    make_blocks(&b);
    call_all(INSTRUMENT_TRACE, 1);
    for (u32 i = 0; instrument_callbacks[INSTRUMENT_INS] && i < b.n; i++)
        call_all(INSTRUMENT_INS, b.ins[i]->id);
    for (u32 i = 0; i < b.n; i++)
        plan_instruction(b.ins[i], b.insn[i]);
    instrument_view = (struct trace_view){0};
    objects_reset();
    client_unlock();
}

/* No processor runs, and nothing that was registered will be called again. */
void translate_flushed(qemu_plugin_id_t id)
{
    (void)id;
    client_lock();
    plan_free_all();
    client_unlock();
}
