/* SPDX-License-Identifier: Apache-2.0
 * Facts of instruction objects: decoded when first asked for, kept as long as the object. Under jit_lock, like the
 * objects. */
#include "arch/x86/cpu.h"
#include "arch/x86/facts.h"
#include "linchpin/decode.h"
#include "opt/events.h"
#include "opt/objects.h"

#include <string.h>

/* As large as what tools see of it (INS_XedDec), so that they may copy it. */
const struct ins_facts *facts_of(struct ins *i)
{
    if (!i->facts) {
        i->facts = memset(objects_alloc(sizeof(xed_decoded_inst_t)), 0, sizeof(xed_decoded_inst_t));
        if (opt_events.decode)
            opt_events.decode(i->facts);
        facts_decode(i->facts, i->pc, i->bytes, i->len, i->len, cpu_guest32 ? CODE_32 : i->mode);
    }
    return i->facts;
}

bool facts_mem_operand(struct ins *i, u32 index, struct mem_operand *m)
{
    return facts_memory(facts_of(i), index, m);
}
