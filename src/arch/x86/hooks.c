/* SPDX-License-Identifier: Apache-2.0
 * Code for hooks (opt/hooks.h): exits before an instruction, from which the VM may come back. Under jit_lock. */
#include "opt/hooks.h"

#include "arch/x86/lower.h"
#include "opt/hold.h"

#define SLOT_RCX 0

static void exit_here(struct pass *b, const struct insn *in, enum exit_kind kind)
{
    struct emit e = {b->p};
    pass_map(b, e.p, MAP_GUEST, in->pc, 0);
    emit_align_patch(&e, 1);
    emit_u8(&e, 0xe9);
    pass_add_exit(b, in->pc, e.p, kind);
    emit_u32(&e, 0);
    b->p = e.p;
}

/* An exit that is taken only while a guest function called from host code has not returned. Flags are left alone. */
static void exit_if_called(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    pass_map(b, e.p, MAP_GUEST, in->pc, 0);
    emit_store_ctx(&e, CTX_SLOT(SLOT_RCX), RCX);
    pass_state(b, e.p, HOW_SPILL, in->pc, RCX << 4 | SLOT_RCX);
    emit_load_ctx(&e, RCX, CTX(calls));
    emit_u8(&e, 0xe3); /* jrcxz */
    u8 *none = e.p;
    emit_u8(&e, 0);
    emit_load_ctx(&e, RCX, CTX_SLOT(SLOT_RCX));
    b->p = e.p;
    exit_here(b, in, EXIT_KIND_RETURN);
    e.p = b->p;
    *none = (u8)(e.p - (none + 1));
    pass_state(b, e.p, HOW_SPILL, in->pc, RCX << 4 | SLOT_RCX);
    emit_load_ctx(&e, RCX, CTX_SLOT(SLOT_RCX));
    pass_map(b, e.p, MAP_GUEST, in->pc, 0);
    b->exit[b->nexits - 1].resume = b->p = e.p;
}

void arch_lower_hooks(struct pass *b, const struct insn *in, u32 kinds)
{
    hold_sync(b, in->pc, (u32)(in - b->insn));
    if (kinds & HOOK_RETURN)
        exit_if_called(b, in);
    if (kinds & HOOK_REPLACE) {
        exit_here(b, in, EXIT_KIND_REPLACE);
        b->exit[b->nexits - 1].resume = b->p;
    }
}
