/* SPDX-License-Identifier: Apache-2.0
 * See call.h. Owns the host stacks that calls get when the thread's own is nearly used up. On the guest's thread, no
 * lock held. */
#include "vm/call.h"

#include "arch/arch.h"
#include "os/gmap.h"
#include "os/hostmem.h"
#include "os/events.h"
#include "os/os.h"
#include "vm/events.h"
#include "vm/stop.h"
#include "os/thread.h"
#include "vm/vm.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MAX_NOTES 65536u
#define MANY_CALLS 48 /* at this depth the host stack is nearly used up, so calls that are probably dead are dropped */

#define OWN_BYTES (96ul << 10) /* how much of the thread's own host stack calls may use */
#define STACK_BYTES (1ul << 20)
/* What must be left for the engine and the tool's functions when the next call is made. */
#define STACK_REST (320ul << 10)

const char vm_return_place[1];

/* --- host stacks -------------------------------------------------------------------------------------------------- */

static void free_stack(void)
{
    struct vm_stack *s = vm_tc.vm.calls.stack;
    vm_tc.vm.calls.stack = s->outer;
    vm_tc.vm.calls.stack_limit = s->outer_limit;
    hostmem_unmap((u8 *)s - PAGE_BYTES, STACK_BYTES);
}

/* Makes another host stack for calls. Its record is at its low end, above the guard page. */
static bool make_stack(u32 depth)
{
    u8 *low = hostmem_map(STACK_BYTES, PROT_READ | PROT_WRITE);
    if (!low)
        return false;
    mprotect(low, PAGE_BYTES, PROT_NONE); /* if this fails, only a clean crash is lost */
    struct vm_stack *s = (struct vm_stack *)(low + PAGE_BYTES);
    *s = (struct vm_stack){vm_tc.vm.calls.stack, depth, vm_tc.vm.calls.stack_limit};
    vm_tc.vm.calls.stack = s;
    vm_tc.vm.calls.stack_limit = (u64)low + STACK_REST;
    return true;
}

static void set_top(struct vm_call *c)
{
    struct thread *t = &vm_tc;
    while (t->vm.calls.stack && t->vm.calls.stack->depth > (c ? c->depth : 0))
        free_stack();
    t->vm.calls.top = c;
    t->cpu.calls = (c ? c->depth : 0) + t->vm.calls.nnotes;
    __atomic_store_n(&t->vm.epoch_floor, c ? c->floor : ~0ul, __ATOMIC_RELEASE); /* VC3 */
}

static void begin(struct vm_call *c)
{
    struct thread *t = &vm_tc;
    c->outer = t->vm.calls.top;
    c->depth = c->outer ? c->outer->depth + 1 : 1;
    c->activation = t->vm.calls.activation;
    c->outer_floor = t->vm.epoch_floor;
    c->floor = t->vm.epoch < t->vm.epoch_floor ? t->vm.epoch : t->vm.epoch_floor;
    c->host_sp = t->cpu.host_sp;
    c->completing = t->os.completing;
    memcpy(c->slot, t->cpu.slot, sizeof c->slot);
    vm_abandon_step();
    t->vm.calls.skip_pc = c->original_pc;
    t->vm.calls.skip_sp = c->original_sp;
}

static void end(struct vm_call *c)
{
    struct thread *t = &vm_tc;
    set_top(c->outer);
    __atomic_store_n(&t->vm.epoch_floor, c->outer_floor, __ATOMIC_RELEASE);
    t->cpu.host_sp = c->host_sp;
    memcpy(t->cpu.slot, c->slot, sizeof c->slot);
    if (UNLIKELY(os_detaching))
        t->os.pending = true; /* a detach wants the thread in the dispatcher */
    if (c->completing) { /* the dispatcher goes on with the step (dispatch.c) */
        t->os.completing = true;
        t->os.pending = false;
    }
}

/* Runs the guest function; returns when that has returned. */
static void run(void *arg)
{
    struct vm_call *c = arg;
    if (_setjmp(c->frame) != RUN_RETURNED) {
        set_top(c);
        vm_tc.vm.calls.activation = c->activation;
        vm_events.dispatch();
    }
}

void vm_call_guest(struct vm_call *c)
{
    begin(c);
    u64 epoch = vm_tc.vm.epoch;
    if ((u64)__builtin_frame_address(0) < vm_tc.vm.calls.stack_limit && make_stack(c->depth))
        arch_call_on_stack((u64)vm_tc.vm.calls.stack - PAGE_BYTES + STACK_BYTES, run, c);
    else
        run(c);
    /* This comes before end() sets epoch_floor to none, because the cache code that waits for the call is older. */
    __atomic_store_n(&vm_tc.vm.epoch, epoch, __ATOMIC_RELEASE);
    vm_tc.vm.calls.activation = c->activation;
    end(c);
}

void vm_forget_calls(void)
{
    vm_tc.vm.calls.activation = NULL;
    vm_tc.vm.calls.resume = NULL;
    set_top(NULL);
    vm_tc.vm.calls.stack_limit = (u64)__builtin_frame_address(0) - OWN_BYTES;
}

bool vm_in_original(gpc_t from)
{
    const struct vm_call *c = vm_tc.vm.calls.top;
    return c && c->original_pc == arch_pc(&vm_tc.cpu) && c->original_sp == arch_sp(&vm_tc.cpu) &&
           from >= c->original_pc && from < c->original_end;
}

/* --- notes -------------------------------------------------------------------------------------------------------- */

static void notes_changed(s64 by)
{
    vm_tc.vm.calls.nnotes = (u32)(vm_tc.vm.calls.nnotes + by);
    vm_tc.cpu.calls += (u64)by;
}

void vm_note_return(gpc_t pc, u64 sp, vm_note_fn *fn, u64 a, u64 b)
{
    struct vm_calls *c = &vm_tc.vm.calls;
    if (c->nnotes == MAX_NOTES) { /* the guest has jumped over many, or jumps in an endless loop: the oldest notes go */
        memmove(c->note, c->note + MAX_NOTES / 2, MAX_NOTES / 2 * sizeof *c->note);
        notes_changed(-(s64)(MAX_NOTES / 2));
    }
    if (c->nnotes == c->notes_room) {
        u32 room = c->notes_room ? c->notes_room * 2 : 16;
        struct vm_note *grown = realloc(c->note, room * sizeof *grown);
        if (!grown)
            return;
        c->note = grown;
        c->notes_room = room;
    }
    c->note[c->nnotes] = (struct vm_note){pc, sp, fn, a, b};
    notes_changed(1);
    vm_events.watch_return(pc);
}

void vm_free_notes(void)
{
    free(vm_tc.vm.calls.note);
    vm_tc.vm.calls = (struct vm_calls){0};
}

static void run_notes(u64 pc, u64 sp)
{
    struct vm_calls *c = &vm_tc.vm.calls;
    for (u32 i = c->nnotes; i-- > 0;) {
        struct vm_note n = c->note[i];
        if (n.pc != pc || n.sp != sp)
            continue;
        memmove(c->note + i, c->note + i + 1, (c->nnotes - i - 1) * sizeof n);
        notes_changed(-1);
        n.fn(n.a, n.b);
        if (i > c->nnotes)
            i = c->nnotes;
    }
}

void vm_check_return(void)
{
    struct thread *t = &vm_tc;
    u64 pc = arch_pc(&t->cpu), sp = arch_sp(&t->cpu);
    run_notes(pc, sp);
    for (struct vm_call *c = t->vm.calls.top; c; c = c->outer)
        if (c->return_pc == pc && c->return_sp == sp)
            _longjmp(c->frame, RUN_RETURNED);
}

static bool same_mapping(u64 a, u64 b)
{
    struct gmap_area x, y;
    return gmap_find(a, &x) && gmap_find(b, &y) && x.start == y.start;
}

/* True: the guest's stack pointer is above the call's frame, and the call's return address is not on the stack any
 * more. If the guest is on another stack (a signal's, a coroutine's) the call may still be alive. */
static bool is_dead(const struct vm_call *c, u64 sp, gpc_t pc)
{
    u64 found = 0;
    if (sp < c->return_sp || (sp == c->return_sp && pc == c->return_pc))
        return false;
    bool gone = os_safe_copy(&found, (void *)(c->return_sp - 8), sizeof found) != sizeof found || found != c->return_pc;
    return gone || (c->depth > MANY_CALLS && same_mapping(sp, c->return_sp - 8));
}

void vm_drop_calls(void)
{
    struct vm_call *c = vm_tc.vm.calls.top, *last = NULL;
    u64 sp = arch_sp(&vm_tc.cpu), pc = arch_pc(&vm_tc.cpu);
    for (; c && is_dead(c, sp, pc); c = c->outer)
        last = c;
    if (!last)
        return;
    /* The code that is jumped to sets the other fields, because this code may run on a stack that is about to be
     * freed. */
    vm_tc.vm.calls.top = last->outer;
    vm_redispatch();
}
