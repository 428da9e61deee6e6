/* SPDX-License-Identifier: Apache-2.0
 * The counting tool of the RISC-V 64 port. It stands in the place of src/api/tool.c, which loads tools and needs the
 * whole of the API: the tool is linked into the engine, and chosen with -t and the engine's own name. Everything from
 * the instrumentation on is the engine's own: the tool sees traces and blocks and inserts its calls with the API's
 * functions, and src/opt makes counters of them. With -no_inline each call is really made. Its one argument: `ins`
 * counts at every instruction, else at every block. */
#include "api/insert.h"
#include "api/made.h"
#include "api/tool.h"
#include "base/options.h"
#include "jit/instrument.h"
#include "linchpin/iarg.h"
#include "os/os.h"
#include "vm/vm.h"

#include <string.h>

u32 TRACE_BblHead(u32 trace);
u32 BBL_InsHead(u32 bbl);
u32 BBL_Next(u32 bbl);
u32 BBL_NumIns(u32 bbl);
void BBL_InsertCall(u32 bbl, int point, void *fn, ...);
void INS_InsertCall(u32 ins, int point, void *fn, ...);

static u64 instructions, blocks;

static void count_block(u64 n) { instructions += n; }
static void count_one(void) { instructions++; }
static void count_blocks(void) { blocks++; }

static void see_instructions(u32 trace, void *arg)
{
    (void)arg;
    for (u32 b = TRACE_BblHead(trace); b; b = BBL_Next(b))
        for (u32 i = BBL_InsHead(b); i; i = ins_get(i)->next)
            INS_InsertCall(i, IPOINT_BEFORE, (void *)count_one, IARG_LAST);
}

static void see_blocks(u32 trace, void *arg)
{
    (void)arg;
    for (u32 b = TRACE_BblHead(trace); b; b = BBL_Next(b)) {
        BBL_InsertCall(b, IPOINT_BEFORE, (void *)count_block, IARG_UINT64, (u64)BBL_NumIns(b), IARG_LAST);
        BBL_InsertCall(b, IPOINT_BEFORE, (void *)count_blocks, IARG_LAST);
    }
}

static void tell(int status)
{
    (void)status;
    msg("%lu instructions, %lu blocks", instructions, blocks);
}

int tool_run(void)
{
    static struct tool_callback callback;
    bool each = options.tool_argc > 0 && strcmp(options.tool_argv[0], "ins") == 0;
    callback.fn = (void *)(each ? see_instructions : see_blocks);
    instrument_callbacks[INSTRUMENT_TRACE] = &callback;
    os_at_exit(tell);
    os_release_guest();
    vm_start();
}

/* Which functions of the API a tool has called is not asked here, and nothing is wrong on purpose. */
bool reached_on;
void reached_note_iarg(u32 iarg) { (void)iarg; }
u32 spoil_iarg;
void spoil_arg(struct call_arg *a) { (void)a; }

/* Arguments that host code makes (api/made.c) need what the API knows of instructions: there are none. */
bool made_known(u16 iarg) { return (void)iarg, false; }
