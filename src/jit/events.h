/* SPDX-License-Identifier: Apache-2.0
 * What the jit tells the tool API and the debugger, which fill this table; NULL as long as nobody has asked. */
#ifndef LP_JIT_EVENTS_H
#define LP_JIT_EVENTS_H
#include "base/base.h"

struct ins;

struct jit_events {
    /* Puts the calls that were inserted into routines at the instruction; under jit_lock. */
    void (*instrument)(struct ins *ins);
    /* All callbacks have seen the instruction: checks the arguments of its calls. */
    void (*resolve)(struct ins *ins);
    /* The guest has arrived at a replaced routine. The cache address to go on at, NULL: the guest's state has
     * changed. */
    u8 *(*replaced)(gpc_t pc, u8 *resume);
    /* The calling thread, in the dispatcher: there is no room in its trace buffer for what its code wants to write. */
    void (*buffer_full)(void);
    /* The calling thread, in the dispatcher: it has left the calls of an instruction in their middle, and goes on
     * elsewhere. A record may have been written without the look for more room that follows it. */
    void (*buffer_left)(void);
    /* --- filled by the debugger --- */
    /* Puts the calls of watchpoints at the instruction; NULL: there are none. */
    void (*watch)(struct ins *ins);
    /* The guest has arrived at a breakpoint. False: it goes on. */
    bool (*breaks)(gpc_t pc);
    /* The calling thread, in the dispatcher, no lock held: vm_tc.jit.debug says why. Sets it to what comes next. */
    void (*stopped)(void);
};
extern struct jit_events jit_events;

#endif
