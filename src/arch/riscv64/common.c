/* SPDX-License-Identifier: Apache-2.0
 * The routines at the start of every region (E6): the way out and the indirect lookup; exit stubs, indirect entries and
 * links (E7, E8).
 *
 *   base .. forward_end     on the way to the VM: a signal there waits for the dispatcher
 *   ib_miss .. common_end   guest state recoverable (recover.c) */
#include "arch/riscv64/lower.h"

#include "base/options.h"
#include "os/thread.h"

void vm_exit(void);

#define STUB_BYTES 16

/* t0: the number of the exit, the guest's is in its slot. */
static void emit_forward(struct region *r, struct emit *e)
{
    r->exit_routine = e->p;
    emit_sd(e, T1, TP, CTX_SLOT(SLOT_T1));
    emit_jump_far(e, T1, (u64)vm_exit);
    r->ib_none = e->p; /* from the lookup: the guest's t0 and t1 are in their slots, its target is kept */
    emit_ld(e, T2, TP, CTX_SLOT(SLOT_T2));
    emit_ld(e, T3, TP, CTX_SLOT(SLOT_T3));
    emit_ld(e, T1, TP, CTX_SLOT(SLOT_T1));
    emit_const(e, T0, EXIT_INDIRECT);
    emit_jump(e, r->exit_routine);
    r->forward_end = e->p;
}

static void emit_branch(struct emit *e, u32 f3, u32 a, u32 b, const u8 *to)
{
    s64 off = to - e->p;
    ASSERT(fits_bits(off, 13));
    emit_word(e, enc_b(f3, a, b, (s32)off));
}

/* t1: the directory; t2: the offset of the first entry to look at; t3 is free. */
static void emit_hash(struct emit *e)
{
    emit_const(e, T1, (u64)&dir_current);
    emit_ld(e, T1, T1, 0);
    emit_const(e, T2, DIR_HASH_MULTIPLIER);
    emit_word(e, enc_r(OP_OP, 0, 1, T2, T2, T0)); /* mul */
    emit_word(e, enc_i(OP_IMM, 5, T2, T2, 28));   /* srli */
    emit_ld(e, T3, T1, offsetof(struct dir_table, offset_mask));
    emit_word(e, enc_r(OP_OP, 7, 0, T2, T2, T3)); /* and */
}

/* Counts one more branch of the kind of the last one; t1 is kept. */
static void count_directory(struct emit *e)
{
    emit_far_field(e, T0, offsetof(struct thread, vm.tally.kind));
    emit_ld(e, T0, T0, 0);
    emit_word(e, enc_i(OP_IMM, 1, T0, T0, 3)); /* slli */
    emit_far_field(e, T2, offsetof(struct thread, vm.tally.directory));
    emit_add(e, T2, T2, T0);
    emit_ld(e, T0, T2, 0);
    emit_addi(e, T0, T0, 1);
    emit_sd(e, T0, T2, 0);
}

/* The entry is found, at t1 + t2: it goes into the table. If the trace is being invalidated at this moment, the table
 * is cleared before or after that: so the directory is looked at again. */
static void emit_found(struct region *r, struct emit *e)
{
    emit_add(e, T2, T1, T2);
    emit_addi(e, T2, T2, offsetof(struct dir_table, entry) + offsetof(struct dir_entry, ib_entry));
    emit_ld(e, T1, T2, 0);
    emit_branch(e, BEQ, T1, ZERO, r->ib_none);
    emit_ibt_offset(e, T3, T0);
    emit_word(e, enc_u(OP_LUI, T0, (u32)(u64)ibt));
    emit_add(e, T3, T3, T0);
    emit_sd(e, T1, T3, 0);
    emit_word(e, 0x0330000fu); /* fence rw, rw */
    emit_ld(e, T0, T2, 0);
    u8 *same = e->p;
    emit_word(e, 0);
    emit_const(e, T1, (u64)r->ib_miss);
    emit_sd(e, T1, T3, 0);
    struct emit branch = {same};
    emit_branch(&branch, BEQ, T0, T1, e->p);
    if (UNLIKELY(options.stats))
        count_directory(e);
    emit_ld(e, T0, TP, CTX_SLOT(SLOT_TARGET));
    emit_ld(e, T2, TP, CTX_SLOT(SLOT_T2));
    emit_ld(e, T3, TP, CTX_SLOT(SLOT_T3));
    emit_jr(e, T1);
}

/* t0: target; the guest's t0 and t1 are in their slots. */
static void emit_ib_miss(struct region *r, struct emit *e)
{
    r->ib_miss = r->ib_mismatch = e->p;
    emit_sd(e, T0, TP, CTX_SLOT(SLOT_TARGET));
    emit_sd(e, T2, TP, CTX_SLOT(SLOT_T2));
    emit_sd(e, T3, TP, CTX_SLOT(SLOT_T3));
    r->ib_flags_saved = e->p;
    emit_hash(e);
    u8 *loop = e->p;
    emit_add(e, T3, T1, T2);
    emit_ld(e, T3, T3, offsetof(struct dir_table, entry) + offsetof(struct dir_entry, pc));
    u8 *found = e->p;
    emit_word(e, 0);
    emit_branch(e, BEQ, T3, ZERO, r->ib_none);
    emit_addi(e, T2, T2, sizeof(struct dir_entry));
    emit_ld(e, T3, T1, offsetof(struct dir_table, offset_mask));
    emit_word(e, enc_r(OP_OP, 7, 0, T2, T2, T3));
    emit_jump(e, loop);
    struct emit branch = {found};
    emit_branch(&branch, BEQ, T3, T0, e->p);
    emit_found(r, e);
}

void arch_emit_common(struct region *r)
{
    struct emit e = {r->base};
    emit_forward(r, &e);
    emit_ib_miss(r, &e);
    r->common_end = e.p;
    emit_done(r->base, e.p);
}

/* --- stubs, links and entries ------------------------------------------------------------------------------------- */

u8 *arch_stub_at(u8 *top, u32 i) { return top - (i + 1) * STUB_BYTES; }

void arch_emit_stubs(struct pass *b, u32 first_exit)
{
    u8 *top = b->data;
    for (u32 i = 0; i < b->nexits; i++) {
        struct emit e = {b->data = arch_stub_at(top, i)};
        u32 id = first_exit + i;
        emit_sd(&e, T0, TP, CTX_SLOT(SLOT_T0));
        emit_word(&e, enc_u(OP_LUI, T0, id + 0x800u));
        emit_word(&e, enc_i(OP_IMM_32, 0, T0, T0, (s32)(id << 20) >> 20));
        emit_jump(&e, b->region->exit_routine);
        arch_patch_branch(b->exit[i].patch, b->data);
    }
    emit_done(b->code, b->p);
    emit_done(b->data, top);
}

void arch_patch_branch(u8 *patch, const u8 *to)
{
    u32 first;
    memcpy(&first, to, sizeof first);
    s64 off = to - patch + (first == emit_body_word() ? 4 : 0);
    ASSERT(fits_bits(off, 21));
    __atomic_store_n((u32 *)patch, enc_j(ZERO, (s32)off), __ATOMIC_RELEASE);
    emit_done(patch, patch + 4);
}

bool arch_branch_reaches(const u8 *patch, const u8 *to)
{
    return fits_bits(to + 4 - patch, 21) && fits_bits(to - patch, 21);
}

/* To a body: 24 bytes. */
void arch_emit_far_jump(u8 *at, const u8 *to)
{
    struct emit e = {at};
    emit_sd(&e, T0, TP, CTX_SLOT(SLOT_T0));
    emit_jump_far(&e, T0, (u64)to);
    emit_done(at, e.p);
}

u8 *arch_emit_ib_entry(const struct region *r, u8 *p, u64 key, const u8 *body)
{
    struct emit e = {p};
    ASSERT(((u64)p & 7) == 0);
    emit_word(&e, enc_u(OP_AUIPC, T1, 0));
    emit_ld(&e, T1, T1, 16);
    emit_branch(&e, BEQ, T0, T1, p + 24);
    emit_jump(&e, r->ib_mismatch);
    memcpy(e.p, &key, sizeof key);
    e.p += sizeof key;
    emit_ld(&e, T1, TP, CTX_SLOT(SLOT_T1));
    if (body)
        emit_jump(&e, body);
    emit_done(p, e.p);
    return e.p;
}
