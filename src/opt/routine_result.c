/* SPDX-License-Identifier: Apache-2.0
 * Does an analysis routine return a byte? Routines of InsertIfCall should return a word, but many tools' return bool,
 * and then a compiler leaves in the upper part of the register what it likes. Found by following the routine along all
 * its branches: a byte is what comes out of a write of one byte over a register whose upper part was not zero. A
 * routine that returns a word never ends with that. What is not understood (calls, long routines) counts as a word. No
 * state but what routine.c keeps. */
#include "opt/routine.h"

struct state {
    reg_set zero; /* above the low byte there is nothing but zeros */
    reg_set byte; /* the low byte was written over something else */
};

struct flow {
    const struct form *form;
    struct point {
        struct state in;
        bool reached, todo;
    } at[FORM_MAX];
    bool returns_byte, more;
};

/* What is known before an operation on all ways to it. */
static void reach(struct flow *f, s16 i, struct state s)
{
    if (i == ROP_END)
        return;
    struct point *p = &f->at[i];
    struct state joined = p->reached ? (struct state){p->in.zero & s.zero, p->in.byte | s.byte} : s;
    if (p->reached && joined.zero == p->in.zero && joined.byte == p->in.byte)
        return;
    *p = (struct point){joined, true, true};
    f->more = true;
}

static bool zeroes(const struct rop *op)
{
    bool same = op->from == ROP_REGISTER && op->from_reg == op->to_reg;
    return op->kind == ROP_ZERO_EXTEND || (same && (op->kind == ROP_XOR || op->kind == ROP_SUB)) ||
           ((op->kind == ROP_MOVE || op->kind == ROP_AND) && op->from == ROP_CONSTANT && op->value <= 0xff);
}

/* Operations that work on bytes in wider registers as well. */
static bool carries_bytes(u8 kind)
{
    return kind == ROP_AND || kind == ROP_OR || kind == ROP_XOR || kind == ROP_NOT || kind == ROP_MOVE_IF;
}

static void write_register(struct state *s, const struct rop *op)
{
    reg_set bit = (reg_set)(1u << op->to_reg), from = (reg_set)(op->from == ROP_REGISTER ? 1u << op->from_reg : 0);
    struct state old = *s;
    bool byte = false, zero = false;
    if (op->width == 1) {
        if (!(old.zero & bit))
            s->byte |= bit;
        return;
    }
    if (zeroes(op)) {
        zero = true;
    } else if (op->kind == ROP_MOVE && from) {
        byte = old.byte & from;
        zero = old.zero & from;
    } else if (carries_bytes(op->kind)) {
        byte = (old.byte & bit) || (old.byte & from);
    }
    s->byte = (reg_set)(byte ? s->byte | bit : s->byte & ~bit);
    s->zero = (reg_set)(zero ? s->zero | bit : s->zero & ~bit);
}

static void step(struct flow *f, const struct rop *op, struct state s)
{
    reg_set others = op->writes;
    if (op->to == ROP_REGISTER && op->writes >> op->to_reg & 1) {
        others &= (reg_set) ~(1u << op->to_reg);
        write_register(&s, op);
    }
    s.byte &= (reg_set)~others;
    s.zero &= (reg_set)~others;
    if (op->kind == ROP_RETURN)
        f->returns_byte |= s.byte >> rop_registers.result & 1;
    if (op->kind == ROP_CALL)
        s = (struct state){0, 0};
    reach(f, op->next, s);
    reach(f, op->taken, s);
}

bool routine_returns_byte(const struct form *form)
{
    static struct flow f; /* too large for a stack */
    f = (struct flow){.form = form};
    reach(&f, 0, (struct state){0, 0});
    while (f.more) {
        f.more = false;
        for (u32 i = 0; i < form->n; i++)
            if (f.at[i].todo) {
                f.at[i].todo = false;
                step(&f, &form->op[i], f.at[i].in);
            }
    }
    return f.returns_byte && !form->cut;
}
