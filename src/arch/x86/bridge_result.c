/* SPDX-License-Identifier: Apache-2.0
 * What an analysis routine gives back: IARG_RETURN_REGS. Runs when a trace is lowered; the guest's registers are in the
 * context. */
#include "arch/x86/bridge.h"

#include "opt/objects.h"
#include "arch/x86/regs.h"
#include "os/thread.h"

/* mov %eax, %ax or %al to the context: the part of a register that has so many bytes. */
static void store_part(struct emit *e, s32 disp, unsigned bytes)
{
    if (bytes == 8) {
        emit_store_ctx(e, disp, RAX);
        return;
    }
    emit_u8(e, 0x64);
    if (bytes == 2)
        emit_u8(e, 0x66);
    EMIT(e, bytes == 1 ? 0x88 : 0x89, 0x04, 0x25);
    emit_u32(e, (u32)disp);
}

static void truncate_rax(struct emit *e)
{
    EMIT(e, 0x89, 0xc0); /* mov %eax,%eax */
}

/* Stores the result as the hardware would: 32 bits clear the upper half, 16 and 8 leave the other bits. */
void bridge_store_result(struct bridge *g, const struct call *c)
{
    unsigned at = 0, bytes = 0;
    int tool = arch_tool_register(c->return_reg, &bytes),
        r = tool < 0 ? regs_gpr_number(c->return_reg, &at, &bytes) : -1;
    if (bytes == 4 && (tool >= 0 || r >= 0)) {
        truncate_rax(&g->e);
        bytes = 8;
    }
    if (tool >= 0)
        emit_store_ctx(&g->e, TOOL_REG(tool), RAX);
    else if (r >= 0)
        store_part(&g->e, BRIDGE_GPR(r) + (s32)at, bytes);
    else if (regs_is_flags(c->return_reg))
        emit_store_ctx(&g->e, CTX(bridge.flags), RAX);
    else
        bridge_temp_result(g, c);
}

#define MXCSR_OFFSET 24 /* in the xsave image */

/* ldmxcsr or stmxcsr of the context */
static void mxcsr_op(struct emit *e, u8 modrm)
{
    EMIT(e, 0x64, 0x0f, 0xae, modrm, 0x25);
    emit_u32(e, (u32)(CTX(bridge.xsave) + MXCSR_OFFSET));
}

void bridge_expose_mxcsr(struct bridge *g, bool enter)
{
    /* push $0x1f80; ldmxcsr (%rsp); lea 8(%rsp),%rsp */
    mxcsr_op(&g->e, enter ? 0x14 : 0x1c);
    if (!enter)
        EMIT(&g->e, 0x68, 0x80, 0x1f, 0, 0, 0x0f, 0xae, 0x14, 0x24, 0x48, 0x8d, 0x64, 0x24, 0x08);
}
