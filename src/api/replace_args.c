/* SPDX-License-Identifier: Apache-2.0
 * See replace_args.h. The guest is at the start of the routine, all its registers in vm_tc.cpu. */
#include "api/replace_args.h"

#include "api/made.h"

#include "arch/arch.h"
#include "context.h"
#include "regs.h"
#include "linchpin/iarg.h"
#include "opt/regset.h"
#include "os/thread.h"

#include <string.h>

#define VALUE_BYTES 64

bool replace_argument_known(u16 iarg)
{
    switch (iarg) {
    case IARG_ADDRINT: case IARG_PTR: case IARG_BOOL: case IARG_UINT32: case IARG_UINT64: case IARG_INST_PTR:
    case IARG_THREAD_ID: case IARG_CONTEXT: case IARG_CONST_CONTEXT: case IARG_PARTIAL_CONTEXT: case IARG_TSC:
    case IARG_FUNCARG_ENTRYPOINT_VALUE: case IARG_FUNCARG_ENTRYPOINT_REFERENCE: case IARG_ORIG_FUNCPTR:
    case IARG_RETURN_IP: case IARG_REG_VALUE: case IARG_REG_REFERENCE:
    case IARG_REG_CONST_REFERENCE: case IARG_FUNCRET_EXITPOINT_VALUE: case IARG_FUNCRET_EXITPOINT_REFERENCE:
    case IARG_MADE_PRESERVE:
        return true;
    }
    return false;
}

void replace_check_arguments(const struct call *c, const struct abi_proto *p)
{
    for (u16 i = 0; i < c->nargs; i++) {
        const struct call_arg *a = &c->arg[i];
        if (a->iarg == IARG_FUNCARG_ENTRYPOINT_VALUE && a->index >= p->nargs)
            api_misuse("RTN_ReplaceSignature", c->file, c->line, "argument %u is asked for, and the prototype has %u",
                       a->index, p->nargs);
        if ((a->iarg == IARG_REG_VALUE || a->iarg == IARG_REG_REFERENCE || a->iarg == IARG_REG_CONST_REFERENCE) &&
            !context_reg_bytes(a->reg))
            api_misuse("RTN_ReplaceSignature", c->file, c->line, "register %u is not one of the application", a->reg);
    }
}

static bool is_reference(u16 iarg) { return iarg == IARG_REG_REFERENCE || iarg == IARG_REG_CONST_REFERENCE; }

size_t replace_arguments_bytes(const struct replacement *r)
{
    size_t n = context_bytes();
    for (u16 i = 0; i < r->call->nargs; i++)
        if (is_reference(r->call->arg[i].iarg))
            n += (context_reg_bytes(r->call->arg[i].reg) + VALUE_BYTES - 1u) & ~(VALUE_BYTES - 1u);
    return n;
}

static void add_guest_argument(struct abi_list *l, const struct replacement *r, u32 n)
{
    if (!r->proto) {
        abi_list_add_word(l, *abi_guest_arg_place(&vm_tc.cpu, n));
        return;
    }
    const struct abi_type *t = &r->proto->arg[n];
    u8 value[(t->bytes + 7) & ~7u];
    if (!abi_guest_arg(&vm_tc.cpu, r->proto, n, value))
        memset(value, 0, sizeof value);
    abi_list_add(l, t, value);
}

/* The address of a register's value. For a general register it is that of the register itself, so that the tool can
 * change it; for others it is that of a copy. */
static u64 reference(const struct bridge_state *context, u16 reg, u8 **memory)
{
    unsigned at, bytes;
    int n = regs_gpr_number(reg, &at, &bytes);
    if (n >= 0)
        return (u64)&vm_tc.cpu.gpr[n] + at;
    u8 *p = *memory;
    context_read(context, reg, p);
    *memory += (context_reg_bytes(reg) + VALUE_BYTES - 1u) & ~(VALUE_BYTES - 1u);
    return (u64)p;
}

static u64 reg_value(const struct bridge_state *context, u16 reg)
{
    u64 v[128] = {0}; /* the widest register there is */
    context_read(context, reg, v);
    return v[0];
}

void replace_set_reg(u16 reg, u64 value)
{
    struct bridge_state *s = __builtin_alloca_with_align(context_bytes(), 512);
    s->kind = 0;
    context_take(s, &vm_tc.cpu);
    if (context_reg_bytes(reg) <= sizeof value && context_write(s, reg, &value))
        context_give(&vm_tc.cpu, s);
}

void replace_arguments(struct abi_list *l, const struct replacement *r, const struct activation *a, void *memory)
{
    struct bridge_state *context = memory;
    u8 *more = (u8 *)memory + context_bytes();
    context->kind = 0;
    context_take(context, &vm_tc.cpu);
    abi_list_begin(l);
    for (u16 i = 0; i < r->call->nargs; i++) {
        const struct call_arg *arg = &r->call->arg[i];
        switch (arg->iarg) {
        case IARG_INST_PTR: abi_list_add_word(l, r->pc); break;
        case IARG_THREAD_ID: abi_list_add_word(l, vm_tc.id); break;
        case IARG_CONTEXT: case IARG_CONST_CONTEXT:
        case IARG_PARTIAL_CONTEXT: abi_list_add_word(l, (u64)context); break;
        case IARG_TSC: abi_list_add_word(l, __builtin_ia32_rdtsc()); break;
        case IARG_FUNCARG_ENTRYPOINT_VALUE: add_guest_argument(l, r, arg->index); break;
        case IARG_FUNCARG_ENTRYPOINT_REFERENCE:
            abi_list_add_word(l, (u64)abi_guest_arg_place(&vm_tc.cpu, arg->index));
            break;
        case IARG_MADE_PRESERVE: break; /* no argument */
        case IARG_ORIG_FUNCPTR: abi_list_add_word(l, (u64)r->original); break;
        case IARG_FUNCRET_EXITPOINT_VALUE: abi_list_add_word(l, *abi_guest_result_place(&vm_tc.cpu)); break;
        case IARG_FUNCRET_EXITPOINT_REFERENCE: abi_list_add_word(l, (u64)abi_guest_result_place(&vm_tc.cpu)); break;
        case IARG_RETURN_IP: abi_list_add_word(l, a->return_pc); break;
        case IARG_REG_VALUE: abi_list_add_word(l, reg_value(context, arg->reg)); break;
        case IARG_REG_REFERENCE:
        case IARG_REG_CONST_REFERENCE: abi_list_add_word(l, reference(context, arg->reg, &more)); break;
        default: abi_list_add_word(l, arg->value);
        }
    }
}

static void give_set(const struct regset *set, const struct bridge_state *from, struct bridge_state *to)
{
    u64 value[128]; /* the widest register there is */
    for (u32 reg = 0; (reg = regset_next(set, reg));)
        if (context_reg_bytes(reg)) {
            context_read(from, reg, value);
            context_write(to, reg, value);
        }
}

u64 replace_exposed(const struct replacement *r)
{
    u64 all = 0;
    for (u16 i = 0; i < r->call->nargs; i++)
        if (r->call->arg[i].iarg == IARG_MADE_PRESERVE)
            all |= made_preserved((const struct regset_pair *)r->call->arg[i].value);
    return all;
}

void replace_give_back(const struct replacement *r, const void *memory)
{
    struct bridge_state *now = __builtin_alloca_with_align(context_bytes(), 512);
    bool any = false;
    for (u16 i = 0; i < r->call->nargs; i++) {
        const struct regset_pair *set = (const struct regset_pair *)r->call->arg[i].value;
        u16 iarg = r->call->arg[i].iarg;
        if (iarg != IARG_PARTIAL_CONTEXT && iarg != IARG_MADE_PRESERVE)
            continue;
        if (!any) {
            now->kind = 0;
            context_take(now, &vm_tc.cpu);
        }
        any = true;
        if (iarg == IARG_PARTIAL_CONTEXT)
            give_set(&set->out, memory, now);
        else
            made_give_preserved(set, memory, now);
    }
    if (any)
        context_give(&vm_tc.cpu, now);
}

/* --- state -------------------------------------------------------------------------------------------------------- */

struct replace_saved {
    u8 states[1]; /* two contexts: the VM's, the bridge's */
};

size_t replace_saved_bytes(void) { return 2 * context_bytes(); }

void replace_save(struct replace_saved *s)
{
    struct bridge_state *vm = (struct bridge_state *)s->states,
                        *bridge = (struct bridge_state *)(s->states + context_bytes());
    vm->kind = 0;
    context_take(vm, &vm_tc.cpu);
    memcpy(bridge, &vm_tc.cpu.bridge, context_bytes());
}

void replace_restore(const struct replace_saved *s)
{
    context_give_guest(&vm_tc.cpu, (const struct bridge_state *)s->states);
    memcpy(&vm_tc.cpu.bridge, s->states + context_bytes(), context_bytes());
}
