/* SPDX-License-Identifier: Apache-2.0
 * PIN_CallApplicationFunction: a function of the guest, called by analysis and replacement routines. It runs in the
 * cache, instrumented as all guest code is unless the tool wants it uninstrumented. Afterwards the guest's registers
 * are what they were before, and so are the tool's. The exception is a replacement that calls its own routine: what the
 * routine has set in the guest's registers stays.
 * On the guest's thread, no lock held. Rule A32. */
#include "api/usage.h"
#include "api/proto.h"
#include "api/replace_args.h"
#include "arch/arch.h"
#include "context.h"
#include "jit/jit.h"
#include "jit/jit_internal.h"
#include "jit/versions.h"
#include "linchpin/types.h"
#include "os/native.h"
#include "os/thread.h"

#include <string.h>

static const char name[] = "PIN_CallApplicationFunction";

struct pair {
    u64 low, high;
};

/* The next value of the list, as C passes it to a function with variable arguments. */
static void read_value(va_list *ap, struct parg p, const struct abi_type *t, u64 value[2])
{
    value[0] = value[1] = 0;
    if (t->cls == ABI_MEMORY)
        api_misuse(name, NULL, 0, "an argument of %u bytes by value; pass a pointer", t->bytes);
    if (t->cls == ABI_FLOAT) {
        double d = va_arg(*ap, double);
        float f = (float)d;
        memcpy(value, p.bytes == sizeof f ? (void *)&f : (void *)&d, p.bytes);
    } else if (t->bytes > 8) {
        struct pair pair = va_arg(*ap, struct pair);
        value[0] = pair.low;
        value[1] = pair.high;
    } else {
        value[0] = va_arg(*ap, u64);
        u32 shift = 64 - t->bytes * 8;
        value[0] = t->is_signed ? (u64)((s64)(value[0] << shift) >> shift) : value[0] << shift >> shift;
    }
}

static void read_list(struct abi_list *l, va_list *ap)
{
    abi_list_begin(l);
    for (struct parg p = va_arg(*ap, struct parg); !proto_ends(p); p = va_arg(*ap, struct parg)) {
        struct abi_type t;
        u64 value[2];
        if (!proto_type(p, &t) || t.cls == ABI_NONE)
            api_misuse(name, NULL, 0, "argument type %d of %u bytes is not one; is PIN_PARG_END() missing?", p.kind,
                       p.bytes);
        read_value(ap, p, &t, value);
        abi_list_add(l, &t, value);
    }
}

/* The types and values that follow: of the result, with the place for it (returned, NULL: there is none), then of the
 * arguments. A list that ends at once is a function without either. */
static void *read_types(va_list *ap, struct abi_type *result, struct abi_list *l)
{
    struct parg p = va_arg(*ap, struct parg);
    if (proto_ends(p)) {
        *result = (struct abi_type){.cls = ABI_NONE};
        abi_list_begin(l);
        return NULL;
    }
    if (!proto_type(p, result) || result->bytes > 16)
        api_misuse(name, NULL, 0, "result type %d of %u bytes is not one that can be returned", p.kind, p.bytes);
    void *to = result->cls == ABI_NONE ? NULL : va_arg(*ap, void *);
    read_list(l, ap);
    return to;
}

/* The guest as the context has it, and the tool's registers, too. Where the list has no argument for a register of the
 * calling convention, the context's value stays: tools leave arguments there that they do not name. */
static void give_context(const struct bridge_state *context, struct abi_list *l)
{
    struct host_call in;
    context_give(&vm_tc.cpu, context);
    abi_take_regs(&in, &vm_tc.cpu);
    memcpy(l->call.gpr + l->nint, in.gpr + l->nint, sizeof in.gpr - l->nint * sizeof in.gpr[0]);
    memcpy(l->call.xmm + l->nfloat, in.xmm + l->nfloat, sizeof in.xmm - l->nfloat * sizeof in.xmm[0]);
    if (!l->nfloat)
        l->call.rax = in.rax;
}

/* In a function of its own, so that the common case does not need its stack memory. */
static void __attribute__((noinline))
run_apart(const struct bridge_state *context, void *fn, const struct replacement *original, struct abi_list *l)
{
    struct replace_saved *saved = __builtin_alloca_with_align(replace_saved_bytes(), 512);
    replace_save(saved);
    give_context(context, l);
    replace_run_apart((gpc_t)fn, original, &l->call, (u32)l->call.nstack);
    abi_take_result(&l->call, &vm_tc.cpu);
    replace_restore(saved);
}

/* From here on guest code runs uninstrumented, until the function returns; this holds for the handler of a signal that
 * comes meanwhile, too. */
static void enter_native(void)
{
    jit_lock();
    versions_use();
    jit_unlock();
    vm_tc.jit.version = VERSION_NATIVE;
}

static void run(const struct bridge_state *context, void *fn, struct abi_list *l)
{
    const struct replacement *original = replace_original(fn);
    struct activation *a = vm_tc.vm.calls.activation;
    u32 words = (u32)l->call.nstack;
    if (!original || !replace_in_place(a, original, context_sp(context), words)) {
        run_apart(context, fn, original, l);
        return;
    }
    give_context(context, l);
    replace_run_in_place(a, &l->call, words);
    abi_take_result(&l->call, &vm_tc.cpu);
}

void PIN_CallApplicationFunction(const struct bridge_state *context, u32 thread, s32 standard, void *fn,
                                 const CALL_APPLICATION_FUNCTION_PARAM *param, ...)
{
    struct abi_list l;
    struct abi_type result;
    va_list ap;
    u64 version = vm_tc.jit.version, tool_regs[THREAD_TOOL_REGS];
    (void)thread, (void)standard;
    if (!context_valid(context))
        api_misuse(name, NULL, 0, "the context is not one of the application's");
    usage_not_narrow(name);
    if ((!vm_tc.vm.run_frame && !os_native) || jit_lock_held())
        api_misuse(name, NULL, 0, "only analysis and replacement routines may call it");
    va_start(ap, param);
    void *to = read_types(&ap, &result, &l);
    va_end(ap);
    if (param && param->native)
        enter_native();
    memcpy(tool_regs, vm_tc.opt.tool_reg, sizeof tool_regs);
    run(context, fn, &l);
    memcpy(vm_tc.opt.tool_reg, tool_regs, sizeof tool_regs);
    vm_tc.jit.version = version;
    if (to)
        memcpy(to, result.cls == ABI_FLOAT ? l.call.xret[0] : l.call.ret, result.bytes);
}
