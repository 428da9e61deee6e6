/* SPDX-License-Identifier: Apache-2.0
 * Jumps that a tool inserts (INS_InsertDirectJump, INS_InsertIndirectJump). Once they are reached the guest is at their
 * target, whatever comes. Under jit_lock. */
#include "opt/objects.h"
#include "arch/x86/lower.h"
#include "arch/x86/regs.h"
#include "os/thread.h"

static void lower_jump_indirect(struct pass *b, const struct insn *in, u16 reg)
{
    unsigned at, bytes;
    int tool = arch_tool_register(reg, &bytes), r = regs_gpr_number(reg, &at, &bytes);
    u16 source = (u16)(tool >= 0 ? tool | MAP_JUMP_TOOL : r);
    struct emit e = {b->p};
    pass_state(b, e.p, HOW_JUMP, in->pc, source);
    emit_ib_save(&e, RCX);
    emit_ib_save(&e, RAX);
    pass_state(b, e.p, HOW_JUMP, in->pc, source | MAP_JUMP_SLOTS);
    if (tool >= 0)
        emit_load_ctx(&e, RCX, TOOL_REG(tool));
    else if (r != RCX)
        emit_move(&e, RCX, (enum gpr)r);
    b->p = e.p;
    lower_indirect_end(b, in);
}

void arch_lower_jump(struct pass *b, const struct insn *in, const struct ins_jump *j)
{
    if (j->indirect) {
        lower_jump_indirect(b, in, j->reg);
        return;
    }
    pass_map(b, b->p, MAP_TARGET, in->pc, (u16)b->nexits);
    lower_exit_jmp(b, j->target, EXIT_KIND_BRANCH);
}
