/* SPDX-License-Identifier: Apache-2.0
 * Facts of the API's instruction objects: decoded when first asked for, kept as long as the object. Under jit_lock, like the objects. */
#include "api/ins_facts.h"

#include "linchpin/decode.h"

static XED_DECODE_CALLBACK before_decode;

/* One at most, as in Pin. It sees an empty instruction in 64-bit mode; what it may set there (the chip) restricts nothing here. */
VOID PIN_AddXedDecodeCallbackFunction(XED_DECODE_CALLBACK fun) { before_decode = fun; }

/* As large as what tools see of it (INS_XedDec), so that they may copy it. */
const struct ins_facts *facts_of(struct ins *i)
{
    if (!i->facts) {
        i->facts = objects_alloc(sizeof(xed_decoded_inst_t));
        if (before_decode)
            before_decode((xed_decoded_inst_t *)i->facts);
        facts_decode(i->facts, i->pc, i->bytes, i->len, i->len, false);
    }
    return i->facts;
}

bool facts_mem_operand(struct ins *i, u32 index, struct mem_operand *m)
{
    return facts_memory(facts_of(i), index, m);
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
        api_misuse(call, NULL, 0, "the instruction at 0x%lx has %u operands, number %u was asked for", f->pc, f->noperands, n);
    return &f->op[n];
}

const struct fact_operand *ins_memory_operand(INS ins, u32 n, const char *call)
{
    const struct ins_facts *f = ins_facts(ins, call);
    if (n >= f->nmem)
        api_misuse(call, NULL, 0, "the instruction at 0x%lx has %u memory operands, number %u was asked for", f->pc, f->nmem, n);
    return &f->op[f->mem[n]];
}
