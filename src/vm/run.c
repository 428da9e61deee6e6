/* SPDX-License-Identifier: Apache-2.0
 * The life of a guest thread on its host thread: from its start into the dispatcher (vm_events.dispatch), and out of
 * it when it ends. */
#include "vm/vm.h"

#include "arch/arch.h"
#include "os/events.h"
#include "os/os.h"
#include "vm/call.h"
#include "vm/events.h"
#include "vm/pause.h"
#include "vm/stop.h"
#include "os/thread.h"
#include "vm/tally.h"

struct vm_events vm_events;

void vm_thread_end(void) { _longjmp(*(jmp_buf *)vm_tc.vm.run_frame, RUN_END); }
void vm_redispatch(void)
{
    _longjmp(vm_tc.vm.calls.top ? vm_tc.vm.calls.top->frame : *(jmp_buf *)vm_tc.vm.run_frame, RUN_AGAIN);
}

void vm_abandon_step(void)
{
    struct thread *t = &vm_tc;
    if (!t->os.completing)
        return;
    arch_step_stop(&t->cpu);
    t->os.completing = false;
    t->os.pending = true;
}

void vm_run(void)
{
    jmp_buf frame;
    void *outer = vm_tc.vm.run_frame;
    vm_tc.vm.run_frame = &frame;
    if (outer) /* a child of vfork: the frame that is there is its parent's */
        vm_tc.vm.calls = (struct vm_calls){0};
    vm_forget_calls();
    if (!outer && vm_events.thread_starts)
        vm_events.thread_starts();
    if (_setjmp(frame) != RUN_END) {
        vm_forget_calls();
        vm_events.dispatch();
    }
    vm_tc.vm.run_frame = outer;
    if (!outer)
        pause_leave_guest();
    if (!outer && vm_events.thread_ends)
        vm_events.thread_ends(vm_tc.vm.exit_code);
    if (!outer)
        vm_free_notes();
}

void vm_start(void)
{
    if (adopt_count())
        adopt_threads();
    vm_run();
    BUG("the first thread came back from the guest");
}

void vm_init(void)
{
    os_events.run = vm_run;
    os_events.end_run = vm_thread_end;
    os_events.leave_guest = pause_leave_guest;
    os_events.thread_gone = tally_thread_gone;
    os_events.thread_left = pause_thread_gone;
    os_events.thread_forked = pause_after_fork;
    os_events.enter_call = pause_enter_call;
    os_events.leave_call = pause_leave_call;
    os_events.pause_wanted = pause_wanted_now;
    os_events.stop_all = vm_stop_all;
}
