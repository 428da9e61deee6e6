/* SPDX-License-Identifier: Apache-2.0
 * Arguments that host code makes before the call, in the call's frame, because a gather, a mask, an XSAVE or a REP
 * cannot be described by a few instructions. The plan for each argument is kept for the life of the process: there are
 * as many plans as instructions that a tool asks about. Made under jit_lock. */
#include "api/made.h"

#include "arch/arch.h"
#include "context.h"
#include "facts.h"
#include "linchpin/iarg.h"
#include "linchpin/multi.h"
#include "linchpin/reg.h"
#include "linchpin/structs.h"
#include "opt/events.h"
#include "opt/objects.h"
#include "opt/regset.h"
#include "os/os.h"
#include "os/thread.h"
#include "regs.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024
#define VALUE_BYTES 16u
#define STATE_ALIGN 64u

struct plan {
    struct made made; /* first: it is what the bridge knows */
    struct plan *next;
    u16 iarg;
    u32 index;
    u64 value;
    bool flag; /* after the instruction; IARG_MADE_TRANSLATED: as a write */
    struct ins_facts f;
};

/* IARG_MULTI_ELEMENT_OPERAND gives its address; the first word is what C++ takes for the object's class. */
struct object {
    const struct lp_multi_element_fn *fn;
    bool memory, read, written;
    u32 n, bytes;
    u64 address;
    struct element element[ELEMENTS_MAX];
};

/* The same for IARG_REWRITE_SCATTERED_MEMOP. */
struct scattered_object {
    const struct lp_scattered_fn *fn;
    u32 n;
    struct element element[ELEMENTS_MAX];
};

static struct plan *bucket[BUCKETS];

static u32 bytes_of(u16 iarg)
{
    switch (iarg) {
    case IARG_FIRST_REP_ITERATION: case IARG_MEMORYOP_MASKED_ON: case IARG_MADE_XSAVE_SIZE: case IARG_MEMORY_VALUE:
    case IARG_MADE_TRANSLATED: case IARG_MADE_TARGET: case IARG_MADE_FUNCARG: return VALUE_BYTES;
    case IARG_MADE_PC: return 64;
    case IARG_MADE_PRESERVE: return context_bytes() + STATE_ALIGN;
    case IARG_REWRITE_SCATTERED_MEMOP: return (sizeof(struct scattered_object) + 63u) & ~63u;
    case IARG_MULTI_MEMORYACCESS_EA: return (sizeof(PIN_MULTI_MEM_ACCESS_INFO) + 63u) & ~63u;
    case IARG_MULTI_ELEMENT_OPERAND: return (sizeof(struct object) + 63u) & ~63u;
    }
    return 0;
}

bool made_known(u16 iarg) { return bytes_of(iarg); }

static bool same(const struct plan *p, const struct ins_facts *f, const struct plan *want)
{
    return p->iarg == want->iarg && p->index == want->index && p->value == want->value && p->flag == want->flag &&
           p->f.pc == f->pc && p->f.len == f->len && !memcmp(p->f.bytes, f->bytes, f->len);
}

static const struct plan *keep(const struct ins_facts *f, const struct plan *want)
{
    struct plan **b = &bucket[f->pc % BUCKETS];
    for (struct plan *p = *b; p; p = p->next)
        if (same(p, f, want))
            return p;
    struct plan *p = malloc(sizeof *p);
    if (!p)
        die(1, "out of memory for inserted calls");
    *p = *want;
    p->next = *b;
    p->f = *f;
    return *b = p;
}

/* --- an operand's elements as an object -------------------------------------------------------------------------- */

static const struct object *object(const VOID *self) { return self; }
static const struct element *element(const char *call, const VOID *self, UINT32 i)
{
    if (i >= object(self)->n)
        api_misuse(call, NULL, 0, "the operand has %u elements, number %u was asked for", object(self)->n, i);
    return &object(self)->element[i];
}
static BOOL is_memory(const VOID *self) { return object(self)->memory; }
static BOOL is_register(const VOID *self) { return !object(self)->memory; }
static UINT32 count(const VOID *self) { return object(self)->n; }
static ADDRINT address(const VOID *self) { return object(self)->address; }
static USIZE size(const VOID *self) { return object(self)->bytes; }
static ADDRINT element_address(const VOID *self, UINT32 i) { return element("ElementAddress", self, i)->address; }
static USIZE element_size(const VOID *self, UINT32 i) { return element("ElementSize", self, i)->bytes; }
static UINT32 element_offset(const VOID *self, UINT32 i) { return element("ElementOffset", self, i)->offset; }
static UINT32 element_mask(const VOID *self, UINT32 i) { return element("ElementMaskValue", self, i)->on; }
static PIN_OP_ELEMENT_ACCESS element_access(const VOID *self, UINT32 i)
{
    (void)element("ElementAccessType", self, i);
    return (PIN_OP_ELEMENT_ACCESS)((object(self)->read ? PIN_OP_ELEMENT_ACCESS_READ : 0) |
                                   (object(self)->written ? PIN_OP_ELEMENT_ACCESS_WRITE : 0));
}

static const struct lp_multi_element_table object_table = {
    0,
    NULL,
    {is_memory, is_register, count, address, size, element_address, element_size, element_offset, element_mask,
     element_access},
};

static void make_object(struct object *to, const struct plan *p)
{
    const struct fact_operand *o = &p->f.op[p->index];
    to->fn = &object_table.fn;
    to->memory = o->kind == FACT_MEM;
    to->read = o->read;
    to->written = o->written;
    to->n = elements_list(&p->f, o, to->element);
    to->bytes = o->vsib ? to->n * (o->bits / 8) : o->bits / 8;
    to->address = to->memory && !o->vsib ? elements_address(&p->f, o) : 0;
}

/* --- the elements of a gather or scatter, whose addresses the tool may change ------------------------------------ */

static const struct element *place(const char *call, const VOID *self, UINT32 i)
{
    const struct scattered_object *o = self;
    if (i >= o->n)
        api_misuse(call, NULL, 0, "the operand has %u elements, number %u was asked for", o->n, i);
    return &o->element[i];
}
static UINT32 scattered_count(const VOID *self) { return ((const struct scattered_object *)self)->n; }
static ADDRINT scattered_element_address(const VOID *self, UINT32 i)
{
    return place("ElementAddress", self, i)->address;
}
static USIZE scattered_element_size(const VOID *self, UINT32 i) { return place("ElementSize", self, i)->bytes; }
static UINT32 scattered_element_offset(const VOID *self, UINT32 i) { return place("ElementOffset", self, i)->offset; }
static UINT32 scattered_element_mask(const VOID *self, UINT32 i) { return place("ElementMaskValue", self, i)->on; }
static VOID set_address(VOID *self, UINT32 i, ADDRINT address)
{
    (void)place("SetElementAddress", self, i);
    ((struct scattered_object *)self)->element[i].address = address;
}

static const struct lp_scattered_table scattered_table = {0, NULL,
    {scattered_count, scattered_element_address, scattered_element_size, scattered_element_offset,
     scattered_element_mask, set_address}};

static void scattered_make(struct scattered_object *to, const struct ins_facts *f, bool again)
{
    to->fn = &scattered_table.fn;
    to->n = elements_list(f, &f->op[f->mem[0]], to->element);
    if (!again || vm_tc.opt.scattered.pc != f->pc)
        return;
    for (u32 i = 0; i < to->n; i++)
        to->element[i].address = vm_tc.opt.scattered.address[i];
}

static void scattered_put(void *frame, u64 made)
{
    const struct scattered_object *from = frame;
    vm_tc.opt.scattered.pc = ((const struct plan *)made)->f.pc;
    for (u32 i = 0; i < from->n; i++)
        vm_tc.opt.scattered.address[i] = from->element[i].address;
}

/* --- all accesses ------------------------------------------------------------------------------------------------ */

/* Is any part of the memory operand accessed? */
static bool any_on(const struct ins_facts *f, const struct fact_operand *o)
{
    struct element e[ELEMENTS_MAX];
    u32 n = elements_list(f, o, e);
    for (u32 i = 0; i < n; i++)
        if (e[i].on)
            return true;
    return false;
}

static void add_access(PIN_MULTI_MEM_ACCESS_INFO *to, const struct element *e, PIN_MEMOP_ENUM type)
{
    if (to->numberOfMemops < ARRAY_LEN(to->memop))
        to->memop[to->numberOfMemops++] = (PIN_MEM_ACCESS_INFO){e->address, type, e->bytes, e->on};
}

/* The elements of a gather or scatter; for others each operand once for reading, once for writing. */
static void make_accesses(PIN_MULTI_MEM_ACCESS_INFO *to, const struct plan *p)
{
    struct element e[ELEMENTS_MAX];
    to->numberOfMemops = 0;
    for (u32 i = 0; i < p->f.nmem; i++) {
        const struct fact_operand *o = &p->f.op[p->f.mem[i]];
        u32 n = 1;
        if (o->vsib)
            n = elements_list(&p->f, o, e);
        else
            e[0] = (struct element){elements_address(&p->f, o), 0,
                p->f.flags & FACT_FLAG_XSAVE ? elements_xsave_bytes(&p->f, false) : o->bits / 8, any_on(&p->f, o)};
        for (u32 k = 0; k < n; k++) {
            if (o->read)
                add_access(to, &e[k], PIN_MEMOP_LOAD);
            if (o->written)
                add_access(to, &e[k], PIN_MEMOP_STORE);
        }
    }
}

/* --- values in memory -------------------------------------------------------------------------------------------- */

static u64 value_at(u64 address, u32 bytes)
{
    u64 v = 0;
    u32 n = bytes < sizeof v ? bytes : (u32)sizeof v;
    return os_safe_copy(&v, (void *)address, n) == n ? v : 0;
}

static u64 memory_value(const struct plan *p)
{
    const struct fact_operand *o = &p->f.op[p->f.mem[0]];
    return value_at(elements_address(&p->f, o), o->bits / 8);
}

static u64 translated(const struct plan *p, u32 flags)
{
    const struct fact_operand *o = &p->f.op[p->f.mem[p->index]];
    flags |= (p->f.flags & FACT_FLAG_ATOMIC ? TRANSLATE_ATOMIC : 0) |
             (p->f.flags & FACT_FLAG_PREFETCH ? TRANSLATE_PREFETCH : 0) | (o->read && o->written ? TRANSLATE_RMW : 0);
    return translate_address(elements_address(&p->f, o), o->bits / 8, p->f.pc, p->flag, flags);
}

/* An argument of the function that begins here, as wide as its type. */
static u64 extended_argument(u32 what)
{
    static const u16 reg[] = {REG_RDI, REG_RSI, REG_RDX, REG_RCX, REG_R8, REG_R9};
    const struct bridge_state *s = &vm_tc.cpu.bridge;
    u32 n = MADE_FUNCARG_NUMBER(what), shift = 64 - 8 * MADE_FUNCARG_BYTES(what);
    u64 v = 0;
    if (n < ARRAY_LEN(reg))
        context_read(s, reg[n], &v);
    else
        v = value_at(context_sp(s) + 8 + (n - ARRAY_LEN(reg)) * 8, 8);
    return MADE_FUNCARG_SIGNED(what) ? (u64)((s64)(v << shift) >> shift) : v << shift >> shift;
}

/* IARG_PRESERVE: the routine is said not to change these registers, so that they need not be saved. It runs with the
 * guest's, and what it leaves there is the guest's. */
u64 made_preserved(const struct regset_pair *set)
{
    u64 n = 0;
    for (u32 reg = regset_next(&set->out, 0); reg; reg = regset_next(&set->out, reg))
        switch (regs_class(reg)) {
        case REG_CLASS_X87: case REG_CLASS_ST: case REG_CLASS_FPST: case REG_CLASS_MM: n |= 1; break;
        case REG_CLASS_XMM: case REG_CLASS_MXCSR: n |= 2; break;
        case REG_CLASS_YMM: n |= 6; break;
        case REG_CLASS_ZMM: case REG_CLASS_K: n |= 0xe6; break;
        }
    return n;
}

static struct bridge_state *aligned_state(void *frame)
{
    return (void *)(((u64)frame + STATE_ALIGN - 1) & ~(u64)(STATE_ALIGN - 1));
}

static void give_state(void *frame, const struct plan *p)
{
    context_copy(aligned_state(frame), &vm_tc.cpu.bridge);
    context_load_cpu(aligned_state(frame), made_preserved((const struct regset_pair *)p->value));
}

/* Of x87's image the vector registers and MXCSR are not the set's. */
static void keep_vectors(u8 *image, const struct bridge_state *of)
{
    enum { IMAGE = 512, MXCSR = 24, MXCSR_BYTES = 8, VECTORS = 160 };
    u8 own[IMAGE];
    context_read(of, REG_X87, own);
    memcpy(image + MXCSR, own + MXCSR, MXCSR_BYTES);
    memcpy(image + VECTORS, own + VECTORS, IMAGE - VECTORS);
}

void made_give_preserved(const struct regset_pair *set, const struct bridge_state *from, struct bridge_state *to)
{
    u8 value[128 * 8]; /* the widest register there is */
    for (u32 reg = regset_next(&set->out, 0); reg; reg = regset_next(&set->out, reg))
        if (regs_class(reg) >= REG_CLASS_MM && regs_class(reg) <= REG_CLASS_X87 && context_reg_bytes(reg)) {
            context_read(from, reg, value);
            if (reg == REG_X87)
                keep_vectors(value, to);
            context_write(to, reg, value);
        }
}

static void take_state(void *frame, u64 made)
{
    const struct regset_pair *set = (const struct regset_pair *)((const struct plan *)made)->value;
    struct bridge_state *s = aligned_state(frame);
    context_store_cpu(s, made_preserved(set)); /* before anything else here uses a vector */
    made_give_preserved(set, s, &vm_tc.cpu.bridge);
}

static void make(void *frame, u64 made)
{
    const struct plan *p = (const struct plan *)made;
    switch (p->iarg) {
    case IARG_FIRST_REP_ITERATION: *(u64 *)frame = facts_first_iteration(&p->f); break;
    case IARG_MEMORYOP_MASKED_ON: *(u64 *)frame = any_on(&p->f, &p->f.op[p->f.mem[p->index]]); break;
    case IARG_MADE_XSAVE_SIZE: *(u64 *)frame = elements_xsave_bytes(&p->f, p->flag); break;
    case IARG_MULTI_MEMORYACCESS_EA: make_accesses(frame, p); break;
    case IARG_MULTI_ELEMENT_OPERAND: make_object(frame, p); break;
    case IARG_MEMORY_VALUE: *(u64 *)frame = memory_value(p); break;
    case IARG_MADE_TRANSLATED: *(u64 *)frame = translated(p, 0); break;
    case IARG_MADE_TARGET: *(u64 *)frame = value_at(translated(p, TRANSLATE_ENGINE), 8); break;
    case IARG_MADE_FUNCARG: *(u64 *)frame = extended_argument(p->index); break;
    case IARG_MADE_PRESERVE: give_state(frame, p); break;
    case IARG_MADE_PC: *(u64 *)frame = p->f.pc + (p->flag ? p->f.len : 0); break;
    case IARG_REWRITE_SCATTERED_MEMOP: scattered_make(frame, &p->f, p->index); break;
    }
}

void made_resolve(struct ins *i, struct call_arg *a, bool after)
{
    u32 bytes = bytes_of(a->iarg);
    if (a->iarg == IARG_MADE_FACTS)
        *a = (struct call_arg){.iarg = IARG_PTR, .value = (u64)&keep(facts_of(i), &(struct plan){.iarg = 0})->f};
    if (!bytes)
        return;
    struct plan want = {.iarg = a->iarg, .index = a->index, .value = a->iarg == IARG_MADE_PRESERVE ? a->value : 0,
        .flag = a->iarg == IARG_MADE_TRANSLATED ? a->value : after};
    want.made = (struct made){.make = make, .bytes = bytes, .is_value = bytes == VALUE_BYTES,
        .put = a->iarg == IARG_REWRITE_SCATTERED_MEMOP ? scattered_put
               : a->iarg == IARG_MADE_PRESERVE         ? take_state
                                                       : NULL,
        .counts = a->iarg == IARG_FIRST_REP_ITERATION};
    *a = (struct call_arg){.iarg = IARG_MADE, .value = (u64)&keep(facts_of(i), &want)->made};
}
