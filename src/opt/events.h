/* SPDX-License-Identifier: Apache-2.0
 * What opt and the layers below it ask of those above. Filled by jit_init and by the API before the guest runs; NULL
 * where the tool has not asked for it. */
#ifndef LP_OPT_EVENTS_H
#define LP_OPT_EVENTS_H
#include "os/os.h"

struct ins_facts;

enum translate_flag { TRANSLATE_ENGINE = 1, TRANSLATE_ATOMIC = 2, TRANSLATE_PREFETCH = 4, TRANSLATE_RMW = 8 };

struct opt_events {
    /* All translations go. Filled by jit_init; under jit_lock. */
    void (*flush)(void);
    /* Guest code that the tool gives in place of what is in memory. Returns how many bytes there are; fewer than asked:
     * there is no more code. */
    size_t (*fetch)(void *to, u64 addr, size_t bytes);
    /* The tool's translation of an address (PIN_AddMemoryAddressTransFunction), on the guest thread concerned: for
     * arguments that are pointers to operands, and for what the engine itself reads and writes in place of an
     * instruction. */
    u64 (*translate)(u64 address, size_t bytes, gpc_t pc, bool write, u32 flags);
    /* An instruction is about to be decoded for the tool. */
    void (*decode)(struct ins_facts *empty);
    /* The tool's data of a thread; ~0: of the calling one. Tools call the function at this address. */
    void *(*thread_data)(int key, u32 thread);
};
extern struct opt_events opt_events;

static inline size_t code_fetch(void *to, u64 addr, size_t bytes)
{
    return UNLIKELY(opt_events.fetch != NULL) ? opt_events.fetch(to, addr, bytes)
                                              : os_safe_copy(to, (const void *)addr, bytes);
}

static inline u64 translate_address(u64 address, size_t bytes, gpc_t pc, bool write, u32 flags)
{
    return UNLIKELY(opt_events.translate != NULL) ? opt_events.translate(address, bytes, pc, write, flags) : address;
}

#endif
