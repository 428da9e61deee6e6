/* SPDX-License-Identifier: Apache-2.0
 * The engine's main: the launcher has started it inside the process, on a host stack, with the guest's state in the
 * boot block. Starts the layers in their order; owns nothing. */
#include "api/tool.h"
#include "arch/arch.h"
#include "base/options.h"
#include "jit/jit.h"
#include "os/os.h"
#include "main/report.h"
#include "os/thread.h"
#include "vm/vm.h"

int main(void)
{
    arch_init_cpu();
    os_init();
    vm_init();
    report_init();
    jit_init();
    if (!adopt_count())
        thread_register();
    if (options.tool)
        return tool_run();
    os_release_guest();
    vm_start();
}
