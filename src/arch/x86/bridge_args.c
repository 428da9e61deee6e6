/* SPDX-License-Identifier: Apache-2.0
 * Arguments of analysis calls: each IARG becomes code that puts its value into an argument register or the host stack.
 * Runs when a trace is lowered. Guest registers that are intact are used, the others come from the context. rax, r10
 * and r11 are free here. */
#include "arch/x86/bridge.h"

#include "opt/objects.h"
#include "arch/x86/facts.h"
#include "arch/x86/regs.h"
#include "linchpin/iarg.h"
#include "xed-iclass-enum.h"
#include "opt/rop.h"
#include "os/thread.h"

#include "arch/x86/arg_table.h"
#include "arch/x86/condition_table.h"

/* --- facts that only the bridge asks for ------------------------------------------------------------------------- */

/* The condition code of a conditional move, also of the x87 unit's, -1: none. */
static int facts_cmov_condition(struct ins *i)
{
    u8 predicate = facts_of(i)->predicate;
    return predicate >= FACT_PREDICATE_B && predicate <= FACT_PREDICATE_Z ? condition_codes[predicate] : -1;
}

static bool facts_is_rep(struct ins *i) { return facts_of(i)->flags & (FACT_FLAG_REP | FACT_FLAG_REPNE); }

bool arch_has_predicate(struct ins *ins) { return facts_cmov_condition(ins) >= 0 || facts_is_rep(ins); }

/* --- what is known about arguments ---------------------------------------------------------------------------- */

bool arch_arg_known(u16 iarg) { return iarg < ARRAY_LEN(known_args) && known_args[iarg]; }

u16 bridge_args_clobber(const struct call *c)
{
    u16 m = 1u << RAX;
    for (u16 i = 0; i < c->nargs; i++) {
        m |= (u16)(1u << (i < 6 ? rop_registers.argument[i] : R10));
        if (!needs_nothing(c->arg[i].iarg))
            m |= 1u << R11 | (c->arg[i].iarg == IARG_TSC ? 1u << RDX : 0);
    }
    return m;
}

struct arch_arg_needs arch_arg_needs(const struct call_arg *a)
{
    unsigned at, bytes;
    bool value = a->iarg == IARG_REG_VALUE,
         reference = a->iarg == IARG_REG_REFERENCE || a->iarg == IARG_REG_CONST_REFERENCE;
    int r = value || reference ? regs_gpr_number(a->reg, &at, &bytes) : -1;
    reg_set named = r >= 0 ? (reg_set)(1u << r) : 0;
    return (struct arch_arg_needs){
        .sources = value && named ? named : HOLD_ALL,
        .exposed = bridge_temp_expose(a) | bridge_sysarg_expose(a) | (reference ? named : 0),
        .all = ((value || reference) && regs_is_flags(a->reg)) || bridge_temp_need_all(a),
    };
}

/* --- values ------------------------------------------------------------------------------------------------------ */

void bridge_load_gpr(struct bridge *g, enum gpr to, enum gpr r)
{
    if (!(g->intact >> r & 1))
        emit_load_ctx(&g->e, to, BRIDGE_GPR(r));
    else if (to != r)
        emit_move(&g->e, to, r);
}

/* lea disp(%to),%to */
static void add_disp(struct emit *e, enum gpr to, s64 disp)
{
    if (!disp)
        return;
    if (!fits_s32(disp)) {
        emit_const(e, RAX, (u64)disp);
        EMIT(e, (u8)(0x48 | to >> 3), 0x01, (u8)(0xc0 | (to & 7))); /* add %rax,%to: flags are saved already */
        return;
    }
    EMIT(e, (u8)(0x48 | (to >> 3) << 2 | to >> 3), 0x8d, (u8)(0x80 | (to & 7) << 3 | (to & 7)));
    if ((to & 7) == 4)
        emit_u8(e, 0x24);
    emit_u32(e, (u32)disp);
}

/* to += r11 << scale; to is not r11 */
static void add_index(struct emit *e, enum gpr to, u8 scale)
{
    u8 log = scale == 8 ? 3 : scale == 4 ? 2 : scale == 2 ? 1 : 0;
    EMIT(e, (u8)(0x4a | (to >> 3) << 2 | to >> 3), 0x8d); /* lea (%to,%r11,scale),%to with disp8 0 */
    EMIT(e, (u8)(0x44 | (to & 7) << 3), (u8)(log << 6 | (R11 & 7) << 3 | (to & 7)), 0);
}

static void truncate32(struct emit *e, enum gpr r)
{
    if (r >= 8)
        emit_u8(e, 0x45);
    EMIT(e, 0x89, (u8)(0xc0 | (r & 7) << 3 | (r & 7)));
}

static void truncate16(struct emit *e, enum gpr r)
{
    if (r >= 8)
        emit_u8(e, 0x45);
    EMIT(e, 0x0f, 0xb7, (u8)(0xc0 | (r & 7) << 3 | (r & 7))); /* movzwl */
}

/* The register that has the guest's value of r: r itself, or `other`, which it is loaded into. */
static enum gpr in_place(struct bridge *g, enum gpr r, enum gpr other)
{
    if (g->intact >> r & 1)
        return r;
    bridge_load_gpr(g, other, r);
    return other;
}

/* What is added to the address beside base and index, times the scale returned, goes to r11: al of xlat, or the word of
 * a bit's number. */
static u8 load_offset(struct bridge *g, const struct mem_operand *m)
{
    bridge_load_gpr(g, R11, (enum gpr)(m->kind == MEM_XLAT ? m->index : m->bit));
    if (m->kind == MEM_XLAT) {
        EMIT(&g->e, 0x45, 0x0f, 0xb6, 0xdb); /* movzbl %r11b,%r11d */
        return 1;
    }
    if (m->bytes == 2)
        EMIT(&g->e, 0x4d, 0x0f, 0xbf, 0xdb); /* movswq %r11w,%r11 */
    else if (m->bytes == 4)
        EMIT(&g->e, 0x4d, 0x63, 0xdb); /* movslq %r11d,%r11 */
    EMIT(&g->e, 0x49, 0xc1, 0xfb, (u8)(3 + __builtin_ctz(m->bytes))); /* sar */
    return (u8)m->bytes;
}

static void load_address(struct bridge *g, enum gpr to, const struct mem_operand *m)
{
    bool offset = m->kind == MEM_XLAT || m->kind == MEM_BIT;
    u8 scale = 0;
    if (m->kind == MEM_VSIB || m->kind == MEM_OTHER)
        api_misuse("INS_InsertCall", NULL, 0, "the instruction at 0x%lx accesses more than one address", g->pc);
    if (offset) { /* first, because its register may be `to` */
        scale = load_offset(g, m);
        emit_store_ctx(&g->e, CTX(bridge.value), R11);
    }
    if (m->base == MEM_RIP || (m->base < 0 && m->index < 0)) {
        emit_const(&g->e, to, m->absolute);
    } else {
        int base = m->base < 0 ? -1 : (int)in_place(g, (enum gpr)m->base, R11),
            index = m->index < 0 || m->kind == MEM_XLAT ? -1 : (int)in_place(g, (enum gpr)m->index, RAX);
        emit_lea(&g->e, to, base, index, m->scale, (s32)m->disp);
    }
    if (offset) {
        emit_load_ctx(&g->e, R11, CTX(bridge.value));
        add_index(&g->e, to, scale);
    }
    if (UNLIKELY(m->addr16))
        truncate16(&g->e, to);
    else if (m->addr32)
        truncate32(&g->e, to);
    if (m->seg == MEM_SEG_FS) {
        EMIT(&g->e, 0xf3, 0x49, 0x0f, 0xae, 0xcb); /* rdgsbase %r11 */
        add_index(&g->e, to, 1);
    } else if (m->seg == MEM_SEG_GS) {
        emit_load_ctx(&g->e, R11, CTX(gs_base));
        add_index(&g->e, to, 1);
    }
    if (m->addr32 && m->seg != MEM_SEG_NONE && cpu_guest32)
        truncate32(&g->e, to);
}

static void misuse(const struct call *c, const struct bridge *g, const char *what)
{
    api_misuse(c->name, c->file, c->line, "%s is not valid for the instruction at 0x%lx", what, g->in->pc);
}

static int find_mem(struct ins *i, bool write, u32 nth)
{
    return write ? facts_write_operand(facts_of(i)) : facts_read_operand(facts_of(i), nth);
}

static void load_mem(struct bridge *g, const struct call *c, enum gpr to, int index, bool size)
{
    struct mem_operand m = {0};
    if (index < 0 && size) {
        /* The size of the operand that there is, or 0: tools ask for the size of the read of an instruction that
         * writes. */
        emit_const(&g->e, to, facts_mem_operand(g->ins, 0, &m) ? m.bytes : 0);
        return;
    }
    if (index < 0 || !facts_mem_operand(g->ins, (u32)index, &m))
        misuse(c, g, "a memory operand argument");
    if (size)
        emit_const(&g->e, to, m.bytes);
    else
        load_address(g, to, &m);
}

void bridge_context_address(struct bridge *g, enum gpr to, s32 disp)
{
    EMIT(&g->e, 0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0); /* mov %fs:0,%rax */
    emit_move(&g->e, to, RAX);
    add_disp(&g->e, to, disp);
}

/* A part of a register: shifted down and zero-extended. */
static void load_reg_part(struct bridge *g, enum gpr to, enum gpr r, unsigned at, unsigned bytes)
{
    bridge_load_gpr(g, to, r);
    unsigned up = 64 - (at + bytes) * 8, down = 64 - bytes * 8;
    u8 rex = (u8)(0x48 | to >> 3);
    if (up)
        EMIT(&g->e, rex, 0xc1, (u8)(0xe0 | (to & 7)), (u8)up);
    if (down)
        EMIT(&g->e, rex, 0xc1, (u8)(0xe8 | (to & 7)), (u8)down);
}

void bridge_load_reg(struct bridge *g, const struct call *c, enum gpr to, u16 reg)
{
    unsigned at, bytes;
    int r = regs_gpr_number(reg, &at, &bytes), tool = arch_tool_register(reg, &bytes);
    if (tool >= 0) {
        emit_load_ctx(&g->e, to, TOOL_REG(tool));
        if (bytes == 4)
            truncate32(&g->e, to);
    } else if (r >= 0)
        load_reg_part(g, to, (enum gpr)r, at, bytes);
    else if (regs_is_pc(reg))
        emit_const(&g->e, to, g->pc);
    else if (regs_is_flags(reg) && !g->light)
        emit_load_ctx(&g->e, to, CTX(bridge.flags));
    else
        misuse(c, g, "this register by value");
}

static void load_reg_reference(struct bridge *g, const struct call *c, enum gpr to, u16 reg)
{
    unsigned at, bytes;
    int r = regs_gpr_number(reg, &at, &bytes);
    int tool = arch_tool_register(reg, &bytes);
    if (tool >= 0)
        bridge_context_address(g, to, TOOL_REG(tool));
    else if (r >= 0)
        bridge_context_address(g, to, BRIDGE_GPR(r) + (s32)at);
    else if (regs_is_flags(reg) && !g->light)
        bridge_context_address(g, to, CTX(bridge.flags));
    else
        misuse(c, g, "a reference to this register");
}

/* --- branches and predicates -------------------------------------------------------------------------------------- */

/* loop and jrcxz: the instruction itself says whether it will be taken; rcx comes from the context afterwards. */
static void early_loop(struct bridge *g)
{
    if (g->place != BRIDGE_BEFORE)
        return;
    emit_u8(&g->e, 0xb8); /* mov $0,%eax: keeps flags */
    emit_u32(&g->e, 0);
    if (UNLIKELY(g->in->addr16)) /* it counts in cx */
        EMIT(&g->e, 0x0f, 0xb7, 0xc9);
    lower_loop_head(&g->e, g->in);
    EMIT(&g->e, g->in->opcode, 2, 0xeb, 5, 0xb8, 1, 0, 0, 0); /* ... .+4; jmp .+7; mov $1,%eax */
    emit_store_ctx(&g->e, CTX(bridge.value), RAX);
}

/* The condition, as 0 or 1, kept in bridge.value while flags are intact. */
void bridge_early_values(struct bridge *g)
{
    if (!g->condition)
        return;
    if (g->in->cls == INSN_LOOP) {
        g->intact &= (u16)~(1u << RAX | 1u << RCX);
        early_loop(g);
        return;
    }
    int cond = g->in->cls == INSN_JCC ? g->in->cond : facts_cmov_condition(g->ins);
    if (cond < 0)
        return;
    g->intact &= (u16)~(1u << RAX);
    EMIT(&g->e, 0x0f, (u8)(0x90 | cond), 0xc0, 0x0f, 0xb6, 0xc0); /* setcc %al; movzbl %al,%eax */
    emit_store_ctx(&g->e, CTX(bridge.value), RAX);
}

/* The class that a near transfer has for its target, also where the VM carries it out, as one with an operand size of
 * 16 bits. */
static enum insn_class transfer_class(struct bridge *g)
{
    const struct ins_facts *f = facts_of(g->ins);
    bool direct = f->flags & FACT_FLAG_DIRECT;
    if (LIKELY(g->in->cls != INSN_EMULATE) || !cpu_guest32 || f->flags & FACT_FLAG_FAR)
        return (enum insn_class)g->in->cls;
    if (f->flags & FACT_FLAG_CALL)
        return direct ? INSN_CALL : INSN_CALL_IND;
    if (f->flags & FACT_FLAG_RET)
        return INSN_RET;
    return f->iclass == XED_ICLASS_JMP ? (direct ? INSN_JMP : INSN_JMP_IND) : INSN_EMULATE;
}

static void load_branch_taken(struct bridge *g, const struct call *c, enum gpr to)
{
    switch (transfer_class(g)) {
    case INSN_LOOP:
        if (g->place != BRIDGE_BEFORE) { /* the instruction is done */
            emit_const(&g->e, to, g->pc == g->in->target);
            break;
        } /* fall through */
    case INSN_JCC:
        emit_load_ctx(&g->e, to, CTX(bridge.value));
        break;
    case INSN_JMP: case INSN_CALL: case INSN_JMP_IND: case INSN_CALL_IND: case INSN_RET:
        emit_const(&g->e, to, 1);
        break;
    default:
        if (!(facts_of(g->ins)->flags & FACT_FLAG_SYSCALL))
            misuse(c, g, "IARG_BRANCH_TAKEN");
        emit_const(&g->e, to, 0);
    }
}

/* disp(%rax) into a register, or 0 where there is no memory: the instruction itself will say so. */
static void load_guest(struct bridge *g, enum gpr to, u32 disp)
{
    const struct guest_load load = guest_load(to, disp);
    ASSERT(g->b->map[g->b->nmap - 1].kind == MAP_CALLS); /* where arch_bridge_fault looks for it */
    emit_const(&g->e, to, 0);
    emit_bytes(&g->e, &load, sizeof load);
}

static void load_guest_stack(struct bridge *g, enum gpr to, u32 disp)
{
    emit_load_ctx(&g->e, RAX, BRIDGE_GPR(RSP));
    load_guest(g, to, disp);
}

static void load_branch_target(struct bridge *g, const struct call *c, enum gpr to)
{
    const struct insn *in = g->in;
    struct mem_operand m;
    enum insn_class cls = transfer_class(g);
    switch (cls) {
    case INSN_JCC: case INSN_LOOP: case INSN_JMP: case INSN_CALL:
        emit_const(&g->e, to, in->target);
        break;
    case INSN_RET:
        load_guest_stack(g, to, 0);
        break;
    case INSN_JMP_IND: case INSN_CALL_IND:
        if (in->bytes[in->modrm_off] >> 6 == 3) {
            u8 rex = in->rex_off == 0xff ? 0 : in->bytes[in->rex_off];
            bridge_load_gpr(g, to, (in->bytes[in->modrm_off] & 7) | (rex & 1) << 3);
        } else if (facts_mem_operand(g->ins, 0, &m)) {
            load_address(g, to, &m);
            emit_move(&g->e, RAX, to);
            load_guest(g, to, 0);
        }
        break;
    default:
        misuse(c, g, "IARG_BRANCH_TARGET_ADDR");
    }
    if (UNLIKELY(cpu_guest32 && (cls == INSN_RET || cls == INSN_JMP_IND || cls == INSN_CALL_IND) &&
                 facts_of(g->ins)->operand_bits == 16))
        truncate16(&g->e, to);
}

/* Where the guest goes on after the call: on the way of a transfer that is its target. */
void bridge_store_pc(struct bridge *g, const struct call *c)
{
    if (g->place == BRIDGE_TAKEN)
        load_branch_target(g, c, R10);
    else
        emit_const(&g->e, R10, g->pc);
    emit_store_ctx(&g->e, CTX(bridge.pc), R10);
}

/* A conditional move executes when its condition holds; a rep string instruction when its count is not 0, which after
 * it is known from before (repeat.c). */
bool bridge_test_predicate(struct bridge *g)
{
    static const u8 test_rax[] = {0x48, 0x85, 0xc0};
    bool narrow = facts_of(g->ins)->predicate == FACT_PREDICATE_ECXNZ; /* by the address size */
    if (facts_cmov_condition(g->ins) >= 0 || (facts_is_rep(g->ins) && g->place == BRIDGE_AFTER))
        emit_load_ctx(&g->e, RAX, CTX(bridge.value));
    else if (facts_is_rep(g->ins))
        bridge_load_gpr(g, RAX, RCX);
    else
        return false;
    if (UNLIKELY(facts_is_rep(g->ins) && facts_of(g->ins)->address_bits == 16))
        truncate16(&g->e, RAX);
    g->intact &= (u16)~(1u << RAX);
    emit_bytes(&g->e, test_rax + narrow, sizeof test_rax - narrow);
    return true;
}

static void load_executing(struct bridge *g, enum gpr to)
{
    if (!bridge_test_predicate(g)) {
        emit_const(&g->e, to, 1);
        return;
    }
    EMIT(&g->e, 0x0f, 0x95, 0xc0, 0x0f, 0xb6, 0xc0); /* setnz %al; movzbl %al,%eax */
    emit_move(&g->e, to, RAX);
}

/* stack_base: of the return address, 0: there is none yet. IA-32 programs have all arguments in memory (cdecl). */
static void load_function_arg(struct bridge *g, enum gpr to, u32 n, u32 stack_base)
{
    if (UNLIKELY(cpu_guest32))
        load_guest_stack(g, to, stack_base / 2 + n * 4);
    else if (n < 6)
        bridge_load_gpr(g, to, rop_registers.argument[n]);
    else
        load_guest_stack(g, to, stack_base + (n - 6) * 8);
}

static void load_tsc(struct bridge *g, enum gpr to)
{
    /* mov %rdx,%r11; rdtsc; shl $32,%rdx; or %rdx,%rax; mov %r11,%rdx */
    EMIT(&g->e, 0x49, 0x89, 0xd3, 0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0x4c, 0x89, 0xda);
    emit_move(&g->e, to, RAX);
}

static void load_explicit(struct bridge *g, enum gpr to)
{
    struct mem_operand m;
    facts_explicit_address(facts_of(g->ins), &m);
    load_address(g, to, &m);
}

/* After an instruction with a rewritten operand: the address that was used. */
static void load_ptr(struct bridge *g, const struct call *c, const struct call_arg *a, enum gpr to)
{
    int n = a->iarg == IARG_MEMORYOP_PTR
                ? (int)a->index
                : find_mem(g->ins, a->iarg == IARG_MEMORYWRITE_PTR, a->iarg == IARG_MEMORYREAD2_PTR);
    if (g->place == BRIDGE_AFTER && n >= 0 && n < INS_MAX_MEMS && g->ins->change && g->ins->change->rewrite[n])
        emit_load_ctx(&g->e, to, MEMORY_PTR(n));
    else
        load_mem(g, c, to, n, false);
}

static void load_arg(struct bridge *g, const struct call *c, const struct call_arg *a, enum gpr to)
{
    if (bridge_temp_load(g, c, a, to) || bridge_sysarg_load(g, c, a, to))
        return;
    switch (a->iarg) {
    case IARG_ADDRINT: case IARG_PTR: case IARG_BOOL: case IARG_UINT32:
    case IARG_UINT64: emit_const(&g->e, to, a->value); break;
    case IARG_INST_PTR: emit_const(&g->e, to, g->ins->pc); break;
    case IARG_FALLTHROUGH_ADDR: emit_const(&g->e, to, g->ins->pc + g->ins->len); break;
    case IARG_REG_VALUE: bridge_load_reg(g, c, to, a->reg); break;
    case IARG_REG_REFERENCE: case IARG_REG_CONST_REFERENCE: load_reg_reference(g, c, to, a->reg); break;
    case IARG_MEMORYREAD_PTR: case IARG_MEMORYREAD2_PTR: case IARG_MEMORYWRITE_PTR:
    case IARG_MEMORYOP_PTR: load_ptr(g, c, a, to); break;
    case IARG_MEMORYREAD_EA: load_mem(g, c, to, find_mem(g->ins, false, 0), false); break;
    case IARG_MEMORYREAD2_EA: load_mem(g, c, to, find_mem(g->ins, false, 1), false); break;
    case IARG_MEMORYWRITE_EA: load_mem(g, c, to, find_mem(g->ins, true, 0), false); break;
    case IARG_MEMORYREAD_SIZE: load_mem(g, c, to, find_mem(g->ins, false, 0), true); break;
    case IARG_MEMORYWRITE_SIZE: load_mem(g, c, to, find_mem(g->ins, true, 0), true); break;
    case IARG_MEMORYOP_EA: load_mem(g, c, to, (int)a->index, false); break;
    case IARG_MEMORYOP_SIZE: load_mem(g, c, to, (int)a->index, true); break;
    case IARG_EXPLICIT_MEMORY_EA: load_explicit(g, to); break;
    case IARG_BRANCH_TAKEN: load_branch_taken(g, c, to); break;
    case IARG_BRANCH_TARGET_ADDR: load_branch_target(g, c, to); break;
    case IARG_EXECUTING: load_executing(g, to); break;
    case IARG_THREAD_ID:
        emit_load_ctx(&g->e, to, ctx_disp(offsetof(struct thread, id)));
        truncate32(&g->e, to);
        break;
    case IARG_CONST_CONTEXT:
        bridge_store_pc(g, c);
        bridge_context_address(g, to, CTX(bridge));
        break;
    case IARG_TSC: load_tsc(g, to); break;
    case IARG_FUNCARG_ENTRYPOINT_VALUE: load_function_arg(g, to, a->index, 8); break;
    case IARG_FUNCARG_CALLSITE_VALUE: load_function_arg(g, to, a->index, 0); break;
    case IARG_FUNCRET_EXITPOINT_VALUE: bridge_load_gpr(g, to, RAX); break;
    case IARG_RETURN_IP: case IARG_STACK_VALUE: load_guest_stack(g, to, 0); break;
    case IARG_STACK_REFERENCE: bridge_load_gpr(g, to, RSP); break;
    default: misuse(c, g, "this argument");
    }
}

/* Stack arguments first: they go through r10. */
void bridge_load_args(struct bridge *g, const struct call *c)
{
    for (u16 i = 0; i < c->nargs; i++)
        if (bridge_temp_known(c->arg[i].iarg) || c->arg[i].iarg == IARG_MADE)
            g->intact &= (u16)~g->saved;
        else if (!needs_nothing(c->arg[i].iarg))
            g->intact &= (u16)~(g->saved & (1u << RAX | 1u << R10 | 1u << R11));
    if (c->nargs > 6) {
        u32 n = c->nargs - 6u;
        u32 bytes = (n * 8 + 15) & ~15u;
        EMIT(&g->e, 0x48, 0x81, 0xec); /* sub $imm32,%rsp */
        emit_u32(&g->e, bytes);
        for (u32 i = 0; i < n; i++) {
            load_arg(g, c, &c->arg[6 + i], R10);
            EMIT(&g->e, 0x4c, 0x89, 0x94, 0x24); /* mov %r10,disp(%rsp) */
            emit_u32(&g->e, i * 8);
        }
    }
    for (u16 i = 0; i < c->nargs && i < 6; i++)
        if (!needs_nothing(c->arg[i].iarg)) {
            load_arg(g, c, &c->arg[i], rop_registers.argument[i]);
            g->intact &= (u16)~(1u << rop_registers.argument[i]);
        }
    for (u16 i = 0; i < c->nargs && i < 6; i++)
        if (needs_nothing(c->arg[i].iarg))
            load_arg(g, c, &c->arg[i], rop_registers.argument[i]);
}

void bridge_drop_args(struct bridge *g, const struct call *c)
{
    if (c->nargs > 6) {
        EMIT(&g->e, 0x48, 0x81, 0xc4); /* add $imm32,%rsp */
        emit_u32(&g->e, ((c->nargs - 6u) * 8 + 15) & ~15u);
    }
}
