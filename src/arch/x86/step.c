/* SPDX-License-Identifier: Apache-2.0
 * The engine's own single steps: a guest instruction whose analysis calls a signal interrupted is completed with the
 * trap flag on (dispatch.c), which the guest must not see. On the guest thread, in host code. */
#include "arch/arch.h"
#include "arch/x86/decode.h"
#include "opt/pass.h"
#include "opt/events.h"
#include "os/os.h"
#include "os/thread.h"

#define FLAG_TF 0x100ul
#define OPCODE_MOV_SEGMENT 0x8e
#define SEGMENT_SS 2
#define OPCODE_PUSHF 0x9c
#define OPCODE_POPF 0x9d

static bool fetch(struct insn *in, u64 pc)
{
    u8 bytes[15];
    size_t n = code_fetch(bytes, pc, sizeof bytes);
    return decode_insn(in, pc, bytes, n);
}

/* popf that turns the guest's own stepping on */
static bool pops_step(const struct cpu_state *c)
{
    u16 low = 0;
    return os_safe_copy(&low, (void *)c->gpr[RSP], sizeof low) == sizeof low && (low & FLAG_TF);
}

static bool can_step(const struct cpu_state *c)
{
    struct insn in;
    if (!fetch(&in, c->pc))
        return false;
    u8 op = insn_first_opcode(&in);
    if (op == OPCODE_POPF)
        return !pops_step(c);
    return in.cls != INSN_SYSCALL && !arch_insn_is(&in, NATURE_TRAPS);
}

bool arch_step_begin(struct cpu_state *c, bool any)
{
    if (c->flags & FLAG_TF || (!any && !can_step(c)))
        return false;
    c->flags |= FLAG_TF;
    return true;
}

void arch_step_stop(struct cpu_state *c) { c->flags &= ~FLAG_TF; }

/* Decodes the instruction at pc without gmap and without calling the tool: for a signal handler that has interrupted
 * the cache. */
static bool look(struct insn *in, u64 pc)
{
    u8 bytes[15];
    return decode_insn(in, pc, bytes, os_safe_copy(bytes, (void *)pc, sizeof bytes));
}

u64 arch_step_count(const struct cpu_state *c)
{
    struct insn in;
    bool again = look(&in, c->pc) && (insn_repeats(&in) || (in.cls == INSN_LOOP && in.target == in.pc));
    return again ? c->gpr[RCX] : 0;
}

bool arch_step_shadow(u64 pc, u64 next)
{
    struct insn in;
    if (!look(&in, pc) || pc + in.len != next)
        return false;
    return in.cls == INSN_SYSCALL ||
           (insn_first_opcode(&in) == OPCODE_MOV_SEGMENT && (in.bytes[in.modrm_off] >> 3 & 7) == SEGMENT_SS);
}

u64 context_step_flag(void) { return vm_tc.os.completing ? FLAG_TF : 0; }

void arch_step_end(struct cpu_state *c, u64 pc)
{
    struct insn in;
    u8 high;
    u64 at = c->gpr[RSP] + 1; /* the flag is in the second byte, of 2 or 8 */
    if (!fetch(&in, pc) || insn_first_opcode(&in) != OPCODE_PUSHF)
        return;
    if (os_safe_copy(&high, (void *)at, 1) != 1)
        return; /* another thread has taken the stack away since: nobody sees it */
    high &= (u8)~(FLAG_TF >> 8);
    os_safe_copy((void *)at, &high, 1);
}
