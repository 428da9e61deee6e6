/* SPDX-License-Identifier: Apache-2.0
 * Carries out the calls of the tool when QEMU executes an instruction (deliver_run) and when it makes an access
 * (deliver_access). On the processor's thread, without a lock; a processor's struct cpu is its own.
 *
 * An access is matched with an operand: one that is read by its first load, one that is only written by its first
 * store. QEMU makes several accesses for one large operand, and some for none (descriptors, page tables of its own):
 * what does not begin an operand is left out. The call comes when all operands it asks for have begun. */
#include "system/system.h"

typedef u64 fn6(u64, u64, u64, u64, u64, u64);
typedef u64 fn14(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64);

static u64 value_of(struct cpu *c, const struct value *v)
{
    switch ((enum value_source)v->source) {
    case VALUE_CONSTANT: return v->constant;
    case VALUE_THREAD: return c->thread;
    case VALUE_ADDRESS: return c->address[v->operand];
    case VALUE_PHYSICAL: return c->physical[v->operand];
    case VALUE_TOOL_REG: return c->tool_reg[v->operand];
    case VALUE_TOOL_REG_PLACE: return (u64)&c->tool_reg[v->operand];
    case VALUE_CONTEXT: return (u64)c;
    }
    return 0;
}

static u64 call(struct cpu *c, const struct site *s)
{
    u64 v[MOST_VALUES];
    for (u32 i = 0; i < s->nvalues; i++)
        v[i] = value_of(c, &s->value[i]);
    if (s->fill) /* its first two are not of the record */
        return buffer_put(c, s->fill, v + 2), 0;
    u64 result = s->nvalues <= 6 ? ((fn6 *)s->fn)(v[0], v[1], v[2], v[3], v[4], v[5])
                                 : ((fn14 *)s->fn)(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10],
                                                   v[11], v[12], v[13]);
    if (s->result >= 0)
        c->tool_reg[s->result] = result;
    return s->byte ? (u8)result : result;
}

/* A Then is made when its If said so. */
static inline void make(struct cpu *c, const struct group *g)
{
    u64 yes = 1;
    for (const struct site *s = g->first; s; s = s->next)
        if (s->kind != CALL_THEN || yes)
            yes = call(c, s);
}

static inline struct cpu *enter(unsigned int vcpu)
{
    cpu_now = vcpu;
    return &cpus[vcpu];
}

void deliver_run(unsigned int vcpu, void *point)
{
    const struct point *p = point;
    struct cpu *c = enter(vcpu);
    for (const struct group *g = p->run; g; g = g->next)
        make(c, g);
}

void deliver_reset_and_run(unsigned int vcpu, void *point)
{
    const struct point *p = point;
    struct cpu *c = &cpus[vcpu];
    c->seen = 0;
    for (u32 k = 0; k < p->noperands; k++)
        c->left[k] = p->operand[k].bytes;
    deliver_run(vcpu, point);
}

/* The physical address while QEMU still knows the access. */
static void note(struct cpu *c, const struct point *p, u32 k, qemu_plugin_meminfo_t info, u64 address)
{
    c->address[k] = address;
    if (!p->physical)
        return;
    const struct qemu_plugin_hwaddr *h = qemu_plugin_get_hwaddr(info, address);
    c->physical[k] = h && !qemu_plugin_hwaddr_is_io(h) ? qemu_plugin_hwaddr_phys_addr(h) : ~0ul;
}

static void deliver_needing(struct cpu *c, const struct point *p, u32 before)
{
    for (const struct group *g = p->accessed; g; g = g->next)
        if ((g->needs & c->seen) == g->needs && (g->needs & before) != g->needs)
            make(c, g);
}

/* The operand that the access begins, ~0: none. What goes on with an operand is taken off it. */
static u32 begun_by(struct cpu *c, const struct point *p, bool store, bool load, u32 bytes)
{
    u32 found = ~0u;
    for (u32 i = 0; i < p->noperands; i++) {
        u32 k = p->reads_second_first && i < 2 ? 1 - i : i;
        bool fits = p->operand[k].read ? load : store && p->operand[k].written;
        if (!fits || !c->left[k])
            continue;
        u32 n = bytes < c->left[k] ? bytes : c->left[k];
        if (!(c->seen >> k & 1))
            found = k;
        c->left[k] -= n;
        return found;
    }
    return found;
}

void deliver_access(unsigned int vcpu, qemu_plugin_meminfo_t info, u64 address, void *point)
{
    const struct point *p = point;
    struct cpu *c = enter(vcpu);
    bool store = qemu_plugin_mem_is_store(info), load = !store || guest_access_is_both(info);
    if (p->simple) {
        if (p->operand[0].read ? !load : !store)
            return;
        note(c, p, 0, info, address);
        c->seen = 1;
        deliver_needing(c, p, 0);
        return;
    }
    u32 k = begun_by(c, p, store, load, 1u << qemu_plugin_mem_size_shift(info)), before = c->seen;
    if (k == ~0u)
        return;
    note(c, p, k, info, address);
    c->seen |= 1u << k;
    deliver_needing(c, p, before);
}
