/* SPDX-License-Identifier: Apache-2.0
 * Lowering of one guest instruction that does not transfer control: copied, with its RIP-relative operand and segment
 * prefix made right for the place it now stands at. Runs under jit_lock; writes only to the trace being built. branch.c
 * has the transfers of control. */
#include "arch/x86/lower.h"

#include "base/options.h"

#include "arch/arch.h"

enum { SLOT_RCX, SLOT_RAX, SLOT_GS_RAX, SLOT_UNUSED, SLOT_GS_BASE, SLOT_ADDR };

/* A guest's FS becomes GS, which has the guest's FS base (E1); for a guest's GS, its base is put into the GS base
 * around the instruction. */
static void fix_segment(struct insn *in)
{
    u8 n = insn_opcode_off(in);
    for (u8 i = 0; in->seg && i < n; i++)
        if (in->bytes[i] == 0x64 || in->bytes[i] == 0x65)
            in->bytes[i] = 0x65;
}

static u64 rip_target(const struct insn *in)
{
    s32 disp;
    memcpy(&disp, in->bytes + in->disp_off, 4);
    u64 to = in->pc + in->len + (u64)(s64)disp;
    return in->addr32 ? (u32)to : to;
}

/* A register for the address that the instruction does not use, explicitly or not: implicit ones are never r8 to
 * r15. */
enum gpr lower_free_register(const struct insn *in)
{
    u8 modrm = in->bytes[in->modrm_off];
    u8 reg = modrm >> 3 & 7;
    if (in->vex == 2 || in->high_byte) { /* no place for an extension bit */
        static const enum gpr low[] = {RSI, RDI, RBX};
        for (size_t i = 0; i < ARRAY_LEN(low); i++)
            if (low[i] != reg && low[i] != (enum gpr)(reg - 4))
                return low[i];
    }
    for (enum gpr r = R8; r <= R11; r++)
        if ((r & 7) != reg && r != in->vvvv)
            return r;
    BUG("no free register at %lx", in->pc);
}

/* Makes the instruction address through (base) instead of disp32(%rip); base is not rsp, rbp, r12 or r13. */
static void emit_with_base(struct emit *e, const struct insn *in, enum gpr base)
{
    u8 head = insn_opcode_off(in);
    emit_bytes(e, in->bytes, in->prefixes);
    const u8 *rest = in->bytes + head;
    u8 extension = base >> 3;
    u8 *start = e->p;
    if (!in->vex) {
        u8 rex = in->rex_off == 0xff ? 0x40 : in->bytes[in->rex_off];
        if (in->rex_off != 0xff || extension)
            emit_u8(e, (u8)((rex & ~1u) | extension));
        start = e->p;
    }
    emit_bytes(e, rest, (size_t)(in->modrm_off - head));
    if (in->vex == 3 || in->vex == 4 || in->vex == 8) /* inverted B */
        start[1] = (u8)((start[1] & ~0x20u) | (extension ? 0 : 0x20));
    emit_u8(e, (u8)((in->bytes[in->modrm_off] & 0x38) | (base & 7)));
    u8 after = (u8)(in->disp_off + 4);
    emit_bytes(e, in->bytes + after, (size_t)(in->code_len - after));
}

static void lower_rip_far(struct pass *b, const struct insn *in, u64 to)
{
    struct emit e = {b->p};
    enum gpr base = lower_free_register(in);
    emit_store_ctx(&e, CTX_SLOT(SLOT_ADDR), base);
    pass_state(b, e.p, HOW_SPILL, in->pc, (u8)(base << 4 | SLOT_ADDR));
    emit_const(&e, base, to);
    emit_with_base(&e, in, base);
    pass_state(b, e.p, HOW_SPILL, in->pc + in->len, (u8)(base << 4 | SLOT_ADDR));
    emit_load_ctx(&e, base, CTX_SLOT(SLOT_ADDR));
    b->p = e.p;
}

static void lower_lea_rip(struct pass *b, const struct insn *in, u64 to)
{
    struct emit e = {b->p};
    u8 rex = in->rex_off == 0xff ? 0 : in->bytes[in->rex_off];
    enum gpr r = (in->bytes[in->modrm_off] >> 3 & 7) | (rex & 4) << 1;
    emit_const(&e, r, rex & 8 ? to : (u32)to);
    b->p = e.p;
}

static bool is_lea(const struct insn *in)
{
    /* 16-bit lea keeps the upper bits: not a plain constant */
    return insn_first_opcode(in) == 0x8d && memchr(in->bytes, 0x66, in->prefixes) == NULL;
}

u64 arch_insn_address(const struct insn *in, bool *loads)
{
    u8 off = insn_opcode_off(in), opcode = insn_first_opcode(in), imm = in->code_len - off - 1u == 8 ? 8 : 4;
    u64 constant = 0;
    *loads = opcode == 0x8b;
    if (UNLIKELY(cpu_guest32)) /* it has no restartable sequences */
        return 0;
    if (opcode == 0xc7 || (opcode & 0xf8) == 0xb8)
        memcpy(&constant, in->bytes + in->code_len - imm, imm);
    else if (in->rip_relative && (*loads || opcode == 0x8d))
        constant = rip_target(in);
    return constant;
}

bool arch_insn_stores_address(const struct insn *in, const u8 *next, size_t bytes)
{
    u8 rex = in->rex_off == 0xff ? 0 : in->bytes[in->rex_off];
    u8 reg = in->modrm_off == 0xff ? (in->opcode & 7) | (rex & 1) << 3
                                   : (in->bytes[in->modrm_off] >> 3 & 7) | (rex & 4) << 1;
    bool segment = bytes && (next[0] == 0x64 || next[0] == 0x65);
    next += segment;
    bool moves = bytes >= 3u + segment && next[1] == 0x89 && (next[0] & 0xf8) == 0x48 && next[2] < 0xc0;
    return insn_first_opcode(in) == 0xc7 || (moves && ((next[2] >> 3 & 7) | (next[0] & 4) << 1) == reg);
}

/* The guest's own instructions, as long as they were. */
static void copy(struct pass *b, const u8 *bytes, size_t n)
{
    struct map_entry *m = &b->map[b->nmap - 1];
    m->copied = m->kind == MAP_GUEST && !m->how;
    memcpy(b->p, bytes, n);
    b->p += n;
}

static void lower_rip(struct pass *b, const struct insn *in)
{
    u64 to = rip_target(in);
    u8 *end = b->p + in->code_len;
    if (is_lea(in)) {
        lower_lea_rip(b, in, to);
        return;
    }
    if (!in_reach(end, to) || in->addr32 || options.no_rip_near) {
        lower_rip_far(b, in, to);
        return;
    }
    s32 disp = (s32)(to - (u64)end);
    copy(b, in->bytes, in->code_len);
    memcpy(end - in->code_len + in->disp_off, &disp, 4);
}

static void lower_copy(struct pass *b, const struct insn *in)
{
    if (in->rip_relative) {
        lower_rip(b, in);
        return;
    }
    copy(b, in->bytes, in->code_len);
}

static void emit_wrgsbase_rax(struct emit *e)
{
    EMIT(e, 0xf3, 0x48, 0x0f, 0xae, 0xd8);
}

/* A guest gs: operand: its GS base is loaded for this one instruction. */
static void lower_with_gs(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    gpc_t next = in->pc + in->len;
    emit_store_ctx(&e, CTX_SLOT(SLOT_GS_RAX), RAX);
    pass_state(b, e.p, HOW_GS, in->pc, MAP_GS_RAX);
    EMIT(&e, 0xf3, 0x48, 0x0f, 0xae, 0xc8); /* rdgsbase %rax */
    emit_store_ctx(&e, CTX_SLOT(SLOT_GS_BASE), RAX);
    emit_load_ctx(&e, RAX, CTX(gs_base));
    emit_wrgsbase_rax(&e);
    pass_state(b, e.p, HOW_GS, in->pc, MAP_GS_RAX | MAP_GS_SWAPPED);
    emit_load_ctx(&e, RAX, CTX_SLOT(SLOT_GS_RAX));
    pass_state(b, e.p, HOW_GS, in->pc, MAP_GS_SWAPPED);
    b->p = e.p;
    lower_copy(b, in); /* one with a distant RIP-relative operand would need both kinds of map; the VM carries it out */
    e.p = b->p;
    pass_state(b, e.p, HOW_GS, next, MAP_GS_SWAPPED);
    emit_store_ctx(&e, CTX_SLOT(SLOT_GS_RAX), RAX);
    pass_state(b, e.p, HOW_GS, next, MAP_GS_RAX | MAP_GS_SWAPPED);
    emit_load_ctx(&e, RAX, CTX_SLOT(SLOT_GS_BASE));
    emit_wrgsbase_rax(&e);
    pass_state(b, e.p, HOW_GS, next, MAP_GS_RAX);
    emit_load_ctx(&e, RAX, CTX_SLOT(SLOT_GS_RAX));
    b->p = e.p;
}

void lower_plain(struct pass *b, const struct insn *original)
{
    struct insn in = *original;
    fix_segment(&in);
    pass_map(b, b->p, MAP_GUEST, in.pc, 0);
    if (in.seg == 0x65 && in.rip_relative) /* nobody writes this, so the VM carries it out */
        lower_emulate(b, original);
    else if (in.seg == 0x65)
        lower_with_gs(b, &in);
    else if (UNLIKELY(in.wraps32))
        lower_wraps32(b, &in);
    else
        lower_copy(b, &in);
}

void lower_run(struct pass *b, const struct insn *in)
{
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
    copy(b, b->source + (in->pc - b->pc), in->len);
}

void lower_bad(struct pass *b, const struct insn *in)
{
    static const u8 ud2[] = {0x0f, 0x0b};
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
    if (in->too_long)
        memcpy(b->p, in->bytes, 15), b->p += 15;
    memcpy(b->p, ud2, sizeof ud2);
    b->p += sizeof ud2;
}

/* mov between r and a field of the context, of 32 or 64 bits. */
static void emit_ctx_mov(struct emit *e, u8 op, bool wide, enum gpr r, s32 field)
{
    EMIT(e, 0x64, (u8)((wide ? 0x48 : 0x40) | (r >> 3) << 2), op, (u8)(0x04 | (r & 7) << 3), 0x25);
    emit_u32(e, (u32)field);
}

/* wrgsbase of 32 bits: the base changes at once, as natively, so its upper half is made in another register. */
static void lower_wrgsbase_narrow(struct pass *b, const struct insn *in, enum gpr r)
{
    struct emit e = {b->p};
    enum gpr scratch = r == RAX ? RCX : RAX;
    emit_store_ctx(&e, CTX_SLOT(SLOT_ADDR), scratch);
    pass_state(b, e.p, HOW_SPILL, in->pc, (u8)(scratch << 4 | SLOT_ADDR));
    if (r >= R8)
        emit_u8(&e, 0x44);
    EMIT(&e, 0x89, (u8)(0xc0 | (r & 7) << 3 | scratch)); /* mov r32, scratch32 */
    emit_ctx_mov(&e, 0x89, true, scratch, CTX(gs_base));
    pass_state(b, e.p, HOW_SPILL, in->pc + in->len, (u8)(scratch << 4 | SLOT_ADDR));
    emit_load_ctx(&e, scratch, CTX_SLOT(SLOT_ADDR));
    b->p = e.p;
}

/* rdfsbase and wrfsbase become their GS forms; the guest's GS base is a field of the context. */
void lower_fsbase(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    u8 op = in->bytes[in->modrm_off] >> 3 & 7;
    u8 rex = in->rex_off == 0xff ? 0 : in->bytes[in->rex_off];
    enum gpr r = (in->bytes[in->modrm_off] & 7) | (rex & 1) << 3;
    bool wide = rex & 8;
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
    if (op == 3 && !wide) {
        lower_wrgsbase_narrow(b, in, r);
        return;
    }
    if (op == 0 || op == 2) {
        emit_bytes(&e, in->bytes, in->len);
        e.p[in->modrm_off - in->len] |= 0x08;
    } else {
        emit_ctx_mov(&e, op == 1 ? 0x8b : 0x89, wide, r, CTX(gs_base));
    }
    b->p = e.p;
}
