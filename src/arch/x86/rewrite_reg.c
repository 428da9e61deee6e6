/* SPDX-License-Identifier: Apache-2.0
 * A general register in place of another, where the instruction reads it or where it writes it (INS_ChangeReg): the
 * instruction stays as it is and finds the other value in its own register, which gets back afterwards what it had. See
 * rewrite.h. */
#include "opt/objects.h"
#include "arch/x86/regs.h"
#include "arch/x86/rewrite.h"
#include "os/thread.h"

static int gpr_of(u16 reg, unsigned *bytes)
{
    unsigned at;
    int r = regs_gpr_number(reg, &at, bytes);
    return r >= 0 && at == 0 && r != RSP ? r : -1;
}

static bool is_among(u16 reg, const u16 *list, u32 n)
{
    for (u32 i = 0; i < n; i++)
        if (list[i] == reg)
            return true;
    return false;
}

/* Is the register written as a whole, or not at all? Otherwise a part of the value that is read in its place would stay
 * in it. */
static bool written_alike(const struct ins_facts *f, int r, unsigned bytes)
{
    unsigned at, n;
    for (u32 i = 0; i < f->nwritten; i++)
        if (regs_gpr_number(f->written_reg[i], &at, &n) == r && n != bytes && n < 4)
            return false;
    return true;
}

bool arch_allows_reg(struct ins *i, u16 old, u16 new, bool as_read)
{
    struct insn in;
    const struct ins_facts *f = facts_of(i);
    unsigned bytes = 0, other = 0;
    int r = gpr_of(old, &bytes);
    bool tool = arch_tool_register(new, &other) >= 0;
    if (cpu_guest32 || r < 0 || (!tool && gpr_of(new, &other) < 0) || bytes != other)
        return false;
    if (!decode_insn(&in, i->pc, i->bytes, i->len) || in.cls != INSN_PLAIN || in.ends_trace || insn_repeats(&in) ||
        in.seg == 0x65 || (in.seg && in.rip_relative))
        return false;
    if (!as_read)
        return is_among(old, f->written_reg, f->nwritten);
    return is_among(old, f->read_reg, f->nread) && written_alike(f, r, bytes);
}

/* mov of 1, 2, 4 or 8 bytes; 4 clear the rest. */
static void move_part(struct emit *e, enum gpr to, enum gpr from, unsigned bytes)
{
    if (bytes == 2)
        emit_u8(e, 0x66);
    EMIT(e, (u8)((bytes == 8 ? 0x48 : 0x40) | (from >> 3) << 2 | to >> 3), bytes == 1 ? 0x88 : 0x89);
    emit_u8(e, (u8)(0xc0 | (from & 7) << 3 | (to & 7)));
}

/* The value to be read goes into the register that the instruction names. */
static void take(struct rewrite *w, u16 old, u16 new)
{
    unsigned bytes, n;
    int to = gpr_of(old, &bytes), tool = arch_tool_register(new, &n);
    if (tool >= 0) {
        emit_load_ctx(&w->e, (enum gpr)to, TOOL_REG(tool));
        if (bytes == 4)
            move_part(&w->e, (enum gpr)to, (enum gpr)to, 4);
        return;
    }
    move_part(&w->e, (enum gpr)to, (enum gpr)gpr_of(new, &n), bytes);
}

/* What the instruction has written there goes to the other register. */
static void give(struct rewrite *w, u16 old, u16 new)
{
    unsigned bytes, n;
    int from = gpr_of(old, &bytes), tool = arch_tool_register(new, &n);
    if (tool >= 0)
        emit_store_ctx(&w->e, TOOL_REG(tool), (enum gpr)from);
    else
        move_part(&w->e, (enum gpr)gpr_of(new, &n), (enum gpr)from, bytes);
}

static u16 bit(u16 reg)
{
    unsigned bytes;
    int r = gpr_of(reg, &bytes);
    return reg && r >= 0 ? (u16)(1u << r) : 0;
}

static u16 written_bits(const struct ins_facts *f)
{
    u16 m = 0;
    for (u32 i = 0; i < f->nwritten; i++)
        m |= bit(f->written_reg[i]);
    return m;
}

bool rewrite_reg(struct rewrite *w)
{
    const struct ins_change *c = w->ins->change;
    u16 save = bit(c->read.old) | bit(c->written.old);
    if (!save)
        return false;
    w->used |= save | bit(c->read.new) | bit(c->written.new);
    enum gpr base = w->in->rip_relative ? rewrite_pick(w, w->in->vex == 2 || w->in->high_byte) : GPR_COUNT;
    rewrite_begin(w, save | (u16)(base == GPR_COUNT ? 0 : 1u << base));
    if (c->read.old)
        take(w, c->read.old, c->read.new);
    rewrite_emit_same(w, base);
    rewrite_commit(w);
    if (c->written.old)
        give(w, c->written.old, c->written.new);
    /* Registers that the instruction has written keep their values, except where the value was to go to another
     * register. */
    rewrite_end(w, (u16)((written_bits(w->f) & ~bit(c->written.old)) | bit(c->written.new)));
    return true;
}
