/* SPDX-License-Identifier: Apache-2.0
 * For tools that look at all accesses to data: an analysis routine for each operand of each instruction that has an address and a size. */
#ifndef MEMORY_H
#define MEMORY_H
#include "region.h"

/* if_call: NULL, or what decides whether `call` is made (it is small, so it is fast). Both take (THREADID, ADDRINT address, UINT32 bytes, UINT32 is_write). */
struct Watch {
    AFUNPTR if_call, call;
};

#define MEMORY_ARGS IARG_THREAD_ID, IARG_MEMORYOP_EA, i, IARG_MEMORYOP_SIZE, i, IARG_UINT32, UINT32(INS_MemoryOperandIsWritten(ins, i)), IARG_END

/* An operand that is read and written gets one call, for the write. Predicated: a rep with a count of zero accesses nothing. */
static VOID memory_instruction(INS ins, VOID *v)
{
    const Watch *watch = static_cast<const Watch *>(v);
    if (!INS_IsStandardMemop(ins))
        return; /* gather, scatter, xsave: no single address and size */
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++)
        if (watch->if_call && !region_asked) {
            INS_InsertIfPredicatedCall(ins, IPOINT_BEFORE, watch->if_call, MEMORY_ARGS);
            INS_InsertThenPredicatedCall(ins, IPOINT_BEFORE, watch->call, MEMORY_ARGS);
        } else
            REGION_PREDICATED_CALL(ins, watch->call, MEMORY_ARGS);
}

static inline VOID memory_watch(AFUNPTR if_call, AFUNPTR call)
{
    Watch *watch = new Watch;
    watch->if_call = if_call;
    watch->call = call;
    INS_AddInstrumentFunction(memory_instruction, watch);
}

#endif
