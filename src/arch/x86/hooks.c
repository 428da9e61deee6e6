/* SPDX-License-Identifier: Apache-2.0
 * Code for hooks (opt/hooks.h): exits before an instruction, from which the VM may come back. Under jit_lock. */
#include "opt/hooks.h"

#include "arch/x86/lower.h"
#include "opt/hold.h"
#include "os/thread.h"

#define SLOT_RCX 0

static void exit_here(struct pass *b, const struct insn *in, enum exit_kind kind)
{
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
    lower_exit_jmp(b, in->pc, kind);
}

/* An exit that is taken only while a guest function called from host code has not returned, or in a section that was
 * interrupted. Flags are left alone. */
static void exit_if(struct pass *b, const struct insn *in, bool section)
{
    struct emit e = {b->p};
    pass_map(b, e.p, MAP_GUEST, in->pc, 0);
    emit_store_ctx(&e, CTX_SLOT(SLOT_RCX), RCX);
    pass_state(b, e.p, HOW_SPILL, in->pc, RCX << 4 | SLOT_RCX);
    emit_load_ctx(&e, RCX, section ? ctx_disp(offsetof(struct thread, os.section_word)) : CTX(calls));
    if (section)
        EMIT(&e, 0x48, 0x8b, 0x09, 0xe3, 2); /* mov (%rcx),%rcx; jrcxz to the exit, over a jmp */
    emit_u8(&e, section ? 0xeb : 0xe3); /* jmp or jrcxz */
    u8 *none = e.p;
    emit_u8(&e, 0);
    emit_load_ctx(&e, RCX, CTX_SLOT(SLOT_RCX));
    b->p = e.p;
    exit_here(b, in, section ? EXIT_KIND_STEP : EXIT_KIND_RETURN);
    e.p = b->p;
    *none = (u8)(e.p - (none + 1));
    pass_state(b, e.p, HOW_SPILL, in->pc, RCX << 4 | SLOT_RCX);
    emit_load_ctx(&e, RCX, CTX_SLOT(SLOT_RCX));
    pass_map(b, e.p, MAP_GUEST, in->pc, 0);
    b->exit[b->nexits - 1].resume = section ? NULL : e.p;
    b->p = e.p;
}

void arch_lower_hooks(struct pass *b, const struct insn *in, u32 kinds)
{
    hold_sync(b, in->pc, (u32)(in - b->insn));
    if (kinds & HOOK_RETURN)
        exit_if(b, in, false);
    if (kinds & HOOK_SECTION)
        exit_if(b, in, true);
    if (kinds & HOOK_BREAK) {
        exit_here(b, in, EXIT_KIND_BREAK);
        b->exit[b->nexits - 1].resume = b->p;
    }
    if (kinds & HOOK_REPLACE) {
        exit_here(b, in, EXIT_KIND_REPLACE);
        b->exit[b->nexits - 1].resume = b->p;
    }
}
