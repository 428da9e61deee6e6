/* SPDX-License-Identifier: Apache-2.0
 * The host's side of probes: a thread comes from one, and guest functions are called from there (docs/design/probes.md,
 * PB5, PB6). The calls of a thread are a list, youngest first; those that the guest has jumped over are dropped. Runs
 * on the guest's thread with all signals blocked. */
#include "probe/probe.h"

#include "arch/arch.h"
#include "os/hostmem.h"
#include "os/native.h"
#include "os/thread.h"

#include <sys/mman.h>

#define OWN_BYTES (96ul << 10)   /* how much of a thread's own host stack calls may use */
#define STACK_BYTES (1ul << 20)
#define STACK_REST (320ul << 10) /* what must be left for the tool's functions when the next call is made */

struct native_call {
    struct native_call *outer;
    u64 return_sp;
    u64 resume;      /* the host's stack pointer, where it goes on */
    u64 host_sp;     /* where the host's side of probes began before it */
    u64 limit;       /* below it, the next call gets another stack; as it was */
    void *stack;     /* its own host stack, NULL: none */
    void *activation;
    int visitor;     /* of native_visitor when it was made */
    u32 depth;
    gpc_t caller;
    u8 frame[PROBE_FRAME_BYTES] __attribute__((aligned(8))); /* for unwinders */
};

static __thread struct native_call *top;
static __thread u64 limit;

static void end_call(struct native_call *c)
{
    top = c->outer;
    limit = c->limit;
    vm_tc.cpu.host_sp = c->host_sp;
    if (c->stack)
        hostmem_unmap(c->stack, STACK_BYTES);
}

/* A call is over without having returned where the guest's stack is above it, where another function begins in its
 * place that does not return to it (a jump from the called function to another would), or where a child that shared the
 * memory has left it. On other stacks nothing is known: the call stays. */
static bool jumped_over(const struct native_call *c, u64 sp)
{
    if (c->visitor != native_visitor())
        return !native_visitor();
    if (!native_same_stack(sp, c->return_sp))
        return false;
    return sp + 8 > c->return_sp || (sp + 8 == c->return_sp && *(u64 *)sp != probe_gate(c->depth));
}

static void drop_calls(u64 sp)
{
    while (top && jumped_over(top, sp)) {
        vm_tc.vm.calls.activation = top->outer ? top->outer->activation : NULL;
        struct native_call *c = top;
        c->stack = (u64)__builtin_frame_address(0) - (u64)c->stack < STACK_BYTES ? NULL : c->stack;
        end_call(c);
    }
}

/* The guest has returned from a call: the one that its stack pointer says. */
static void come_back(u64 sp) NORETURN;
static void come_back(u64 sp)
{
    struct native_call *c = top;
    while (c && c->return_sp != sp)
        c = c->outer;
    if (!c)
        BUG("a function of the program has returned to a probe with the stack pointer %lx, and none was called", sp);
    while (top != c)
        end_call(top);
    arch_native_back(c->resume);
}

static void entered(void)
{
    native_settle();
    struct probe *p = arch_probe_record();
    u64 sp = arch_sp(&vm_tc.cpu);
    if (!p)
        come_back(sp);
    if (top && !p->anywhere)
        drop_calls(sp);
    arch_set_pc(&vm_tc.cpu, p->site.pc);
    arch_set_pc(&vm_tc.cpu, p->fn(p));
}

/* Room for the host's side of probes that are met meanwhile: a deep recursion gets further stacks. */
static u64 next_stack(struct native_call *c)
{
    u64 here = (u64)__builtin_frame_address(0);
    if (!top)
        limit = here - OWN_BYTES;
    c->limit = limit;
    if (here > limit)
        return 0;
    u8 *low = hostmem_map(STACK_BYTES, PROT_READ | PROT_WRITE);
    if (!low)
        hostmem_die("functions of the program that are called by the tool");
    mprotect(low, PAGE_BYTES, PROT_NONE); /* if this fails, only a clean crash is lost */
    c->stack = low;
    limit = (u64)low + STACK_REST;
    return (u64)low + STACK_BYTES;
}

u64 probe_return_pc(void) { return probe_gate(top ? top->depth + 1 : 0); }

/* PB17 */
u64 probe_frame_of(u64 return_pc, u64 *bases)
{
    u32 depth;
    struct native_call *c = top;
    if (!probe_gate_depth(return_pc, &depth))
        return 0;
    while (c && c->depth != depth)
        c = c->outer;
    if (!c)
        return 0;
    bases[0] = bases[1] = 0;
    bases[2] = return_pc - 1;
    return arch_probe_frame(c->frame, return_pc, c->caller);
}

void probe_call_guest(u64 return_sp, gpc_t caller)
{
    struct native_call c = {.return_sp = return_sp, .host_sp = vm_tc.cpu.host_sp, .visitor = native_visitor(),
        .activation = vm_tc.vm.calls.activation};
    u64 next = next_stack(&c);
    c.outer = top;
    c.depth = top ? top->depth + 1 : 0;
    c.caller = caller;
    top = &c;
    arch_native_call(&c.resume, next);
    vm_tc.vm.calls.activation = c.activation;
    end_call(&c);
}

void probe_run_init(void) { arch_probe_entered = entered; }
