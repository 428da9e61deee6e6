/* SPDX-License-Identifier: Apache-2.0
 * The engine's main: the launcher has started it inside the process, on a host stack, with the guest's state in the
 * boot block. Starts the layers in their order; owns nothing. */
#include "api/tool.h"
#include "arch/arch.h"
#include "base/options.h"
#include "debug/debugger.h"
#include "jit/jit.h"
#include "os/os.h"
#include "main/report.h"
#include "os/thread.h"
#include "vm/vm.h"

/* Not every architecture has a stub. */
#pragma weak debug_options
#pragma weak debug_open
#pragma weak debug_start

static void start_debugger(void)
{
    if (!debug_start || arch_narrow)
        die(1, "there is no debugger for programs of this architecture yet (-appdebug)");
    debug_options();
    os_redirect_host_calls();
    debug_open();
    if (!options.tool) /* else it starts when the tool starts the program */
        debug_start();
}

int main(void)
{
    arch_init_cpu();
    os_init();
    options_choose_tool(arch_narrow);
    if (arch_narrow && options.record)
        die(1, "IA-32 programs are not recorded yet (docs/limits.md)");
    vm_init();
    report_init();
    jit_init();
    if (!adopt_count())
        thread_register();
    if (options.appdebug || options.appdebug_enable)
        start_debugger();
    if (options.tool)
        return tool_run();
    os_release_guest();
    vm_start();
}
