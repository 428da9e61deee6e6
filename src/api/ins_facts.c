/* SPDX-License-Identifier: Apache-2.0
 * Handles of instructions as the inspection functions take them. Under jit_lock, like the objects. */
#include "api/ins_facts.h"

#include "linchpin/decode.h"
#include "opt/events.h"

/* There is one such function at most, as in Pin. It sees an empty instruction in 64-bit mode; what it may set there
 * (the chip) restricts nothing here. */
VOID PIN_AddXedDecodeCallbackFunction(XED_DECODE_CALLBACK fun)
{
    opt_events.decode = (void (*)(struct ins_facts *))fun;
}

struct ins *ins_checked(INS ins, const char *call)
{
    struct ins *i = ins_get((u32)ins.index);
    if (!i)
        api_misuse(call, NULL, 0, "the INS is not valid (any more): %d", ins.index);
    return i;
}

const struct ins_facts *ins_facts(INS ins, const char *call)
{
    return facts_of(ins_checked(ins, call));
}

const struct fact_operand *ins_operand(INS ins, u32 n, const char *call)
{
    const struct ins_facts *f = ins_facts(ins, call);
    if (n >= f->noperands)
        api_misuse(call, NULL, 0, "the instruction at 0x%lx has %u operands, number %u was asked for", f->pc,
                   f->noperands, n);
    return &f->op[n];
}

const struct fact_operand *ins_memory_operand(INS ins, u32 n, const char *call)
{
    const struct ins_facts *f = ins_facts(ins, call);
    if (n >= f->nmem)
        api_misuse(call, NULL, 0, "the instruction at 0x%lx has %u memory operands, number %u was asked for", f->pc,
                   f->nmem, n);
    return &f->op[f->mem[n]];
}
