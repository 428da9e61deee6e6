/* SPDX-License-Identifier: Apache-2.0
 * See ticks.h. A tick is an instruction that every loop has: a direct branch or jump that leads backwards, taken or
 * not, or an indirect jump. Returns and calls are none: what they lead through is bounded by the stack. The counter is
 * inlined; when it has come to its end the thread leaves for the VM after the instruction, as for a signal (E18). */
#include "jit/ticks.h"

#include "opt/objects.h"
#include "os/record.h"

#define ORDER_FIRST (-1) /* before all calls of a tool */

#pragma weak os_tick_due /* not every architecture has a recorder */

static u64 count_down(void) { return --os_ticks_left == 0; }

/* Called by way of this, so that it is never taken apart. */
static void (*volatile due_by)(void) = os_tick_due;
static void due(void) { due_by(); }

static bool is_tick(const struct insn *in)
{
    switch ((enum effect_class)in->effect.cls) {
    case EFFECT_BRANCH:
    case EFFECT_JUMP: return in->target <= in->pc && arch_insn_is(in, NATURE_STEPS);
    case EFFECT_JUMP_INDIRECT: return arch_insn_is(in, NATURE_STEPS);
    default: return false;
    }
}

static struct call *make(void *fn, enum call_kind kind)
{
    struct call *c = objects_alloc(sizeof *c);
    *c = (struct call){.fn = fn, .name = "a tick", .kind = kind, .order = ORDER_FIRST};
    return c;
}

void ticks_instrument(struct ins *ins, const struct insn *in)
{
    if (!is_tick(in))
        return;
    call_put(&ins->before, make((void *)count_down, CALL_IF));
    call_put(&ins->before, make((void *)due, CALL_THEN));
}
