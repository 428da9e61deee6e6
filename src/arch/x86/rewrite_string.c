/* SPDX-License-Identifier: Apache-2.0
 * Rewritten operands of string instructions (one iteration of a REP, see repeat.c): rsi and rdi hold the tool's
 * addresses for the time of the instruction; what it adds to them is then added to the guest's values. See
 * rewrite.h. */
#include "arch/x86/rewrite.h"

#include "arch/x86/regs.h"
#include "os/thread.h"
#include "xed-category-enum.h"

struct pointer {
    enum gpr reg;
    int operand;   /* number of the memory operand, -1: none */
    s32 slot;      /* its address */
    bool moved;    /* the register does not hold the guest's value */
};

static int operand_through(const struct ins_facts *f, enum gpr r)
{
    unsigned at, bytes;
    for (int i = 0; i < f->nmem; i++)
        if (regs_gpr_number(f->op[f->mem[i]].base, &at, &bytes) == (int)r)
            return i;
    return -1;
}

/* Makes all addresses first, because the tool may have them in rsi or rdi. */
static void load_pointers(struct rewrite *w, struct pointer *p, enum gpr temp, enum gpr scratch)
{
    for (int i = 0; i < 2; i++)
        if (p[i].moved) {
            rewrite_load_any_address(w, temp, p[i].operand, scratch);
            emit_store_ctx(&w->e, p[i].slot, temp);
        }
    for (int i = 0; i < 2; i++)
        if (p[i].moved)
            emit_load_ctx(&w->e, p[i].reg, p[i].slot);
}

/* lea (%r,%temp),%r, with temp in r8 to r15 */
static void add(struct emit *e, enum gpr r, enum gpr temp, bool narrow)
{
    EMIT(e, narrow ? 0x42 : 0x4a, 0x8d, (u8)(0x04 | r << 3), (u8)((temp & 7) << 3 | r));
}

static void complement(struct emit *e, enum gpr r)
{
    EMIT(e, 0x48, 0xf7, (u8)(0xd0 | r));
}

/* r = guest's value + (r - address), without flags */
static void move_back(struct rewrite *w, const struct pointer *p, enum gpr temp)
{
    complement(&w->e, p->reg);
    emit_load_ctx(&w->e, temp, p->slot);
    add(&w->e, p->reg, temp, false);
    complement(&w->e, p->reg);
    emit_load_ctx(&w->e, temp, rewrite_slot(w, p->reg));
    add(&w->e, p->reg, temp, w->in->addr32);
}

/* The instruction without REP and address size, and without the segment where that was the rewritten operand's. */
static void emit_string(struct rewrite *w, bool source_rewritten)
{
    const struct insn *in = w->in;
    for (u8 i = 0; i < in->prefixes; i++) {
        u8 p = in->bytes[i];
        if (p == 0x66)
            emit_u8(&w->e, p);
        else if (p == 0x64 && in->seg == 0x64 && !source_rewritten)
            emit_u8(&w->e, 0x65);
    }
    emit_bytes(&w->e, in->bytes + in->prefixes, (size_t)(in->len - in->prefixes));
}

bool rewrite_string(struct rewrite *w)
{
    const struct ins_facts *f = w->f;
    if (f->category != XED_CATEGORY_STRINGOP && f->category != XED_CATEGORY_IOSTRINGOP)
        return false;
    struct pointer p[2] = {{RSI, operand_through(f, RSI), CTX_SLOT(REWRITE_SLOT_SOURCE), false},
        {RDI, operand_through(f, RDI), CTX_SLOT(REWRITE_SLOT_DESTINATION), false}};
    enum gpr temp = rewrite_pick(w, false), scratch = rewrite_pick(w, false);
    u16 borrowed = (u16)(1u << temp | 1u << scratch), save = borrowed;
    ASSERT(temp >= R8);
    for (int i = 0; i < 2; i++) {
        p[i].moved = p[i].operand >= 0 && (rewrite_has(w, p[i].operand) || w->in->addr32 || w->in->seg == 0x65);
        save |= (u16)(p[i].moved ? 1u << p[i].reg : 0);
    }
    rewrite_begin(w, save);
    load_pointers(w, p, temp, scratch);
    emit_string(w, rewrite_has(w, p[0].operand));
    rewrite_commit(w);
    for (int i = 0; i < 2; i++)
        if (p[i].moved)
            move_back(w, &p[i], temp);
    rewrite_end(w, save & (u16)~borrowed);
    return true;
}
