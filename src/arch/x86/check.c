/* SPDX-License-Identifier: Apache-2.0
 * See check.h. The source of a trace is compared with what was translated, when the trace is entered, without touching
 * flags. Where a change of the constant of an instruction was all that made earlier traces stale, the constant is no
 * part of the comparison: it is read from the program's code each time (b->varying). The guest may have alignment
 * checks on, so all accesses are aligned. Under jit_lock. */
#include "arch/x86/check.h"

#include "arch/x86/lower.h"

#include <string.h>

/* Instructions with a constant that may be read when the trace is entered: the last bytes of the instruction. */
enum use {
    USE_NONE,
    USE_MOVE,   /* mov $constant, %register of as many bytes */
    USE_OPERAND, /* extended to 8 bytes: `op` does the same with an operand in memory */
    USE_PUSH,
    USE_BRANCH, /* jmp and call */
};

struct constant {
    u8 use, bytes;
    u8 op, reg; /* USE_OPERAND: opcode of the form with memory, and its register */
};

static u32 rex_bits(const struct insn *in) { return in->rex_off == 0xff ? 0 : in->bytes[in->rex_off] & 0xfu; }

/* add, or, adc, sbb, and, sub, xor, cmp: opcode with memory as the second operand, by their number */
static u8 arithmetic(u32 n) { return (u8)(n << 3 | 3); }

/* Those that have ModRM, with a register as operand. */
static struct constant constant_with_modrm(const struct insn *in, u8 op)
{
    u32 modrm = in->bytes[in->modrm_off], n = modrm >> 3 & 7;
    u8 reg = (u8)((modrm & 7) | (rex_bits(in) & 1) << 3);
    if (modrm < 0xc0)
        return (struct constant){0};
    switch (op) {
    case 0x81: return (struct constant){USE_OPERAND, 4, arithmetic(n), reg};
    case 0x83: return (struct constant){USE_OPERAND, 1, arithmetic(n), reg};
    case 0xc7: return (struct constant){n ? USE_NONE : USE_OPERAND, 4, 0x8b, reg}; /* mov */
    case 0xf7: return (struct constant){n ? USE_NONE : USE_OPERAND, 4, 0x85, reg}; /* test */
    default: return (struct constant){0};
    }
}

static struct constant constant_of(const struct insn *in)
{
    u8 op = insn_first_opcode(in);
    if (in->prefixes || in->vex)
        return (struct constant){0};
    if (in->cls == INSN_JMP || in->cls == INSN_CALL)
        return (struct constant){USE_BRANCH, op == 0xeb ? 1 : 4, 0, 0};
    if (in->cls != INSN_PLAIN)
        return (struct constant){0};
    if (in->modrm_off != 0xff)
        return constant_with_modrm(in, op);
    if ((op & 0xf8) == 0xb8)
        return (struct constant){USE_MOVE, (u8)(in->len - in->op_off - 1), 0, (u8)((op & 7) | (rex_bits(in) & 1) << 3)};
    if ((op & 0xc7) == 0x05)
        return (struct constant){USE_OPERAND, 4, arithmetic(op >> 3), RAX};
    if (op == 0xa9)
        return (struct constant){USE_OPERAND, 4, 0x85, RAX}; /* test */
    return (struct constant){op == 0x68 ? USE_PUSH : USE_NONE, 4, 0, 0};
}

/* All that varies must be in such constants. */
static void plan_constants(struct pass *b)
{
    u64 left = b->varying;
    b->arch.nconstants = 0;
    if (b->guest_bytes > 64 || cpu_guest32)
        return;
    for (u32 i = 0; left && i < b->ninsns && b->arch.nconstants < CPU_CONSTANTS; i++) {
        const struct insn *in = &b->insn[i];
        struct constant c = constant_of(in);
        u32 at = (u32)(in->pc - b->pc) + in->len - c.bytes;
        u64 mask = c.use ? ((1ul << c.bytes) - 1) << at : 0;
        if (!(left & mask))
            continue;
        b->arch.constant[b->arch.nconstants++] = (struct varying_constant){(u16)at, c.bytes, c.use != USE_MOVE};
        left &= ~mask;
    }
    if (left)
        b->arch.nconstants = 0;
}

static s32 constant_disp(u32 i) { return ctx_disp(offsetof(struct cpu_state, constant) + i * sizeof(u64)); }

/* mov at, %rax or a part of it */
static void load_piece(struct emit *e, u64 at, unsigned bytes)
{
    if (bytes == 8)
        emit_u8(e, 0x48);
    if (bytes == 2)
        emit_u8(e, 0x66);
    emit_u8(e, bytes == 1 ? 0xa0 : 0xa1);
    emit_u64(e, at);
}

/* One piece of the comparison: rax = source bytes, rcx = their difference to what was translated. */
static void check_piece(struct emit *e, u64 at, const u8 *source, unsigned bytes, u8 **stale, u32 *nstale)
{
    u64 want = 0;
    memcpy(&want, source, bytes);
    if (bytes < 4) {
        emit_u8(e, 0xb8);
        emit_u32(e, 0);
    }
    load_piece(e, at, bytes);
    EMIT(e, 0x48, 0xb9);
    emit_u64(e, -want);
    EMIT(e, 0x48, 0x8d, 0x0c, 0x08, 0xe3, 5, 0xe9);
    stale[(*nstale)++] = e->p;
    emit_u32(e, 0);
}

/* mov between rax, or a part of it, and the context; op: that of bytes */
static void ctx_piece(struct emit *e, u8 op, s32 disp, unsigned bytes)
{
    emit_u8(e, 0x64);
    if (bytes == 2)
        emit_u8(e, 0x66);
    if (bytes == 8)
        emit_u8(e, 0x48);
    EMIT(e, bytes == 1 ? op : op + 1, 0x04, 0x25);
    emit_u32(e, (u32)disp);
}

/* The longest piece that is aligned in both places. */
static unsigned piece_bytes(u64 at, u64 to, u32 left)
{
    unsigned n = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
    while ((at | to) & (n - 1))
        n /= 2;
    return n;
}

enum { MOV_TO_MEMORY = 0x88, MOV_FROM_MEMORY = 0x8a };

/* The constant goes to the context. One that is not aligned: by the aligned words that it is in, each read at once,
 * because another thread may change it; from there in pieces. */
static void copy_constant(struct emit *e, u64 at, s32 to, u32 bytes)
{
    u64 word = at & ~7ul;
    if (!(at & (bytes - 1))) {
        load_piece(e, at, bytes);
        ctx_piece(e, MOV_TO_MEMORY, to, bytes);
        return;
    }
    for (u32 i = 0; word + i * 8 < at + bytes; i++) {
        load_piece(e, word + i * 8, 8);
        ctx_piece(e, MOV_TO_MEMORY, CTX_SLOT(2 + i), 8);
    }
    for (u32 n, done = 0; done < bytes; done += n) {
        n = piece_bytes(at + done, done, bytes - done);
        ctx_piece(e, MOV_FROM_MEMORY, CTX_SLOT(2) + (s32)((at & 7) + done), n);
        ctx_piece(e, MOV_TO_MEMORY, to + (s32)done, n);
    }
}

/* The constant in the context becomes one of 8 bytes. */
static void extend_constant(struct emit *e, s32 at, u32 bytes)
{
    if (bytes == 4)
        EMIT(e, 0x64, 0x48, 0x63, 0x04, 0x25); /* movslq at,%rax */
    else
        EMIT(e, 0x64, 0x48, 0x0f, 0xbe, 0x04, 0x25); /* movsbq at,%rax */
    emit_u32(e, (u32)at);
    emit_store_ctx(e, at, RAX);
}

/* Constants that vary are copied, all else is compared. */
static u32 emit_pieces(struct pass *b, struct emit *e, u8 **stale)
{
    u32 nstale = 0, done = 0, next = 0;
    while (done < b->guest_bytes) {
        const struct varying_constant *c = next < b->arch.nconstants ? &b->arch.constant[next] : NULL;
        if (c && c->off == done) {
            copy_constant(e, b->pc + done, constant_disp(next), c->bytes);
            if (c->extended)
                extend_constant(e, constant_disp(next), c->bytes);
            next++;
            done += c->bytes;
            continue;
        }
        unsigned n = piece_bytes(b->pc + done, 0, (c ? c->off : b->guest_bytes) - done);
        check_piece(e, b->pc + done, b->source + done, n, stale, &nstale);
        done += n;
    }
    return nstale;
}

void check_lower(struct pass *b)
{
    b->arch.nconstants = 0;
    if (LIKELY(!b->checked))
        return;
    struct emit e = {b->p};
    u8 *stale[512];
    plan_constants(b);
    pass_map(b, b->p, MAP_GUEST, b->pc, 0);
    emit_store_ctx(&e, CTX_SLOT(0), RCX);
    emit_store_ctx(&e, CTX_SLOT(1), RAX);
    pass_state(b, e.p, HOW_CHECK, b->pc, 0);
    u32 nstale = emit_pieces(b, &e, stale);
    emit_load_ctx(&e, RCX, CTX_SLOT(0));
    emit_load_ctx(&e, RAX, CTX_SLOT(1));
    emit_u8(&e, 0xeb);
    u8 *over = e.p;
    emit_u8(&e, 0);
    for (u32 i = 0; i < nstale; i++) {
        u32 rel = (u32)(e.p - (stale[i] + 4));
        memcpy(stale[i], &rel, 4);
    }
    emit_load_ctx(&e, RCX, CTX_SLOT(0));
    emit_load_ctx(&e, RAX, CTX_SLOT(1));
    b->p = e.p;
    lower_exit_jmp(b, b->pc, EXIT_KIND_STALE);
    *over = (u8)(b->p - (over + 1));
}

/* The number of the instruction's constant among those that vary; -1: it does not. */
static int varying_of(const struct pass *b, const struct insn *in, const struct constant *c)
{
    u32 off = (u32)(in->pc - b->pc) + in->len - c->bytes;
    for (u32 i = 0; c->use && i < b->arch.nconstants; i++)
        if (b->arch.constant[i].off == off)
            return (int)i;
    return -1;
}

/* op %fs:at, %reg, with 4 or 8 bytes as the instruction has it */
static void emit_operand(struct emit *e, const struct insn *in, const struct constant *c, s32 at)
{
    u8 rex = (u8)(0x40 | (rex_bits(in) & 8) | (c->reg >> 3) << 2);
    emit_u8(e, 0x64);
    if (rex != 0x40)
        emit_u8(e, rex);
    EMIT(e, c->op, (u8)(0x04 | (c->reg & 7) << 3), 0x25);
    emit_u32(e, (u32)at);
}

/* The branch goes where the constant says, as an indirect one. */
static void lower_varying_branch(struct pass *b, const struct insn *in, s32 at)
{
    gpc_t next = in->pc + in->len;
    lower_indirect_begin(b, in);
    struct emit e = {b->p};
    emit_load_ctx(&e, RCX, at);
    emit_const(&e, RAX, next);
    EMIT(&e, 0x48, 0x8d, 0x0c, 0x01); /* lea (%rcx,%rax),%rcx */
    b->p = e.p;
    if (in->cls == INSN_CALL)
        lower_push_constant(b, next);
    lower_indirect_end(b, in);
}

bool check_lower_constant(struct pass *b, const struct insn *in)
{
    if (LIKELY(!b->arch.nconstants))
        return false;
    struct constant c = constant_of(in);
    int i = varying_of(b, in, &c);
    if (i < 0)
        return false;
    if (c.use == USE_BRANCH) {
        lower_varying_branch(b, in, constant_disp((u32)i));
        return true;
    }
    struct emit e = {b->p};
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
    if (c.use == USE_MOVE) {
        arch_load_ctx(&e, c.reg, offsetof(struct cpu_state, constant) + (u32)i * sizeof(u64), c.bytes);
    } else if (c.use == USE_OPERAND) {
        emit_operand(&e, in, &c, constant_disp((u32)i));
    } else {
        EMIT(&e, 0x64, 0xff, 0x34, 0x25); /* push %fs:at */
        emit_u32(&e, (u32)constant_disp((u32)i));
    }
    b->p = e.p;
    return true;
}
