/* SPDX-License-Identifier: Apache-2.0
 * What the API's sources for instructions and calls, which are the same as for programs, ask of the layers below them:
 * here these are QEMU and the plugin. */
#include "api/ins_facts.h"
#include "api/insert.h"
#include "api/made.h"
#include "api/reached.h"
#include "api/spoil.h"
#include "api/toolsource.h"
#include "arch/arch.h"
#include "opt/routine.h"
#include "os/hostmem.h"
#include "system/system.h"

#include <sys/mman.h>

bool reached_on;
void reached_note_iarg(u32 iarg) { (void)iarg; }
u32 spoil_iarg; /* nothing is wrong on purpose here */
void spoil_arg(struct call_arg *a) { (void)a; }

/* plan.c says which it can give, by name. */
bool arch_arg_known(u16 iarg) { return iarg < IARG_MADE; }
bool made_known(u16 iarg) { return iarg == IARG_MADE_PRESERVE; }

bool arch_allows(struct ins *i, enum arch_change what, u32 operand)
{
    (void)i, (void)operand;
    if (what == CHANGE_AFTER)
        system_refuse("IPOINT_AFTER", "QEMU 7.2 tells plugins of instructions before they are executed");
    if (what == CHANGE_TAKEN)
        system_refuse("IPOINT_TAKEN_BRANCH", "QEMU 7.2 tells plugins of instructions before they are executed");
    return false;
}

/* Nothing is known of it: for calls all registers are saved. */
const struct routine *routine_scan(void *fn)
{
    static const struct routine none;
    (void)fn;
    return &none;
}

/* Routines cannot be opened. */
void rtn_walk_on(const struct ins *last) { (void)last; }

/* The tool's source is not looked up. */
bool toolsource_caller(struct toolsource_place *p) { return (void)p, false; }
bool toolsource_line(u64 address, struct toolsource_place *p) { return (void)address, (void)p, false; }

void *hostmem_map(size_t bytes, int prot)
{
    void *p = mmap(NULL, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void hostmem_unmap(void *p, size_t bytes) { munmap(p, bytes); }
void hostmem_die(const char *what) { die(1, "out of memory: %s", what); }
size_t hostmem_total_bytes(void) { return 0; }
