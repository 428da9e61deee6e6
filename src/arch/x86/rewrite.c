/* SPDX-License-Identifier: Apache-2.0
 * Instructions whose memory operands the tool has given other addresses (INS_RewriteMemoryOperand). Here those that
 * name the operand in their encoding: the same instruction with a base register only. The stack, strings and transfers
 * of control have files of their own. Under jit_lock, writes to the trace being built. */
#include "arch/x86/rewrite.h"

#include "arch/x86/regs.h"
#include "arch/x86/scattered.h"
#include "os/thread.h"
#include "xed-iclass-enum.h"

/* --- registers ---------------------------------------------------------------------------------------------------- */

static u16 gpr_bit(u16 reg)
{
    unsigned at, bytes;
    int r = regs_gpr_number(reg, &at, &bytes);
    return r < 0 ? 0 : (u16)(1u << r);
}

static u16 used_registers(const struct ins_facts *f, const struct ins_change *change)
{
    u16 m = 1u << RSP;
    for (u32 i = 0; i < f->nread; i++)
        m |= gpr_bit(f->read_reg[i]);
    for (u32 i = 0; i < f->nwritten; i++)
        m |= gpr_bit(f->written_reg[i]);
    for (u32 i = 0; i < INS_MAX_MEMS; i++)
        m |= gpr_bit(change->rewrite[i]);
    return m;
}

/* Not rsp, rbp, r12 and r13, which as a base need more than a ModRM byte. */
enum gpr rewrite_pick(struct rewrite *w, bool low)
{
    static const enum gpr any[] = {R8, R9, R10, R11, R14, R15, RBX, RSI, RDI, RCX, RDX, RAX};
    for (size_t i = low ? 6 : 0; i < ARRAY_LEN(any); i++)
        if (!(w->used >> any[i] & 1)) {
            w->used |= (u16)(1u << any[i]);
            return any[i];
        }
    BUG("no free register at %lx", w->in->pc);
}

s32 rewrite_slot(const struct rewrite *w, enum gpr r)
{
    if (w->indirect)
        return CTX_SLOT(r != RCX);
    return CTX_SLOT(__builtin_popcount(w->saved & ((1u << r) - 1)));
}

void rewrite_begin(struct rewrite *w, u16 save)
{
    pass_map(w->b, w->e.p, MAP_GUEST, w->in->pc, 0);
    w->saved = save;
    for (enum gpr r = RAX; r < GPR_COUNT; r++)
        if (save >> r & 1)
            emit_store_ctx(&w->e, rewrite_slot(w, r), r);
    pass_state(w->b, w->e.p, HOW_UNDO, w->in->pc, save);
}

void rewrite_commit(struct rewrite *w) { pass_map(w->b, w->e.p, MAP_COMMIT, w->in->pc, 0); }

void rewrite_end(struct rewrite *w, u16 keep)
{
    for (enum gpr r = RAX; r < GPR_COUNT; r++)
        if (w->saved >> r & 1 && !(keep >> r & 1))
            emit_load_ctx(&w->e, r, rewrite_slot(w, r));
    w->b->p = w->e.p;
}

/* --- addresses ---------------------------------------------------------------------------------------------------- */

int rewrite_explicit(const struct ins_facts *f)
{
    for (int i = 0; i < f->nmem; i++)
        if (f->op[f->mem[i]].visibility == FACT_EXPLICIT)
            return i;
    return -1;
}

int rewrite_implicit(const struct ins_facts *f)
{
    for (int i = 0; i < f->nmem; i++)
        if (f->op[f->mem[i]].visibility != FACT_EXPLICIT)
            return i;
    return -1;
}

bool rewrite_has(const struct rewrite *w, int n) { return n >= 0 && w->ins->change->rewrite[n]; }

void rewrite_load_address(struct rewrite *w, enum gpr to, int n)
{
    unsigned at, bytes;
    u16 reg = w->ins->change->rewrite[n];
    int tool = arch_tool_register(reg, &bytes), r = regs_gpr_number(reg, &at, &bytes);
    if (tool >= 0)
        emit_load_ctx(&w->e, to, TOOL_REG(tool));
    else if (w->saved >> r & 1)
        emit_load_ctx(&w->e, to, rewrite_slot(w, (enum gpr)r));
    else
        emit_move(&w->e, to, (enum gpr)r);
    if (w->ins->after) /* IARG_MEMORYOP_PTR */
        emit_store_ctx(&w->e, MEMORY_PTR(n), to);
}

/* The kernel carries these out, and refuses an instruction with two different segment prefixes, of which the guest may
 * have one. */
static bool is_kernel_emulated(u32 iclass)
{
    return iclass == XED_ICLASS_SIDT || iclass == XED_ICLASS_SGDT || iclass == XED_ICLASS_SLDT ||
           iclass == XED_ICLASS_STR || iclass == XED_ICLASS_SMSW;
}

bool rewrite_through_stack(const struct ins_facts *f, int n)
{
    struct mem_operand m;
    return facts_memory(f, (u32)n, &m) && m.seg == MEM_SEG_NONE && (m.base == RSP || m.base == RBP);
}

/* lea disp(base,index,scale),%to, 32 bits wide where the address is */
static void lea_operand(struct emit *e, enum gpr to, const struct mem_operand *m)
{
    u8 log = m->scale == 8 ? 3 : m->scale == 4 ? 2 : m->scale == 2 ? 1 : 0;
    u8 index = m->index < 0 ? RSP : (u8)m->index, base = m->base < 0 ? RBP : (u8)m->base;
    EMIT(e, (u8)((m->addr32 ? 0x40 : 0x48) | (to >> 3) << 2 | (index >> 3) << 1 | base >> 3), 0x8d);
    EMIT(e, (u8)((m->base < 0 ? 0x04 : 0x84) | (to & 7) << 3), (u8)(log << 6 | (index & 7) << 3 | (base & 7)));
    emit_u32(e, (u32)m->disp);
}

u8 rewrite_load_any_address(struct rewrite *w, enum gpr to, int n, enum gpr scratch)
{
    struct mem_operand m = {0};
    u8 stack = rewrite_through_stack(w->f, n) ? STACK_PREFIX : 0;
    if (rewrite_has(w, n)) {
        rewrite_load_address(w, to, n);
        return stack;
    }
    facts_memory(w->f, (u32)n, &m);
    if (m.base == MEM_RIP || (m.base < 0 && m.index < 0))
        emit_const(&w->e, to, m.absolute);
    else
        lea_operand(&w->e, to, &m);
    if (m.seg == MEM_SEG_GS) {
        struct mem_operand sum = {.base = (s8)to, .index = (s8)scratch, .scale = 1};
        emit_load_ctx(&w->e, scratch, CTX(gs_base));
        lea_operand(&w->e, to, &sum);
    }
    return m.seg == MEM_SEG_FS ? 0x65 : stack;
}

static void emit_access(struct emit *e, u8 opcode, enum gpr reg, enum gpr base, u32 bytes)
{
    emit_u8(e, (u8)((bytes == 8 ? 0x48 : 0x40) | (reg >> 3) << 2 | base >> 3));
    if (bytes == 2 && opcode == 0x8b) { /* movzwl */
        emit_u8(e, 0x0f);
        opcode = 0xb7;
    }
    EMIT(e, opcode, (u8)((reg & 7) << 3 | (base & 7)));
}

void rewrite_segment(struct emit *e, u8 prefix)
{
    if (prefix)
        emit_u8(e, prefix);
    if (prefix == STACK_PREFIX)
        emit_u8(e, prefix);
}

void rewrite_load(struct emit *e, enum gpr to, enum gpr base, u32 bytes, u8 prefix)
{
    rewrite_segment(e, prefix);
    emit_access(e, 0x8b, to, base, bytes);
}

void rewrite_store(struct emit *e, enum gpr base, enum gpr from, u32 bytes, u8 prefix)
{
    rewrite_segment(e, prefix);
    if (bytes == 2)
        emit_u8(e, 0x66);
    emit_access(e, 0x89, from, base, bytes);
}

void rewrite_lea(struct emit *e, enum gpr to, enum gpr from, s32 disp)
{
    struct mem_operand m = {.base = (s8)from, .index = MEM_NO_REG, .scale = 1, .disp = disp};
    lea_operand(e, to, &m);
}

/* --- operands in the encoding ------------------------------------------------------------------------------------- */

/* Prefixes without segment and address size, and without a REX that another prefix has made void. */
static void emit_prefixes(struct emit *e, const struct insn *in)
{
    for (u8 i = 0; i < in->prefixes; i++) {
        u8 p = in->bytes[i];
        if (p != 0x64 && p != 0x65 && p != 0x67 && (p & 0xf0) != 0x40)
            emit_u8(e, p);
    }
}

/* The instruction with (base) in place of what its ModRM, SIB and displacement say. */
static void emit_based(struct emit *e, const struct insn *in, enum gpr base)
{
    u8 head = in->rex_off == 0xff ? in->prefixes : (u8)(in->rex_off + 1), extension = base >> 3,
       modrm = in->bytes[in->modrm_off];
    u8 after = (u8)(in->modrm_off + 1 + ((modrm & 7) == 4) + in->disp_bytes);
    emit_prefixes(e, in);
    if (!in->vex && (in->rex_off != 0xff || extension))
        emit_u8(e, (u8)(((in->rex_off == 0xff ? 0x40 : in->bytes[in->rex_off]) & ~3u) | extension));
    u8 *start = e->p;
    emit_bytes(e, in->bytes + head, (size_t)(in->modrm_off - head));
    if (in->vex > 2) /* inverted X and B */
        start[1] = (u8)((start[1] & ~0x60u) | 0x40 | (extension ? 0 : 0x20));
    emit_u8(e, (u8)((modrm & 0x38) | (base & 7)));
    emit_bytes(e, in->bytes + after, (size_t)(in->len - after));
}

void rewrite_emit_same(struct rewrite *w, enum gpr base)
{
    const struct insn *in = w->in;
    if (base != GPR_COUNT) {
        struct mem_operand m;
        facts_explicit_address(w->f, &m);
        emit_const(&w->e, base, m.absolute);
        emit_based(&w->e, in, base);
        return;
    }
    u8 *start = w->e.p;
    emit_bytes(&w->e, in->bytes, in->len);
    for (u8 i = 0; i < in->prefixes && in->seg == 0x64; i++)
        if (start[i] == 0x64)
            start[i] = 0x65;
}

static void lower_modrm(struct rewrite *w, int n)
{
    enum gpr base = rewrite_pick(w, w->in->vex == 2 || w->in->high_byte);
    rewrite_begin(w, (u16)(1u << base));
    rewrite_load_address(w, base, n);
    if (w->in->cls == INSN_FPU_SAVE)
        emit_store_ctx(&w->e, CTX_SLOT(7), base);
    if (rewrite_through_stack(w->f, n) && !is_kernel_emulated(w->f->iclass))
        rewrite_segment(&w->e, STACK_PREFIX);
    emit_based(&w->e, w->in, base);
    rewrite_commit(w);
    rewrite_end(w, 0);
    if (w->in->cls == INSN_FPU_SAVE)
        lower_fpu_save_exit(w->b, w->in, PART_FPU_SAVE_AT);
}

/* mov between al, ax, eax or rax and an address in the encoding, and xlat. */
static void lower_accumulator(struct rewrite *w, int n)
{
    static const u8 opcode[] = {0x8a, 0x8b, 0x88, 0x89};
    const struct insn *in = w->in;
    enum gpr base = rewrite_pick(w, false);
    u8 rex = in->rex_off == 0xff ? 0x40 : in->bytes[in->rex_off];
    rewrite_begin(w, (u16)(1u << base));
    rewrite_load_address(w, base, n);
    emit_prefixes(&w->e, in);
    EMIT(&w->e, (u8)((rex & 0x48) | base >> 3), w->f->iclass == XED_ICLASS_XLAT ? 0x8a : opcode[in->opcode & 3]);
    emit_u8(&w->e, base & 7);
    rewrite_commit(w);
    rewrite_end(w, 0);
}

/* maskmovq, maskmovdqu: the address is in rdi. */
static void lower_rdi(struct rewrite *w, int n)
{
    rewrite_begin(w, 1u << RDI);
    rewrite_load_address(w, RDI, n);
    emit_prefixes(&w->e, w->in);
    emit_bytes(&w->e, w->in->bytes + w->in->prefixes, (size_t)(w->in->len - w->in->prefixes));
    rewrite_commit(w);
    rewrite_end(w, 0);
}

/* Another register in place of the one that ModRM names beside the operand; it needs no extension bit. */
static void name_register(struct insn *in, enum gpr r)
{
    in->bytes[in->modrm_off] = (u8)((in->bytes[in->modrm_off] & ~0x38u) | r << 3);
    if (in->rex_off != 0xff)
        in->bytes[in->rex_off] &= (u8)~4u;
}

/* bt and its kin: the tool's address is that of the bit's word, so the number of the bit must be one in the word. */
static void lower_bit(struct rewrite *w, const struct mem_operand *m)
{
    struct insn in = *w->in;
    w->used |= 1u << RAX;
    enum gpr base = rewrite_pick(w, true), bit = rewrite_pick(w, true);
    rewrite_begin(w, (u16)(1u << base | 1u << bit | 1u << RAX));
    rewrite_load_address(w, base, 0);
    emit_move(&w->e, bit, (enum gpr)m->bit);
    emit_flags_to_ax(&w->e);
    EMIT(&w->e, 0x83, (u8)(0xe0 | bit), (u8)(8 * m->bytes - 1)); /* and */
    emit_flags_from_ax(&w->e);
    name_register(&in, bit);
    emit_based(&w->e, &in, base);
    rewrite_commit(w);
    rewrite_end(w, 0);
}

/* movdir64b: a second address is in the register that ModRM names beside the operand. */
static void lower_two_addresses(struct rewrite *w)
{
    struct insn in = *w->in;
    enum gpr from = rewrite_pick(w, true), to = rewrite_pick(w, true), scratch = rewrite_pick(w, true);
    rewrite_begin(w, (u16)(1u << from | 1u << to | 1u << scratch));
    rewrite_load_any_address(w, to, 1, scratch);
    rewrite_segment(&w->e, rewrite_load_any_address(w, from, 0, scratch));
    name_register(&in, to);
    emit_based(&w->e, &in, from);
    rewrite_commit(w);
    rewrite_end(w, 0);
}

/* The instruction with the tool's addresses, where the VM does not carry it out: it faults. */
static void lower_refused(struct rewrite *w)
{
    int named = rewrite_explicit(w->f), stack = rewrite_implicit(w->f);
    enum gpr at = rewrite_pick(w, false), value = rewrite_pick(w, false);
    struct mem_operand m;
    w->e.p = w->b->p;
    rewrite_begin(w, (u16)(1u << at | 1u << value | 1u << RSP));
    u8 prefix = named >= 0 ? rewrite_load_any_address(w, at, named, value) : 0;
    if (rewrite_has(w, stack) && facts_memory(w->f, (u32)stack, &m)) {
        rewrite_load_address(w, value, stack);
        rewrite_lea(&w->e, RSP, value, m.kind == MEM_PUSH ? (s32)m.bytes : 0);
    }
    rewrite_segment(&w->e, prefix);
    if (named >= 0)
        emit_based(&w->e, w->in, at);
    else
        emit_bytes(&w->e, w->in->bytes, w->in->len);
    rewrite_commit(w);
    rewrite_end(w, 0);
    lower_exit_jmp(w->b, w->in->pc + w->in->len, EXIT_KIND_BRANCH);
}

/* Instructions that the VM carries out. */
static bool rewrite_by_vm(struct rewrite *w)
{
    if (w->in->cls != INSN_EMULATE)
        return false;
    enum gpr at = rewrite_pick(w, false);
    u8 part = PART_MOVED;
    rewrite_begin(w, (u16)(1u << at));
    for (int n = 0; n < w->f->nmem; n++)
        if (rewrite_has(w, n)) {
            rewrite_load_address(w, at, n);
            emit_store_ctx(&w->e, MEMORY_PTR(n), at);
            part |= (u8)(1u << n);
        }
    rewrite_end(w, 0);
    pass_map(w->b, w->b->p, MAP_GUEST, w->in->pc, 0);
    lower_exit_jmp(w->b, w->in->pc, EXIT_KIND_EMULATE);
    struct pass_exit *x = &w->b->exit[w->b->nexits - 1];
    x->part = part;
    x->resume = w->b->p;
    lower_refused(w);
    return true;
}

static bool is_mask_move(u16 iclass)
{
    return iclass == XED_ICLASS_MASKMOVQ || iclass == XED_ICLASS_MASKMOVDQU || iclass == XED_ICLASS_VMASKMOVDQU;
}

static bool has_modrm_memory(const struct insn *in)
{
    return in->modrm_off != 0xff && in->bytes[in->modrm_off] >> 6 != 3;
}

bool rewrite_valid(struct ins *i, u32 n)
{
    struct insn in;
    struct mem_operand m;
    const struct ins_facts *f = facts_of(i);
    if (cpu_guest32 || !facts_memory(f, n, &m) || !decode_insn(&in, i->pc, i->bytes, i->len) || m.kind == MEM_VSIB ||
        m.kind == MEM_OTHER)
        return false;
    if (in.cls == INSN_EMULATE || f->iclass == XED_ICLASS_MOVDIR64B)
        return true;
    if (m.kind == MEM_PUSH || m.kind == MEM_POP || f->iclass == XED_ICLASS_LEAVE)
        return m.bytes != 4 && (m.bytes == 8 || f->iclass != XED_ICLASS_LEAVE);
    return m.kind == MEM_STRING || m.kind == MEM_XLAT || is_mask_move(f->iclass) ||
           (f->op[f->mem[n]].visibility == FACT_EXPLICIT && (has_modrm_memory(&in) || in.modrm_off == 0xff));
}

void lower_rewritten(struct pass *b, const struct insn *in, struct ins *ins)
{
    struct rewrite w = {.b = b, .e = {b->p}, .in = in, .ins = ins, .f = facts_of(ins)};
    w.used = used_registers(w.f, ins->change);
    if (rewrite_scattered(&w) || rewrite_reg(&w) || rewrite_by_vm(&w) || rewrite_transfer(&w) || rewrite_stack(&w) ||
        rewrite_string(&w))
        return;
    int n = rewrite_explicit(w.f);
    struct mem_operand m = {0};
    facts_memory(w.f, 0, &m);
    if (m.kind == MEM_BIT)
        lower_bit(&w, &m);
    else if (w.f->iclass == XED_ICLASS_MOVDIR64B)
        lower_two_addresses(&w);
    else if (is_mask_move(w.f->iclass))
        lower_rdi(&w, 0);
    else if (w.f->iclass == XED_ICLASS_XLAT)
        lower_accumulator(&w, 0);
    else if (in->modrm_off == 0xff)
        lower_accumulator(&w, n);
    else
        lower_modrm(&w, n);
}

/* --- what may be asked for --------------------------------------------------------------------------------------- */

#define CONTROL (FACT_FLAG_BRANCH | FACT_FLAG_CALL | FACT_FLAG_RET)

static bool after_valid(const struct ins_facts *f)
{
    return !(f->flags & (FACT_FLAG_NO_FALL_THROUGH | CONTROL)) || (f->flags & FACT_FLAG_CONDITIONAL);
}

bool arch_allows(struct ins *i, enum arch_change what, u32 operand)
{
    switch (what) {
    case CHANGE_AFTER: return after_valid(facts_of(i));
    case CHANGE_TAKEN: return facts_of(i)->flags & CONTROL;
    case CHANGE_REWRITE: return rewrite_valid(i, operand);
    case CHANGE_SCATTERED: return !cpu_guest32 && scattered_valid(facts_of(i), operand);
    }
    return false;
}
