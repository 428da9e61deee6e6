/* SPDX-License-Identifier: Apache-2.0
 * Calls and replacements at probes: RTN_InsertCallProbed, RTN_ReplaceProbed and their kin. What is at a probe is only
 * added to while the program runs, in an order in which a thread that comes meanwhile finds it whole; taking it away is
 * taking the probe away. Arguments are those of replacements (replace_args.c). */
#include "api/probed.h"

#include "api/insert.h"
#include "api/proto.h"
#include "api/replace_args.h"
#include "arch/arch.h"
#include "context.h"
#include "base/options.h"
#include "image/image.h"
#include "jit/jit.h"
#include "jit/jit_internal.h"
#include "linchpin/api_text.h"
#include "os/native.h"
#include "os/os.h"
#include "os/thread.h"

#include <stdlib.h>
#include <string.h>

bool probed_quiet, probed_later, probed_over;
__thread bool probed_forks;

/* --- at a probe --------------------------------------------------------------------------------------------------- */

/* The tool's function sees the guest as it is, and may change it by references. */
static void call_tool(const struct replacement *r, u64 entry_sp, gpc_t return_pc)
{
    struct abi_list l;
    struct activation a = {vm_tc.vm.calls.activation, r, entry_sp, return_pc};
    void *memory = __builtin_alloca_with_align(replace_arguments_bytes(r), 512);
    replace_arguments(&l, r, &a, memory);
    l.call.fn = r->fn;
    u64 exposed = replace_exposed(r);
    if (UNLIKELY(exposed)) {
        context_load_cpu(memory, exposed);
        abi_host_call(&l.call);
        context_store_cpu(memory, exposed);
        arch_host_fpu();
    } else {
        abi_host_call(&l.call);
    }
    replace_give_back(r, memory);
    if (r->call->return_reg)
        replace_set_reg(r->call->return_reg, l.call.ret[0]);
}

static void call_all(const struct replacement *list, u64 entry_sp, gpc_t return_pc)
{
    for (const struct replacement *r = __atomic_load_n(&list, __ATOMIC_ACQUIRE); r; r = r->next)
        call_tool(r, entry_sp, return_pc);
}

void probed_run_original(struct probed *d, u64 entry_sp, gpc_t return_pc)
{
    if (d->twice)
        api_misuse("the original of a replaced routine", NULL, 0,
                   "it returns twice, and can only be called by the program");
    if (d->own && d->own->before)
        d->own->before();
    *(u64 *)entry_sp = probe_return_pc();
    arch_set_sp(&vm_tc.cpu, entry_sp);
    arch_set_pc(&vm_tc.cpu, d->probe->code.resume);
    probe_call_guest(entry_sp + 8, return_pc);
    *(u64 *)entry_sp = return_pc;
    arch_set_sp(&vm_tc.cpu, entry_sp);
    if (d->own && d->own->after)
        d->own->after();
}

static u64 on_probe(struct probe *p)
{
    struct probed *d = p->data;
    u64 sp = arch_sp(&vm_tc.cpu);
    gpc_t back = *(gpc_t *)sp;
    struct replacement *r = __atomic_load_n(&d->replaced, __ATOMIC_ACQUIRE);
    if (d->own && d->own->answers && d->own->answers())
        return p->code.leave;
    if (UNLIKELY(probed_over || probed_forks))
        return p->code.resume;
    call_all(d->before, sp, back);
    gpc_t jumps_to = __atomic_load_n(&d->jumps_to, __ATOMIC_ACQUIRE);
    if (jumps_to) {
        probe_jump(jumps_to);
        return arch_pc(&vm_tc.cpu);
    }
    if (r) {
        struct activation a = {vm_tc.vm.calls.activation, r, sp, back};
        replace_run_function(r, &a);
        *(u64 *)sp = back;
        arch_set_sp(&vm_tc.cpu, sp);
    } else if (d->after || (d->own && d->own->after)) {
        probed_run_original(d, sp, back);
    } else if (!d->own || !d->own->replaces || !d->own->replaces()) {
        if (d->own && d->own->before)
            d->own->before();
        return p->code.resume;
    }
    arch_set_pc(&vm_tc.cpu, p->site.pc);
    call_all(d->after, sp, back);
    return p->code.leave;
}

/* Functions that return twice, or to another stack: who called them cannot be hidden from them. */
static bool returns_twice(const char *name)
{
    static const char *const names[] = {"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "vfork", "__vfork", "clone",
        "__clone", "getcontext", "swapcontext", "makecontext"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* --- making one --------------------------------------------------------------------------------------------------- */

static const char *refused(u32 rtn, u32 mode)
{
    struct probe_site s;
    image_lock();
    const struct rtn *r = rtn_get(rtn);
    const char *why = "the routine is not valid";
    struct probe *p = r ? probe_at(r->start) : NULL;
    if (p)
        why = NULL;
    else if (r) {
        why = probed_site(&s, r, mode) ? probe_refused(&s) : "it is not code that the program runs";
        probed_site_free(&s);
    }
    image_unlock();
    return why;
}

/* The routine's probe, made and placed if there is none yet. */
static struct probed *probe_of(const char *call, u32 rtn, u32 mode)
{
    struct probe_site s = {0};
    const char *why = "the routine is not valid";
    image_lock();
    const struct rtn *r = rtn_get(rtn);
    struct probe *p = r ? probe_at(r->start) : NULL;
    struct probed *d = p ? p->data : NULL;
    bool twice = r && returns_twice(r->name);
    if (r && !p && (d = calloc(1, sizeof *d))) {
        if (probed_site(&s, r, mode))
            p = d->probe = probe_make(&s, on_probe, d, &why);
        else
            why = "it is not code that the program runs";
        probed_site_free(&s);
    }
    if (!p)
        log_at(1, "%s: no probe at %s (%lx): %s", call, r ? r->name : "?", r ? r->start : 0, why);
    if (p)
        d->twice = twice;
    image_unlock();
    return p ? d : NULL;
}

/* --- without host code -------------------------------------------------------------------------------------------- */

static bool light_arg(struct probe_light *c, const struct replacement *r, const struct call_arg *a)
{
    u32 i = c->nargs;
    if (i == PROBE_LIGHT_ARGS)
        return false;
    c->arg[i].value = a->value;
    switch (a->iarg) {
    case IARG_ADDRINT: case IARG_PTR: case IARG_UINT64: c->arg[i].kind = LIGHT_CONST; break;
    case IARG_BOOL: case IARG_UINT32: c->arg[i].kind = LIGHT_CONST; c->arg[i].value = (u32)a->value; break;
    case IARG_INST_PTR: c->arg[i].kind = LIGHT_CONST; c->arg[i].value = r->pc; break;
    case IARG_RETURN_IP: c->arg[i].kind = LIGHT_RETURN_PC; break;
    case IARG_FUNCARG_ENTRYPOINT_VALUE: {
        c->arg[i].kind = LIGHT_ARGUMENT;
        c->arg[i].value = a->index;
        if (a->index >= PROBE_LIGHT_ARGS)
            return false;
        for (u32 k = 0; r->proto && k <= a->index; k++) /* each is a whole word, so that its place is its number */
            if (r->proto->arg[k].cls != ABI_INT || r->proto->arg[k].bytes != 8)
                return false;
        break;
    }
    default: return false;
    }
    c->nargs++;
    return true;
}

static bool light_call(struct probe_light *c, const struct replacement *r)
{
    *c = (struct probe_light){.fn = r->fn};
    if ((r->call && r->call->return_reg) || !arch_probe_is_light(r->fn))
        return false;
    if (!r->call) {
        c->nargs = PROBE_LIGHT_AS_IS;
        return true;
    }
    for (u16 i = 0; i < r->call->nargs; i++)
        if (!light_arg(c, r, &r->call->arg[i]))
            return false;
    return true;
}

#define LIGHT_CALLS 8u

/* The cheap way, where all that is wanted here can go it. */
static void lighten(struct probed *d)
{
    struct probe_light c[LIGHT_CALLS];
    u32 n = 0;
    bool own_lock = jit_lock_held(), ok = !d->own && !d->after && !d->jumps_to && !options.no_light;
    if (!own_lock)
        jit_lock();
    for (const struct replacement *r = d->before; r && ok; r = r->next, n++)
        ok = n < LIGHT_CALLS && light_call(&c[n], r);
    if (ok && d->replaced) {
        ok = !n && light_call(&c[0], d->replaced);
        n = 1;
    }
    probe_set_light(d->probe, c, ok ? n : 0, d->replaced != NULL);
    u32 numbers[NATIVE_NUMBERS];
    for (u32 i = 0; i < NATIVE_NUMBERS; i++)
        numbers[i] = native_number((enum native_number)i);
    if (d->own && d->own->filtered && !d->before && !d->after && !d->replaced)
        probe_set_filter(d->probe, numbers, NATIVE_NUMBERS);
    if (!own_lock)
        jit_unlock();
}

/* All is there that a thread needs which comes to it. */
static bool place(const char *call, struct probed *d)
{
    lighten(d);
    d->probe->wanted = true;
    const char *why = probed_later ? NULL : probe_place(d->probe, true, probed_quiet);
    if (why)
        log_at(1, "%s: no probe at %lx: %s", call, d->probe->site.pc, why);
    return !why;
}

static void append(struct replacement **list, struct replacement *r)
{
    while (*list)
        list = &(*list)->next;
    __atomic_store_n(list, r, __ATOMIC_RELEASE);
}

/* What the tool wants there. A thread that is at one of them goes on with what it has read. */
static void forget_calls(struct probe *p)
{
    struct probed *d = p->data;
    p->wanted = d->own;
    probe_set_light(p, NULL, 0, false);
    __atomic_store_n(&d->jumps_to, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&d->replaced, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&d->before, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&d->after, NULL, __ATOMIC_RELEASE);
}

static void forget(struct probe *p)
{
    ((struct probed *)p->data)->own = NULL;
    forget_calls(p);
}

void probed_forget_calls(void) { probe_each(forget); }

void probed_own_place(u32 rtn, const struct probed_own *own)
{
    struct probed *d = probe_of(own->name, rtn, false);
    if (!d)
        return;
    d->own = own;
    place(own->name, d);
}

void probed_own_place_at(const struct probe_site *s, const struct probed_own *own)
{
    const char *why = NULL;
    struct probe *there = probe_at(s->pc);
    struct probed *d = there ? there->data : calloc(1, sizeof *d);
    if (d && (there || (d->probe = probe_make(s, on_probe, d, &why)))) {
        d->own = d->own ? d->own : own;
        place(own->name, d);
    } else if (d) {
        log_at(1, "%s: no probe at %lx: %s", own->name, s->pc, why);
        free(d);
    }
}

/* --- the tool's calls --------------------------------------------------------------------------------------------- */

static void check_started(const char *call)
{
    if (vm_tc.vm.run_frame)
        api_misuse(call, NULL, 0, "it is for probe mode (PIN_StartProgramProbed)");
}

static bool insert(const char *call, u32 rtn, int point, u32 mode, struct call *c)
{
    check_started(call);
    if (point != IPOINT_BEFORE && point != IPOINT_AFTER)
        api_misuse(call, c->file, c->line, "only IPOINT_BEFORE and IPOINT_AFTER have a meaning for a routine");
    if (point == IPOINT_AFTER && !c->proto)
        api_misuse(call, c->file, c->line, "IARG_PROTOTYPE is missing: it is needed for IPOINT_AFTER");
    if (c->proto)
        replace_check_arguments(c, c->proto);
    struct probed *d = probe_of(call, rtn, mode);
    if (!d)
        return false;
    if (d->twice && point == IPOINT_AFTER) {
        log_at(1, "%s: no call after the function at %lx: it returns twice", call, d->probe->site.pc);
        return false;
    }
    append(point == IPOINT_BEFORE ? &d->before : &d->after,
           replace_make(d->probe->site.pc, d->probe->site.end, c->fn, c, c->proto, d));
    return place(call, d);
}

static void *replace(const char *call, u32 rtn, u32 mode, void *fn, struct call *c)
{
    check_started(call);
    if (!fn)
        api_misuse(call, c ? c->file : NULL, c ? c->line : 0, "the replacement is NULL");
    struct probed *d = probe_of(call, rtn, mode);
    if (!d)
        return NULL;
    struct replacement *r = replace_make(d->probe->site.pc, d->probe->site.end, fn, c, c ? c->proto : NULL, d);
    r->next = d->replaced; /* its original is the one before */
    __atomic_store_n(&d->replaced, r, __ATOMIC_RELEASE);
    return place(call, d) ? r->original : NULL;
}

#define READ(c, name, fn) \
    va_list ap; \
    va_start(ap, fn); \
    struct call *c = insert_read_kept(name, (void *)fn, ap, replace_argument_known); \
    va_end(ap)

BOOL RTN_InsertCallProbed(RTN rtn, IPOINT point, AFUNPTR fn, ...)
{
    READ(c, __func__, fn);
    return insert(__func__, (u32)rtn.index, (int)point, PROBE_MODE_DEFAULT, c);
}

BOOL RTN_InsertCallProbedEx(RTN rtn, IPOINT point, PROBE_MODE mode, AFUNPTR fn, ...)
{
    READ(c, __func__, fn);
    return insert(__func__, (u32)rtn.index, (int)point, mode, c);
}

/* The routine that begins at the address; one is made where none is known. */
static u32 routine_at(ADDRINT address)
{
    image_lock();
    struct image *im = image_find(address);
    struct rtn *r = im ? (image_rtns(im), rtn_at(im, address)) : NULL;
    if (im && !r)
        r = rtn_create(address, "probed");
    u32 id = r ? r->id : 0;
    image_unlock();
    return id;
}

BOOL PIN_InsertCallProbed(ADDRINT address, AFUNPTR fn, ...)
{
    READ(c, __func__, fn);
    return insert(__func__, routine_at(address), IPOINT_BEFORE, PROBE_MODE_DEFAULT, c);
}

/* PB22 */
BOOL PIN_InsertProbe(ADDRINT from, ADDRINT to)
{
    check_started(__func__);
    if (!to)
        api_misuse(__func__, NULL, 0, "the address that the program is to jump to is 0");
    struct probed *d = probe_of(__func__, routine_at(from), false);
    if (!d)
        return false;
    __atomic_store_n(&d->jumps_to, to, __ATOMIC_RELEASE);
    return place(__func__, d);
}

BOOL PIN_RemoveProbe(ADDRINT address)
{
    check_started(__func__);
    image_lock();
    struct probe *p = probe_at(address);
    struct probed *d = p ? p->data : NULL;
    bool any = d && (d->jumps_to || d->before || d->after || d->replaced);
    if (any)
        forget_calls(p);
    image_unlock();
    const char *why = any && !p->wanted ? probe_place(p, false, probed_quiet) : NULL;
    if (why)
        log_at(1, "%s: the probe at %lx stays, and does nothing: %s", __func__, address, why);
    return any;
}

AFUNPTR RTN_ReplaceProbed(RTN rtn, AFUNPTR fn)
{
    return (AFUNPTR)replace(__func__, (u32)rtn.index, PROBE_MODE_DEFAULT, (void *)fn, NULL);
}

AFUNPTR RTN_ReplaceProbedEx(RTN rtn, PROBE_MODE mode, AFUNPTR fn)
{
    return (AFUNPTR)replace(__func__, (u32)rtn.index, mode, (void *)fn, NULL);
}

static void *replace_signature(const char *call, u32 rtn, u32 mode, void *fn, struct call *c)
{
    if (!c->proto)
        api_misuse(call, c->file, c->line, "IARG_PROTOTYPE is missing");
    replace_check_arguments(c, c->proto);
    return replace(call, rtn, mode, fn, c);
}

AFUNPTR RTN_ReplaceSignatureProbed(RTN rtn, AFUNPTR fn, ...)
{
    READ(c, __func__, fn);
    return (AFUNPTR)replace_signature(__func__, (u32)rtn.index, PROBE_MODE_DEFAULT, (void *)fn, c);
}

AFUNPTR RTN_ReplaceSignatureProbedEx(RTN rtn, PROBE_MODE mode, AFUNPTR fn, ...)
{
    READ(c, __func__, fn);
    return (AFUNPTR)replace_signature(__func__, (u32)rtn.index, mode, (void *)fn, c);
}

/* --- questions ---------------------------------------------------------------------------------------------------- */

static BOOL is_safe(const char *call, u32 rtn, u32 mode)
{
    const char *why = refused(rtn, mode);
    if (why)
        log_at(1, "%s: not safe: %s", call, why);
    return !why;
}

BOOL RTN_IsSafeForProbedReplacement(RTN rtn) { return is_safe(__func__, (u32)rtn.index, PROBE_MODE_DEFAULT); }
BOOL RTN_IsSafeForProbedReplacementEx(RTN rtn, PROBE_MODE mode)
{
    return is_safe(__func__, (u32)rtn.index, mode);
}
BOOL RTN_IsSafeForProbedInsertion(RTN rtn) { return is_safe(__func__, (u32)rtn.index, PROBE_MODE_DEFAULT); }
BOOL RTN_IsSafeForProbedInsertionEx(RTN rtn, PROBE_MODE mode)
{
    return is_safe(__func__, (u32)rtn.index, mode);
}
BOOL PIN_IsSafeForProbedInsertion(ADDRINT address) { return is_safe(__func__, routine_at(address), false); }

/* A routine is in one piece here: what compilers put elsewhere has a name of its own. */
INT32 RTN_CodeRangesProbed(RTN rtn, INT32 n, PIN_CODE_RANGE *ranges)
{
    image_lock();
    const struct rtn *r = rtn_get((u32)rtn.index);
    INT32 count = r && r->end > r->start;
    if (count && n > 0 && ranges)
        ranges[0] = (PIN_CODE_RANGE){r->start, r->end};
    image_unlock();
    return count;
}
