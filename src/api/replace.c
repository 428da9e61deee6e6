/* SPDX-License-Identifier: Apache-2.0
 * RTN_Replace and RTN_ReplaceSignature. The guest that arrives at a replaced routine leaves the cache (opt/hooks.h);
 * the tool's function is called here with arguments from the guest's registers and stack, and the guest goes on at its
 * return address. The function may call the routine itself: then it runs where the guest has called it, with its own
 * return address on the stack, so that the guest's unwinder, longjmp and backtraces see nothing unusual. Records only
 * grow; made under jit_lock, read without. Rules A30, A31, A34. */
#include "api/usage.h"
#include "api/replace.h"

#include "api/insert.h"
#include "api/probed.h"
#include "api/proto.h"
#include "api/replace_args.h"
#include "context.h"
#include "arch/arch.h"
#include "image/image.h"
#include "jit/events.h"
#include "opt/hooks.h"
#include "jit/instrument.h"
#include "jit/jit.h"
#include "jit/jit_internal.h"
#include "linchpin/iarg.h"
#include "os/events.h"
#include "os/native.h"
#include "os/os.h"
#include "os/thread.h"
#include "vm/call.h"
#include "vm/vm.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024
#define PASSED_WORDS 32 /* words of the stack that are passed to a replacement whose routine has no prototype */

static struct replacement *bucket[BUCKETS];

static const struct replacement *find(gpc_t pc)
{
    const struct replacement *r = __atomic_load_n(&bucket[pc % BUCKETS], __ATOMIC_ACQUIRE);
    while (r && (r->pc != pc || !r->fn))
        r = r->next;
    return r;
}

/* --- running the tool's function ---------------------------------------------------------------------------------- */

/* The routine's own arguments, as they are. */
static void pass_arguments(struct abi_list *l)
{
    abi_list_begin(l);
    abi_take_regs(&l->call, &vm_tc.cpu);
    u64 from = arch_sp(&vm_tc.cpu) + 8, bytes = PASSED_WORDS * 8;
    if (os_native && native_stack_left(from) >= bytes) {
        memcpy(l->word, (void *)from, bytes);
        l->call.nstack = PASSED_WORDS;
    } else {
        l->call.nstack = os_safe_copy(l->word, (void *)from, bytes) / 8;
    }
}

void replace_run_function(const struct replacement *r, struct activation *a)
{
    struct abi_list l;
    u64 exposed = r->call ? replace_exposed(r) : 0;
    void *memory = r->call ? __builtin_alloca_with_align(replace_arguments_bytes(r), 512) : NULL;
    if (memory)
        replace_arguments(&l, r, a, memory);
    else
        pass_arguments(&l);
    l.call.fn = r->fn;
    vm_tc.vm.calls.activation = a;
    abi_use_fpu(&vm_tc.cpu); /* the function stands for one of the guest's */
    if (UNLIKELY(exposed)) {
        context_load_cpu(memory, exposed);
        abi_host_call(&l.call);
        context_store_cpu(memory, exposed);
        arch_host_fpu();
    } else {
        abi_host_call(&l.call);
        abi_use_fpu(NULL);
    }
    vm_tc.vm.calls.activation = a->outer;
    if (memory)
        replace_give_back(r, memory);
    /* A function without a result, too, leaves a value in the register for results. */
    static const struct abi_type word = {ABI_INT, false, 8};
    const struct abi_type *result = r->proto ? &r->proto->result : NULL;
    abi_give_result(&vm_tc.cpu, &l.call, result && result->cls == ABI_NONE ? &word : result);
}

/* True: the guest is here because the routine's original is to run. */
static bool wants_original(gpc_t pc, u64 sp)
{
    return vm_tc.vm.calls.skip_pc == pc && vm_tc.vm.calls.skip_sp == sp;
}

static u8 *on_replaced(gpc_t pc, u8 *resume)
{
    struct cpu_state *c = &vm_tc.cpu;
    const struct replacement *r = find(pc);
    struct activation a = {vm_tc.vm.calls.activation, r, arch_sp(c), 0};
    if (!r || wants_original(pc, a.entry_sp))
        return resume;
    if (os_safe_copy(&a.return_pc, (void *)a.entry_sp, 8) != 8)
        return resume; /* the routine's own first instruction faults as it would natively */
    __atomic_store_n(&vm_tc.vm.epoch, ~0ul, __ATOMIC_RELEASE); /* the thread does not come back to this trace */
    replace_run_function(r, &a);
    arch_set_pc(c, a.return_pc);
    arch_set_sp(c, a.entry_sp + 8);
    return NULL;
}

/* --- running the routine ------------------------------------------------------------------------------------------ */

void replace_write_guest(u64 at, const void *from, size_t bytes)
{
    if (os_native) { /* where the guest itself is about to write */
        memcpy((void *)at, from, bytes);
        return;
    }
    os_events.kernel_write(at, at + bytes);
    if (os_safe_copy((void *)at, from, bytes) != bytes)
        die(1, "a function of the application is called by the tool with a stack (0x%lx) that cannot be written", at);
}

bool replace_in_place(const struct activation *a, const struct replacement *r, u64 sp, u32 stack_words)
{
    if (!a || a->rec != r || a->entry_sp != sp)
        return false;
    return !stack_words || (r->proto && stack_words <= abi_stack_words(r->proto));
}

void replace_run_in_place(const struct activation *a, const struct host_call *l, u32 stack_words)
{
    struct cpu_state *c = &vm_tc.cpu;
    struct vm_call call = {.return_pc = a->return_pc, .return_sp = a->entry_sp + 8, .original_pc = a->rec->pc,
        .original_end = a->rec->end,
        .original_sp = a->entry_sp};
    abi_give_regs(c, l);
    replace_write_guest(a->entry_sp + 8, l->stack, stack_words * 8);
    if (a->rec->probed && a->rec->next) { /* the replacement before this one */
        struct activation older = {(struct activation *)a, a->rec->next, a->entry_sp, a->return_pc};
        arch_set_sp(c, a->entry_sp);
        replace_run_function(older.rec, &older);
        return;
    }
    if (a->rec->probed) {
        probed_run_original(a->rec->probed, a->entry_sp, a->return_pc);
        return;
    }
    replace_write_guest(a->entry_sp, &a->return_pc, 8);
    arch_set_sp(c, a->entry_sp);
    arch_set_pc(c, a->rec->pc);
    hook_add(a->return_pc, HOOK_RETURN);
    vm_call_guest(&call);
}

void replace_run_apart(gpc_t pc, const struct replacement *original, const struct host_call *l, u32 stack_words)
{
    struct cpu_state *c = &vm_tc.cpu;
    u64 sp = abi_new_frame(c, stack_words), back = os_native ? probe_return_pc() : VM_RETURN_PC;
    struct vm_call call = {.return_pc = back, .return_sp = sp + 8, .original_pc = original ? original->pc : 0,
        .original_end = original ? original->end : 0, .original_sp = sp};
    abi_give_regs(c, l);
    abi_prepare_state(c);
    replace_write_guest(sp + 8, l->stack, stack_words * 8);
    replace_write_guest(sp, &back, 8);
    arch_set_sp(c, sp);
    if (os_native && original) {
        probed_run_original(original->probed, sp, back);
        return;
    }
    if (os_native) {
        probe_jump(pc);
        probe_call_guest(sp + 8, 0);
        return;
    }
    arch_set_pc(c, original ? original->pc : pc);
    vm_call_guest(&call);
}

/* Called by the tool through what RTN_Replace has returned or IARG_ORIG_FUNCPTR has given. */
static void call_original(void *data, struct host_call *h)
{
    const struct replacement *r = data;
    struct activation *a = vm_tc.vm.calls.activation;
    if (!a || jit_lock_held())
        api_misuse("the original of a replaced routine", NULL, 0,
                   "only replacement routines may call it by its pointer; others use PIN_CallApplicationFunction");
    if (a->rec == r) { /* without a prototype the stack arguments are the guest's own */
        replace_run_in_place(a, h, r->proto ? abi_stack_words(r->proto) : 0);
        abi_take_result(h, &vm_tc.cpu);
        return;
    }
    struct replace_saved *saved = __builtin_alloca_with_align(replace_saved_bytes(), 512);
    replace_save(saved);
    replace_run_apart(r->pc, r, h, r->proto ? abi_stack_words(r->proto) : PASSED_WORDS);
    abi_take_result(h, &vm_tc.cpu);
    replace_restore(saved);
}

const struct replacement *replace_original(const void *fn)
{
    const struct activation *a = vm_tc.vm.calls.activation;
    const struct replacement *r = abi_thunk_data(fn, call_original);
    if (r)
        return r;
    for (; a; a = a->outer)
        if (a->rec->pc == (u64)fn)
            return a->rec;
    return NULL;
}

/* --- registration ------------------------------------------------------------------------------------------------- */

struct replacement *replace_make(gpc_t pc, gpc_t end, void *fn, const struct call *call, const struct abi_proto *proto,
                                 struct probed *probed)
{
    struct replacement *r = calloc(1, sizeof *r);
    if (!r)
        die(1, "out of memory for replaced routines");
    *r = (struct replacement){.pc = pc, .end = end, .fn = fn, .call = call, .proto = proto ? proto_copy(proto) : NULL,
        .probed = probed};
    r->original = abi_make_thunk(call_original, r);
    if (!r->original)
        die(1, "out of memory for replaced routines");
    return r;
}

static void *replace(const char *name, u32 rtn, void *fn, const struct call *call, const struct abi_proto *proto)
{
    bool own_lock = jit_lock_held();
    usage_not_narrow(name);
    image_lock();
    const struct rtn *target = rtn_get(rtn);
    gpc_t pc = target ? target->start : 0, end = target ? target->end : 0;
    image_unlock();
    if (!pc || !fn)
        api_misuse(name, call ? call->file : NULL, call ? call->line : 0,
                   pc ? "the replacement is NULL" : "the routine handle %u is not valid", rtn);
    if (own_lock && instrument_running())
        api_misuse(name, call ? call->file : NULL, call ? call->line : 0, RTN_NOT_SUPPORTED, name);
    struct replacement *r = replace_make(pc, end, fn, call, proto, NULL);
    if (!own_lock)
        jit_lock();
    jit_events.replaced = on_replaced;
    r->next = bucket[pc % BUCKETS]; /* at the start of the list, because the latest replacement counts */
    __atomic_store_n(&bucket[pc % BUCKETS], r, __ATOMIC_RELEASE);
    hook_add_locked(pc, HOOK_REPLACE);
    if (!own_lock)
        jit_unlock();
    return r->original;
}

void *RTN_Replace(u32 rtn, void *fn) { return replace("RTN_Replace", rtn, fn, NULL, NULL); }
void RTN_ReplaceWithUninstrumentedRoutine(u32 rtn, void *fn)
{
    replace("RTN_ReplaceWithUninstrumentedRoutine", rtn, fn, NULL, NULL);
}
void RTN_ComplexReplaceWithUninstrumentedRoutine(u32 rtn, void *fn)
{
    replace("RTN_ComplexReplaceWithUninstrumentedRoutine", rtn, fn, NULL, NULL);
}

void *RTN_ReplaceSignature(u32 rtn, void *fn, ...)
{
    va_list ap;
    va_start(ap, fn);
    const struct call *c = insert_read_kept("RTN_ReplaceSignature", fn, ap, replace_argument_known);
    va_end(ap);
    if (!c->proto)
        api_misuse("RTN_ReplaceSignature", c->file, c->line, "IARG_PROTOTYPE is missing");
    replace_check_arguments(c, c->proto);
    return replace("RTN_ReplaceSignature", rtn, fn, c, c->proto);
}

void replace_forget(gpc_t pc)
{
    for (struct replacement *r = bucket[pc % BUCKETS]; r; r = r->next)
        if (r->pc == pc)
            r->fn = NULL;
}
