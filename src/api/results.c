/* SPDX-License-Identifier: Apache-2.0
 * Results functions (linchpin/results.h; rule N16): a tool that has one is asked for its results at every end of the
 * program's life with it: exit, signal, another program executed, detach; and whenever `linchpin dump` wants to see
 * them. Called under the client lock, on the guest thread concerned or on the agent. */
#include "api/results.h"

#include "api/callback_list.h"
#include "api/callbacks.h"
#include "api/progress.h"
#include "opt/spread.h"
#include "os/events.h"
#include "os/os.h"
#include "os/record.h"

static struct tool_callback *results;

void *lp_add_results_function(lp_results_fn *fn, void *arg)
{
    void *c = tool_callback_add(&results, (void *)fn, arg);
    callbacks_add_end();
    return c;
}

bool results_any(void) { return results; }

void results_give(struct lp_results_info info)
{
    if (info.why != LP_RESULTS_DUMP && progress_wanted())
        progress_end();
    if (!results)
        return;
    client_lock();
    if (spread_used)
        spread_flush(); /* counters have what was added up to now */
    CALLBACKS_EACH(c, results)
        ((lp_results_fn *)c->fn)(&info, c->arg);
    client_unlock();
}

void results_end(int status)
{
    results_give(os_end_signal ? (struct lp_results_info){.why = LP_RESULTS_SIGNAL, .status = os_end_signal}
                               : (struct lp_results_info){.why = LP_RESULTS_EXIT, .status = status});
}

static void executes(const char *path, bool followed)
{
    results_give((struct lp_results_info){.why = LP_RESULTS_EXEC, .executed = path, .followed = followed});
}

static void wanted(void) { results_give((struct lp_results_info){.why = LP_RESULTS_DUMP}); }

void results_before_exec(void) { os_events.executes = executes; }

void results_init(void)
{
    if (!results && !progress_wanted())
        return;
    results_before_exec();
    os_events.results_wanted = wanted;
    agent_start(); /* through which the launcher asks */
}

void results_by_errand(void)
{
    if (results)
        os_events.results_wanted = wanted;
}

u32 lp_generation(void) { return options.generation; }

/* A replay is one to its end, when nothing is read any more. */
u32 lp_run(void) { return options.replay ? OS_REPLAYS : os_record; }
const char *lp_recording(void) { return options.replay ? options.replay : options.record ? options.record : ""; }

