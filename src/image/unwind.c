/* SPDX-License-Identifier: Apache-2.0
 * See unwind.h. The tables are read by libdw, the expressions of their rules are evaluated here. Under image_lock. */
#include "image/unwind.h"

#include "arch/arch.h"
#include "image/image.h"
#include "os/os.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#define STACK 32

struct eval {
    const struct unwind *u;
    u64 cfa;
    u64 stack[STACK];
    u32 depth;
    bool bad;
};

static void push(struct eval *e, u64 v)
{
    if (e->depth == STACK)
        e->bad = true;
    else
        e->stack[e->depth++] = v;
}

static u64 pop(struct eval *e)
{
    if (e->depth)
        return e->stack[--e->depth];
    e->bad = true;
    return 0;
}

/* Bytes of an address. */
static u32 word_bytes(void) { return arch_narrow ? 4 : 8; }

/* In a program with addresses of 32 bits sums wrap. */
static u64 address(u64 v) { return arch_narrow ? (u32)v : v; }

static u64 deref(struct eval *e, u64 at)
{
    u64 v = 0;
    if (os_safe_copy(&v, (void *)address(at), word_bytes()) != word_bytes())
        e->bad = true;
    return v;
}

static u64 reg_value(struct eval *e, u64 n)
{
    if (n <= e->u->pc)
        return e->u->reg[n];
    e->bad = true;
    return 0;
}

static bool binary(struct eval *e, u8 op)
{
    u64 b = pop(e), a = pop(e);
    switch (op) {
    case DW_OP_plus: push(e, a + b); return true;
    case DW_OP_minus: push(e, a - b); return true;
    case DW_OP_and: push(e, a & b); return true;
    case DW_OP_or: push(e, a | b); return true;
    case DW_OP_mul: push(e, a * b); return true;
    case DW_OP_shl: push(e, b < 64 ? a << b : 0); return true;
    case DW_OP_shr: push(e, b < 64 ? a >> b : 0); return true;
    case DW_OP_eq: push(e, a == b); return true;
    case DW_OP_ne: push(e, a != b); return true;
    case DW_OP_ge: push(e, (s64)a >= (s64)b); return true;
    case DW_OP_gt: push(e, (s64)a > (s64)b); return true;
    case DW_OP_le: push(e, (s64)a <= (s64)b); return true;
    case DW_OP_lt: push(e, (s64)a < (s64)b); return true;
    }
    return false;
}

static void one(struct eval *e, const Dwarf_Op *o)
{
    u8 op = o->atom;
    if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
        push(e, (u64)(op - DW_OP_lit0));
    else if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
        push(e, reg_value(e, (u64)(op - DW_OP_breg0)) + o->number);
    else if (op == DW_OP_bregx)
        push(e, reg_value(e, o->number) + o->number2);
    else if (op == DW_OP_call_frame_cfa)
        push(e, e->cfa);
    else if (op == DW_OP_plus_uconst)
        push(e, pop(e) + o->number);
    else if (op == DW_OP_deref)
        push(e, deref(e, pop(e)));
    else if (op >= DW_OP_const1u && op <= DW_OP_consts)
        push(e, o->number);
    else if (op == DW_OP_dup && e->depth)
        push(e, e->stack[e->depth - 1]);
    else if (!binary(e, op))
        e->bad = true;
}

/* *is_value: the result is the value itself, not its address. */
static u64 evaluate(struct eval *e, const Dwarf_Op *ops, size_t n, bool *is_value)
{
    e->depth = 0;
    *is_value = false;
    for (size_t i = 0; i < n && !e->bad; i++) {
        if (ops[i].atom == DW_OP_stack_value)
            *is_value = true;
        else
            one(e, &ops[i]);
    }
    return pop(e);
}

static bool apply(struct unwind *u, Dwarf_Frame *frame)
{
    struct eval e = {.u = u};
    struct unwind next = *u;
    Dwarf_Op *ops, room[3];
    size_t n;
    bool is_value;
    if (dwarf_frame_cfa(frame, &ops, &n) || !n)
        return false;
    e.cfa = address(evaluate(&e, ops, n, &is_value));
    for (u32 r = 0; r <= u->pc && !e.bad; r++) {
        if (dwarf_frame_register(frame, (int)r, room, &ops, &n))
            return false;
        if (n == 0) { /* by its rule it is not saved: it has the same value, or is not known any more */
            if (r == u->pc && ops == room)
                return false; /* the outermost function says so */
            continue;
        }
        u64 v = evaluate(&e, ops, n, &is_value);
        next.reg[r] = is_value ? address(v) : deref(&e, v);
    }
    if (e.bad)
        return false;
    next.reg[u->sp] = e.cfa;
    *u = next;
    return true;
}

/* Steps by the frame pointer, as code without tables may keep it. */
static bool by_frame_pointer(struct unwind *u)
{
    u64 fp = u->reg[u->fp], outer = 0, back = 0, word = word_bytes();
    if (fp < u->reg[u->sp] || fp & (word - 1) || os_safe_copy(&outer, (void *)fp, word) != word ||
        os_safe_copy(&back, (void *)(fp + word), word) != word)
        return false;
    u->reg[u->sp] = fp + 2 * word;
    u->reg[u->fp] = outer;
    u->reg[u->pc] = back;
    u->called = true;
    return back != 0;
}

void unwind_free(struct Dwarf_CFI_s *cfi) { dwarf_cfi_end(cfi); }

bool unwind_step(struct unwind *u)
{
    u64 pc = u->reg[u->pc] - u->called;
    const struct image *im = image_find(pc);
    if (im && !im->file->cfi)
        im->file->cfi = dwarf_getcfi_elf(im->file->elf);
    Dwarf_Frame *frame = NULL;
    if (!im || !im->file->cfi || dwarf_cfi_addrframe(im->file->cfi, pc - im->bias, &frame))
        return by_frame_pointer(u);
    bool in_signal = false;
    Dwarf_Addr start, end;
    dwarf_frame_info(frame, &start, &end, &in_signal);
    bool ok = apply(u, frame);
    free(frame);
    u->called = !in_signal;
    return ok && u->reg[u->pc] != 0;
}
