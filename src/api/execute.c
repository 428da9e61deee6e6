/* SPDX-License-Identifier: Apache-2.0
 * PIN_ExecuteAt: the guest goes on with registers that the tool gives. On the guest's thread, from analysis and
 * replacement routines, whose host frames are abandoned. Rule A29. */
#include "vm/client.h"
#include "opt/objects.h"
#include "api/replace.h"
#include "api/try.h"
#include "arch/arch.h"
#include "context.h"
#include "jit/jit.h"
#include "os/thread.h"
#include "vm/vm.h"

void PIN_ExecuteAt(const struct bridge_state *c)
{
    if (!context_valid(c) || c->kind == CONTEXT_PHYSICAL)
        api_misuse("PIN_ExecuteAt", NULL, 0, "the context is not one of the application's");
    if (!vm_tc.vm.run_frame || jit_lock_held() || client_held())
        api_misuse("PIN_ExecuteAt", NULL, 0,
                   "PIN_ExecuteAt() cannot be called from a callback. Nor while the thread holds the Pin Client Lock");
    context_give(&vm_tc.cpu, c);
    const struct activation *a = vm_tc.vm.calls.activation;
    if (a && a->rec->pc == arch_pc(&vm_tc.cpu)) {
        /* a replacement that goes on at its routine means the routine's original */
        vm_tc.vm.calls.skip_pc = a->rec->pc;
        vm_tc.vm.calls.skip_sp = arch_sp(&vm_tc.cpu);
    }
    vm_abandon_step();
    try_abandon();
    vm_redispatch();
}
