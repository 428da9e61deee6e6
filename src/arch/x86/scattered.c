/* SPDX-License-Identifier: Apache-2.0
 * See scattered.h. Elements go from the lowest to the highest; one that cannot be accessed leaves those before it done
 * and their mask bits clear, as the hardware does. */
#include "arch/x86/scattered.h"

#include "opt/objects.h"
#include "arch/arch.h"
#include "arch/x86/bridge.h"
#include "arch/x86/context.h"
#include "arch/x86/regs.h"
#include "arch/x86/rewrite.h"
#include "linchpin/iarg.h"
#include "linchpin/reg.h"
#include "os/thread.h"

#define VECTOR_BYTES 64
#define AFTER_ALL INT32_MAX

/* --- registers ---------------------------------------------------------------------------------------------------- */

static int vector_number(u32 reg)
{
    switch ((enum reg_class)regs_class(reg)) {
    case REG_CLASS_XMM: return (int)(reg - REG_XMM_BASE);
    case REG_CLASS_YMM: return (int)(reg - REG_YMM_BASE);
    case REG_CLASS_ZMM: return (int)(reg - REG_ZMM_BASE);
    default: return -1;
    }
}

/* All of the register that the CPU has. */
static u32 widest(int n)
{
    u32 zmm = REG_ZMM_BASE + (u32)n;
    return context_reg_bytes(zmm) ? zmm : REG_YMM_BASE + (u32)n;
}

/* The n-th vector register operand: data, then (VEX gathers) the mask. */
static int vector_operand(const struct ins_facts *f, u32 n)
{
    for (u32 k = 0; k < f->noperands; k++)
        if (f->op[k].kind == FACT_REG && vector_number(f->op[k].reg) >= 0 && n-- == 0)
            return vector_number(f->op[k].reg);
    return -1;
}

static bool has_mask_register(const struct ins_facts *f) { return regs_class(f->mask_reg) == REG_CLASS_K; }

/* Does the CPU refuse it, because registers that must differ are the same? */
static bool is_undefined(const struct ins_facts *f)
{
    struct mem_operand m;
    facts_memory(f, 0, &m);
    int data = vector_operand(f, 0), mask = vector_operand(f, 1), index = vector_number(m.index_reg);
    if (!(f->flags & FACT_FLAG_GATHER))
        return has_mask_register(f) && regs_is_k0(f->mask_reg);
    if (has_mask_register(f))
        return data == index || regs_is_k0(f->mask_reg);
    return data == index || data == mask || mask == index;
}

/* --- carrying it out ---------------------------------------------------------------------------------------------- */

static const struct fact_operand *memory_of(const struct ins_facts *f) { return &f->op[f->mem[0]]; }

struct run {
    const struct ins_facts *f;
    struct element e[ELEMENTS_MAX];
    u32 n, bytes;
    u8 data[VECTOR_BYTES];
    u32 done; /* elements; fewer than n: the next one cannot be accessed */
};

/* Clears the mask bits of the elements that are done, and when all are done the whole mask register. */
static void put_mask(const struct run *r)
{
    struct bridge_state *s = &vm_tc.cpu.bridge;
    u8 value[VECTOR_BYTES] = {0};
    bool all = r->done == r->n;
    if (has_mask_register(r->f)) {
        u64 k = 0;
        context_read(s, r->f->mask_reg, &k);
        k = all ? 0 : k & ~0ul << r->done;
        context_write(s, r->f->mask_reg, &k);
        return;
    }
    u32 reg = widest(vector_operand(r->f, 1));
    context_read(s, reg, value);
    memset(value, 0, all ? sizeof value : r->done * r->bytes);
    context_write(s, reg, value);
}

/* What the routines that run in place of the instruction come to: see arch_prepare_calls. */
static void run(const struct ins_facts *f, void *context)
{
    struct bridge_state *s = &vm_tc.cpu.bridge;
    const struct fact_operand *o = memory_of(f);
    bool gather = f->flags & FACT_FLAG_GATHER;
    u32 reg = widest(vector_operand(f, 0));
    struct run r = {.f = f, .bytes = o->bits / 8};
    (void)context;
    r.n = elements_list(f, o, r.e);
    for (u32 i = 0; vm_tc.opt.scattered.pc == f->pc && i < r.n; i++)
        r.e[i].address = vm_tc.opt.scattered.address[i];
    vm_tc.opt.scattered.pc = 0;
    context_read(s, reg, r.data);
    r.done = elements_access(r.e, r.n, r.data, !gather, &vm_tc.opt.scattered.fault);
    if (gather) {
        if (r.done == r.n)
            memset(r.data + r.n * r.bytes, 0, VECTOR_BYTES - r.n * r.bytes);
        context_write(s, reg, r.data);
    }
    put_mask(&r);
}

/* --- where it is put ---------------------------------------------------------------------------------------------- */

bool scattered_valid(const struct ins_facts *f, u32 n)
{
    struct mem_operand m;
    return facts_memory(f, n, &m) && m.kind == MEM_VSIB && f->flags & (FACT_FLAG_GATHER | FACT_FLAG_SCATTER) &&
           !(f->flags & FACT_FLAG_PREFETCH) && m.elements <= SCATTERED_MAX;
}

static bool is_scattered(const struct ins *i) { return i->change && i->change->scattered && !i->deleted; }

void arch_prepare_calls(struct ins *i)
{
    bool again = false;
    if (!is_scattered(i) || is_undefined(facts_of(i)))
        return;
    for (struct call *c = i->before; c; c = c->next)
        for (u16 n = 0; n < c->nargs; n++)
            if (c->arg[n].iarg == IARG_REWRITE_SCATTERED_MEMOP) {
                c->arg[n].index = again;
                again = true;
            }
    struct call *c = objects_alloc(sizeof *c + 2 * sizeof c->arg[0]);
    *c = (struct call){.fn = (void *)run, .name = "INS_RewriteScatteredMemoryOperand", .order = AFTER_ALL, .nargs = 2};
    c->arg[0] = (struct call_arg){.iarg = IARG_MADE_FACTS};
    c->arg[1] = (struct call_arg){.iarg = IARG_CONST_CONTEXT};
    call_put(&i->before, c);
}

/* The access that faults: a byte is read, or written as it is. */
static void emit_probe(struct emit *e, bool write)
{
    if (!write) {
        EMIT(e, 0x0f, 0xb6, 0x01); /* movzbl (%rcx),%eax */
        return;
    }
    emit_flags_to_ax(e);
    EMIT(e, 0xf0, 0x80, 0x09, 0x00); /* lock orb $0,(%rcx) */
}

/* The access did not fault, because another thread has made it accessible: the instruction and its calls are executed
 * once more. */
static void emit_again(struct rewrite *w, bool write)
{
    rewrite_commit(w);
    if (write)
        emit_flags_from_ax(&w->e);
    rewrite_end(w, 0);
    pass_map(w->b, w->b->p, MAP_GUEST, w->in->pc, 0);
    lower_exit_jmp(w->b, w->in->pc, EXIT_KIND_BRANCH);
    w->e.p = w->b->p;
}

bool rewrite_scattered(struct rewrite *w)
{
    bool write = w->f->flags & FACT_FLAG_SCATTER;
    if (!is_scattered(w->ins))
        return false;
    if (is_undefined(w->f)) {
        lower_plain(w->b, w->in);
        return true;
    }
    rewrite_begin(w, 1u << RAX | 1u << RCX);
    emit_load_ctx(&w->e, RCX, ctx_disp(offsetof(struct thread, opt.scattered.fault)));
    EMIT(&w->e, 0xe3, 0); /* jrcxz */
    u8 *over = w->e.p - 1;
    emit_probe(&w->e, write);
    emit_again(w, write);
    *over = (u8)(w->e.p - (over + 1));
    ASSERT(w->e.p - (over + 1) < 0x80);
    rewrite_commit(w);
    rewrite_end(w, 0);
    return true;
}
