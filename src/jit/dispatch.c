/* SPDX-License-Identifier: Apache-2.0
 * The dispatcher: the loop of a guest thread in the VM. It delivers what is pending, finds or makes the trace for the
 * guest's pc, links the exit that led there, enters the cache, and sees why the cache was left. Runs on the guest
 * thread's host stack; holds jit_lock only to find, make and link traces. Never carries out a system call or delivers a
 * signal itself: that is the OS layer's. */
#include "jit/jit_internal.h"

#include "arch/arch.h"
#include "base/options.h"
#include "cache/events.h"
#include "opt/pass.h"
#include "jit/ahead.h"
#include "jit/pages.h"
#include "jit/clones.h"
#include "jit/events.h"
#include "jit/forks.h"
#include "jit/requests.h"
#include "jit/sections.h"
#include "opt/spread.h"
#include "os/events.h"
#include "os/os.h"
#include "os/record.h"
#include "os/lockrank.h"
#include "vm/call.h"
#include "vm/client.h"
#include "vm/clock.h"
#include "vm/pause.h"
#include "vm/stop.h"
#include "os/thread.h"

struct jit_events jit_events;

/* Where a trace that begins with a replaced routine goes on with the routine's own first instruction: after the exit
 * for the replacement. */
static u8 *original_entry(const struct trace *t)
{
    for (u32 i = 0; i < t->nexits; i++) {
        const struct exit *x = exit_get(t->first_exit + i);
        if (x->kind == EXIT_KIND_REPLACE && x->target == t->pc)
            return exit_resume(x);
    }
    return t->body;
}

/* Takes jit_lock. Where a trace has to be made and a tool will be asked, or told of what the cache does, it takes the
 * client lock before. True: it has taken both. */
static bool lock_to_enter(gpc_t pc, const struct exit *came_from, u64 came_epoch)
{
    jit_lock();
    bool stale = came_from && came_epoch == jit_epoch() && came_from->kind == EXIT_KIND_STALE;
    if (LIKELY(!options.tool) || (!cache_watched && !stale && dir_find(version_key(pc, vm_tc.jit.version))))
        return false;
    jit_unlock();
    client_lock();
    jit_lock();
    return true;
}

static void unlock(bool client)
{
    jit_unlock();
    if (client)
        client_unlock();
}

static void enter_cache(u32 how)
{
    lockrank_free("the guest goes on");
    clock_at(CLOCK_CACHE);
    arch_enter_cache(&vm_tc.cpu, how);
    vm_enter();
    arch_cache_left(&vm_tc.cpu);
    clock_at(CLOCK_OTHER);
}

static bool lock_again(bool client)
{
    if (client)
        client_lock();
    jit_lock();
    return client;
}

/* The engine is asked to stop, or leaves the process; with the locks of lock_to_enter. False: the thread does not enter
 * the cache, and the locks are free. */
static bool goes_on(bool *told)
{
    bool detaching = os_detaching;
    unlock(*told);
    if (!detaching)
        vm_park();
    if (!vm_tc.vm.calls.top) {
        agent_halt();
        return false;
    }
    *told = lock_again(*told); /* it may go on until the guest function that the tool has called has returned */
    return true;
}

/* Enters the cache at the guest's pc. False: a fault was raised instead. */
static bool enter(struct exit *came_from, u64 came_epoch, bool indirect)
{
    struct thread *t = &vm_tc;
    gpc_t pc = arch_pc(&t->cpu);
    dir_prefetch(version_key(pc, t->jit.version));
    __builtin_prefetch((const void *)pc);
    pages_prefetch(pc);
    if (UNLIKELY(pc == VM_RETURN_PC))
        vm_check_return();
    bool told = lock_to_enter(pc, came_from, came_epoch);
    if (UNLIKELY(vm_stop_requested) && !t->os.vfork_child && !t->os.foreign_mm && !goes_on(&told))
        return false;
    t->jit.last_pc = pc;
    u64 fetch_fault;
    /* No flush has happened since the exit was taken, so its record is still its own. A signal may have taken the guest
     * elsewhere: then the target is not pc. */
    bool direct = came_from && came_epoch == jit_epoch() && came_from->target == pc;
    u16 version = (u16)t->jit.version;
    if (clones_used) {
        version = direct ? version : 0;
        t->jit.version = 0;
    }
    build_hint(direct ? came_from : NULL);
    bool stale = direct && came_from->kind == EXIT_KIND_STALE;
    u64 made = jit_stats.traces;
    struct trace *tr = UNLIKELY(stale) ? jit_stale(came_from, &fetch_fault)
                                       : jit_trace(pc, version, indirect, &fetch_fault);
    bool is_new = jit_stats.traces != made;
    u64 before = jit_epoch();
    if (tr && is_new)
        sections_learn();
    if (tr && LIKELY(jit_epoch() == before))
        ahead_make(direct ? came_from : NULL, tr, is_new);
    /* There was no room for all: what was made first may be gone. Or it is in a section that was not known. */
    if (UNLIKELY(jit_epoch() != before) || (tr && UNLIKELY(tr->flags & TRACE_DEAD)))
        tr = jit_trace(pc, version, indirect, &fetch_fault);
    if (!tr) {
        unlock(told);
        build_raise_fetch_fault(fetch_fault);
        return false;
    }
    t->cpu.enter = (u64)tr->body;
    if (UNLIKELY(t->vm.calls.top) && came_from && came_epoch == jit_epoch() &&
        vm_in_original(exit_from(came_from)->pc)) {
        t->cpu.enter = (u64)original_entry(tr);
        came_from = NULL;
    }
    if (came_from && came_epoch == jit_epoch() && came_from->target == pc && came_from->version == version &&
        !options.no_link) {
        link_exit(came_from, tr);
        jit_stats.links += came_from->to == tr->number + 1;
        jit_stats.bound += came_from->bound;
    }
    if (indirect) {
        jit_make_indirect(tr);
        if (tr->ib_off)
            dir_set_ib(tr);
    }
    if (UNLIKELY(forks_noting) && !stale && (direct || indirect || is_new))
        forks_note(direct ? came_from : NULL, tr, indirect);
    jit_stats.indirect += indirect;
    jit_stats.entries++;
    __atomic_store_n(&t->vm.epoch, jit_epoch(), __ATOMIC_RELEASE);
    if (UNLIKELY(jit_requests_wait))
        jit_requests_carry_out(); /* removing traces does not free this one: the thread's epoch is from before */
    if (UNLIKELY(cache_events.deliver))
        cache_events.deliver();
    if (UNLIKELY(cache_events.entered))
        cache_events.entered(tr->body);
    unlock(told);
    if (UNLIKELY(tr->flags & TRACE_SECTION) && !sections_enter(tr)) {
        __atomic_store_n(&t->vm.epoch, ~0ul, __ATOMIC_RELEASE);
        return false;
    }
    enter_cache(ENTRY_TRACE);
    return true;
}

static void left_cache(struct exit **came_from, bool *indirect);

/* A signal came while analysis routines ran before the guest's instruction. They must not run twice, so the rest of the
 * instruction is stepped up to the next boundary, and then the signal is delivered. jump: what is stepped is not the
 * guest's instruction, but a jump or calls of the tool. The trace still exists, because the thread's epoch has not
 * changed. */
static void complete_instruction(u8 *resume, bool jump)
{
    struct thread *t = &vm_tc;
    gpc_t pc = arch_pc(&t->cpu);
    struct exit *ignored;
    bool indirect;
    if (!arch_step_begin(&t->cpu, jump)) {
        /* The instruction cannot be stepped: the signal is delivered before it, and its calls run again afterwards. If
         * there is nothing to deliver after all, the guest goes on here. */
        t->jit.resume = place_is((u64)resume, PLACE_RESUMES) ? resume : NULL;
        t->jit.resume_how = ENTRY_ANY;
        t->jit.resume_pc = pc;
        return;
    }
    t->os.completing = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->os.pending = false; /* asynchronous signals are all blocked, and the signal stays in its slot */
    t->cpu.enter = (u64)resume;
    enter_cache(ENTRY_ANY | ENTRY_AFTER_CALLS);
    arch_step_stop(&t->cpu);
    t->os.completing = false;
    t->os.pending = true;
    left_cache(&ignored, &indirect);
    if (!jump && arch_pc(&t->cpu) != pc)
        arch_step_end(&t->cpu, pc);
}

/* Back into the trace that was just left. It still exists, because the thread's epoch has not changed. */
static void enter_at(u8 *resume)
{
    vm_tc.cpu.enter = (u64)resume;
    enter_cache(ENTRY_ANY);
    if (LIKELY(vm_tc.cpu.exit_id == EXIT_RESUME)) /* it faulted, or a signal came first */
        return;
    /* A signal came at the instruction itself, and the look after its calls has left for the VM (look_again). It is
     * delivered before the instruction. */
    const struct exit *x = exit_get((u32)vm_tc.cpu.exit_id);
    ASSERT(x->kind == EXIT_KIND_STEP);
    arch_set_pc(&vm_tc.cpu, x->target);
    vm_tc.jit.version = x->version;
}

/* Runs the calls after an instruction that the VM has completed. False: a signal came first, and they have not been
 * run. */
static bool enter_after(gpc_t at)
{
    struct thread *t = &vm_tc;
    struct exit *ignored;
    bool indirect;
    client_lock();
    jit_lock();
    struct trace *tr = jit_after_trace(at, (u16)vm_tc.jit.version);
    if (tr && arch_pc(&t->cpu) != at + tr->guest_bytes)
        tr = NULL; /* the instruction went elsewhere, or faulted */
    if (tr) {
        t->cpu.enter = (u64)tr->body;
        __atomic_store_n(&t->vm.epoch, jit_epoch(), __ATOMIC_RELEASE);
    }
    unlock(true);
    if (!tr)
        return true;
    bool waits = t->os.pending;
    if (waits) { /* the signal is delivered after the calls, which run no guest code: it stays in its slot */
        t->os.completing = true;
        t->os.pending = false;
    }
    t->cpu.after_waits = 1;
    enter_cache(ENTRY_ANY);
    if (waits) {
        t->os.completing = false;
        t->os.pending = true;
    }
    left_cache(&ignored, &indirect);
    __atomic_store_n(&t->vm.epoch, ~0ul, __ATOMIC_RELEASE);
    return !t->cpu.after_waits || waits;
}

/* Runs the calls after the instruction at `at`, if the guest's pc is after it. */
static void run_after(gpc_t at)
{
    while (!enter_after(at))
        ;
}

/* int $0x80. The instruction is executed where it is, in the trace that was just left. Whatever happens in it, a
 * restart by the kernel included, ends in an exit like any other. */
static void run_int80(u8 *resume, bool after)
{
    gpc_t pc = arch_pc(&vm_tc.cpu);
    struct exit *ignored;
    bool indirect;
    vm_tc.cpu.enter = (u64)resume;
    enter_cache(ENTRY_ANY);
    bool interrupted = vm_tc.cpu.exit_id == EXIT_RESUME;
    left_cache(&ignored, &indirect);
    if (interrupted)
        os_int80_left(arch_pc(&vm_tc.cpu) != pc);
    if (after)
        run_after(pc);
}

/* A direct exit: the guest's pc is its target. Returns the exit if it may be linked. */
static struct exit *direct_exit(struct exit *x)
{
    arch_set_pc(&vm_tc.cpu, x->target);
    vm_tc.jit.version = x->version;
    switch ((enum exit_kind)x->kind) {
    case EXIT_KIND_BRANCH:
    case EXIT_KIND_STALE: /* to another variant of the trace */
        return x;
    case EXIT_KIND_EMULATE:
        vm_tc.vm.tally.emulated++;
        if (!arch_emulate(x->part))
            enter_at(exit_resume(x));
        else if (x->after)
            run_after(x->target);
        break;
    case EXIT_KIND_STEP:
    case EXIT_KIND_STEP_JUMP:
        if (x->resume_off)
            complete_instruction(exit_resume(x), x->kind == EXIT_KIND_STEP_JUMP);
        break;
    case EXIT_KIND_INT80:
        if (os_int80_entry())
            run_int80(exit_resume(x), x->after);
        else if (x->after && arch_pc(&vm_tc.cpu) != x->target)
            run_after(x->target); /* if the guest goes on after it */
        break;
    case EXIT_KIND_INT80_DONE:
        os_int80_left(true);
        break;
    case EXIT_KIND_FULL:
        jit_events.buffer_full();
        if (x->carries) { /* all is as at the start of a trace */
            vm_tc.jit.resume = exit_from(x)->body + x->resume_off;
            vm_tc.jit.resume_how = ENTRY_TRACE;
            vm_tc.jit.resume_pc = x->target;
        } else {
            arch_settle_counts((u64)exit_from(x)->body + (u64)x->resume_off, SETTLE_EXIT);
        }
        break;
    case EXIT_KIND_REPLACE:
        vm_tc.vm.calls.resume = jit_events.replaced(x->target, exit_resume(x));
        break;
    case EXIT_KIND_RETURN:
        vm_check_return();
        vm_tc.vm.calls.resume = exit_resume(x);
        break;
    case EXIT_KIND_BREAK:
        if (jit_events.breaks(x->target))
            vm_tc.jit.debug = JIT_BROKE;
        else
            vm_tc.vm.calls.resume = exit_resume(x);
        break;
    }
    return NULL;
}

static void gate_left(bool efault)
{
    struct cpu_state *c = &vm_tc.cpu;
    u64 nr = arch_leave_gate(c);
    if (efault && os_efault_retry(nr))
        arch_restart_syscall(c, nr);
    else
        vm_tc.vm.tally.gate_calls += efault;
}

/* Tells the tool which exit was taken. Exits through a common routine of the region are all told as that routine. */
static void tell_exit(u64 id)
{
    const struct region *r = region_of((void *)vm_tc.cpu.enter);
    client_lock();
    jit_lock();
    cache_events.exited(id < EXIT_SPECIAL ? exit_patch(exit_get((u32)id)) : r->exit_routine);
    jit_unlock();
    client_unlock();
}

static void tell_clock(u64 id)
{
    static const u8 place[] = {
        [EXIT_KIND_BRANCH] = CLOCK_DIRECT, [EXIT_KIND_EMULATE] = CLOCK_EMULATED,
        [EXIT_KIND_STEP] = CLOCK_SIGNAL, [EXIT_KIND_STEP_JUMP] = CLOCK_SIGNAL, [EXIT_KIND_INT80] = CLOCK_SYSCALL,
        [EXIT_KIND_INT80_DONE] = CLOCK_SYSCALL,
        [EXIT_KIND_FULL] = CLOCK_FULL, [EXIT_KIND_STALE] = CLOCK_STALE, [EXIT_KIND_REPLACE] = CLOCK_REPLACED,
        [EXIT_KIND_RETURN] = CLOCK_REPLACED, [EXIT_KIND_BREAK] = CLOCK_OTHER,
    };
    bool special = id == EXIT_INDIRECT || id == EXIT_SYSCALL || id == EXIT_SYSCALL_AFTER || id == EXIT_RESUME ||
                   id == EXIT_EFAULT || id == EXIT_GATE;
    if (id == EXIT_INDIRECT)
        clock_switch(CLOCK_INDIRECT);
    else if (id == EXIT_RESUME)
        clock_switch(CLOCK_SIGNAL);
    else if (special)
        clock_switch(CLOCK_SYSCALL);
    else
        clock_switch((enum clock_place)place[exit_get((u32)id)->kind]);
}

/* Is it the exit after the last instruction of its trace? */
static bool fell(const struct exit *x)
{
    const struct trace *from = exit_from(x);
    return x->kind == EXIT_KIND_BRANCH && x->target == from->pc + from->guest_bytes;
}

/* Finds out why the cache was left, and sets the guest's pc. *came_from: the exit taken, if it may be linked. */
static void left_cache(struct exit **came_from, bool *indirect)
{
    struct thread *t = &vm_tc;
    u64 id = t->cpu.exit_id;
    if (UNLIKELY(spread_used))
        spread_flush();
    if (UNLIKELY(cache_events.exited))
        tell_exit(id);
    *came_from = NULL;
    *indirect = false;
    t->jit.fell = false;
    if (UNLIKELY(t->os.completing)) { /* a signal waited for the end of an instruction in the cache (step_out) */
        arch_step_stop(&t->cpu);
        t->os.completing = false;
    }
    if (UNLIKELY(options.stats))
        tell_clock(id);
    switch (id) {
    case EXIT_INDIRECT:
        t->vm.tally.missed[t->vm.tally.kind]++;
        *indirect = true;
        break;
    case EXIT_SYSCALL:
        __atomic_store_n(&t->vm.epoch, ~0ul, __ATOMIC_RELEASE);
        t->vm.tally.vm_calls++;
        os_syscall();
        break;
    case EXIT_SYSCALL_AFTER: {
        gpc_t at = arch_pc(&t->cpu) - arch_info.syscall_bytes;
        __atomic_store_n(&t->vm.epoch, ~0ul, __ATOMIC_RELEASE);
        t->vm.tally.vm_calls++;
        if (os_syscall())
            run_after(at);
        break;
    }
    case EXIT_RESUME:
        if (UNLIKELY(jit_events.buffer_left != NULL))
            jit_events.buffer_left();
        break;
    case EXIT_EFAULT:
    case EXIT_GATE:
        gate_left(id == EXIT_EFAULT);
        break;
    default:
        if (UNLIKELY(os_sections))
            t->jit.fell = fell(exit_get((u32)id));
        *came_from = direct_exit(exit_get((u32)id));
    }
}

/* The VM has decided about an exit (a replaced routine, a return), and the guest goes on in the trace that it has left.
 * That trace still exists, because the thread's epoch has not changed. */
static void enter_resumed(struct exit **came_from, bool *indirect)
{
    struct thread *t = &vm_tc;
    t->cpu.enter = (u64)t->vm.calls.resume;
    t->vm.calls.resume = NULL;
    enter_cache(ENTRY_ANY);
    if (t->cpu.exit_id != EXIT_RESUME || arch_pc(&t->cpu) != t->vm.calls.skip_pc ||
        arch_sp(&t->cpu) != t->vm.calls.skip_sp)
        t->vm.calls.skip_pc = 0; /* it has been used; if a signal came first, it is still to be used */
    left_cache(came_from, indirect);
}

/* Enters the cache again after analysis calls that are done, before their instruction (t->jit.resume). The code still
 * exists, because the thread's epoch has not changed. False: the guest is elsewhere now. */
static bool resume(void)
{
    struct thread *t = &vm_tc;
    if (arch_pc(&t->cpu) != t->jit.resume_pc || vm_stop_requested) {
        arch_settle_counts((u64)t->jit.resume, SETTLE_EXIT);
        t->jit.resume = NULL;
        __atomic_store_n(&t->vm.epoch, ~0ul, __ATOMIC_RELEASE);
        return false;
    }
    t->cpu.enter = (u64)t->jit.resume;
    enter_cache(t->jit.resume_how | ENTRY_AFTER_CALLS);
    /* With EXIT_RESUME a signal came: either in the cache, and the handler has cleared `resume`, or on the way there,
     * and `resume` still holds. */
    if (t->cpu.exit_id != EXIT_RESUME)
        t->jit.resume = NULL;
    return true;
}

/* --- a thread that a debugger steps (DB3) ------------------------------------------------------------------------- */

/* Has the instruction at pc been executed, by the code that has just been left? */
static bool executed(gpc_t pc)
{
    struct thread *t = &vm_tc;
    u64 id = t->cpu.exit_id;
    bool branch = id == EXIT_INDIRECT || (id < EXIT_SPECIAL && exit_get((u32)id)->kind == EXIT_KIND_BRANCH);
    return !t->jit.resume && t->jit.debug == JIT_STEP && (branch || arch_pc(&t->cpu) != pc);
}

/* Executes one instruction in a trace of its own. If a signal came first, or the instruction faulted, nothing has
 * changed, and the thread is still to be stepped. */
static void enter_single(void)
{
    struct thread *t = &vm_tc;
    gpc_t pc = arch_pc(&t->cpu);
    struct exit *ignored;
    bool indirect;
    u64 fetch_fault;
    if (pc == VM_RETURN_PC)
        vm_check_return();
    client_lock();
    jit_lock();
    build_hint(NULL);
    struct trace *tr = jit_single_trace(pc, clones_used ? 0 : (u16)t->jit.version, &fetch_fault);
    if (tr) {
        t->cpu.enter = (u64)tr->body;
        __atomic_store_n(&t->vm.epoch, jit_epoch(), __ATOMIC_RELEASE);
    }
    unlock(true);
    if (!tr) {
        build_raise_fetch_fault(fetch_fault);
        return;
    }
    if (!(tr->flags & TRACE_SECTION) || sections_enter(tr)) {
        enter_cache(ENTRY_TRACE);
        left_cache(&ignored, &indirect);
        while (t->vm.calls.resume)
            enter_resumed(&ignored, &indirect);
        if (executed(pc))
            t->jit.debug = JIT_STEPPED;
    }
    if (!t->jit.resume)
        __atomic_store_n(&t->vm.epoch, ~0ul, __ATOMIC_RELEASE);
}

/* True: there is nothing else to do in this turn of the dispatcher. */
static bool step(void)
{
    struct thread *t = &vm_tc;
    if (t->jit.debug != JIT_STEP || vm_stop_requested)
        return t->jit.debug > JIT_STEP;
    if (t->jit.resume) { /* the rest of a trace: the calls before its instruction will run again */
        arch_settle_counts((u64)t->jit.resume, SETTLE_EXIT);
        t->jit.resume = NULL;
        __atomic_store_n(&t->vm.epoch, ~0ul, __ATOMIC_RELEASE);
    }
    enter_single();
    return true;
}

#pragma weak os_record_turn /* not every architecture has a recorder */
void jit_dispatch(void)
{
    struct thread *t = &vm_tc;
    struct exit *came_from = NULL;
    u64 came_epoch = 0;
    bool indirect = false;
    t->os.in_syscall = false;
    t->jit.resume = NULL;
    for (;;) {
        if (UNLIKELY(t->jit.debug > JIT_STEP))
            jit_events.stopped();
        if (UNLIKELY(pause_attention))
            pause_apply();
        if (t->os.pending || t->os.late_pending)
            os_deliver_pending();
        if (UNLIKELY(os_record))
            os_record_turn();
        if (UNLIKELY(pause_attention))
            pause_point();
        if (UNLIKELY(t->vm.calls.top))
            vm_drop_calls();
        if (UNLIKELY(t->jit.debug) && step()) {
            came_from = NULL;
            indirect = false;
            continue;
        }
        if (LIKELY(!t->jit.resume) || !resume()) {
            bool entered = enter(came_from, came_epoch, indirect);
            came_from = NULL;
            indirect = false;
            if (!entered)
                continue;
        }
        came_epoch = t->vm.epoch;
        left_cache(&came_from, &indirect);
        while (UNLIKELY(t->vm.calls.resume))
            enter_resumed(&came_from, &indirect);
        /* The thread is out of the cache, so no region waits for it (E9). Whether came_from is still valid is seen from
         * its epoch. */
        if (LIKELY(!t->jit.resume))
            __atomic_store_n(&t->vm.epoch, ~0ul, __ATOMIC_RELEASE);
    }
}
