/* SPDX-License-Identifier: Apache-2.0
 * What is asked of an instruction beside its effect: how it can be carried out, stepped over, repeated, and whether it
 * is the kernel's. No state; async-signal-safe. */
#include "arch/arch.h"
#include "arch/x86/lower.h"
#include "os/events.h"
#include "os/os.h"

#include "arch/x86/nature_table.h"

enum { OP_PUSHF = 0x9c, OP_POPF = 0x9d, OP_INT3 = 0xcc, OP_INT = 0xcd, OP_INT1 = 0xf1 };

bool lower_is_int80(const struct insn *in) { return in->len == 2 && in->bytes[0] == OP_INT && in->bytes[1] == 0x80; }

static bool needs_vm(const struct insn *in)
{
    return in->cls == INSN_SYSCALL || in->cls == INSN_EMULATE || in->cls == INSN_FPU_SAVE ||
           lower_is_int80(in);
}

static bool steps(const struct insn *in)
{
    bool known = in->cls == INSN_PLAIN || in->cls == INSN_JCC || in->cls == INSN_JMP || in->cls == INSN_CALL ||
                 in->cls == INSN_JMP_IND || in->cls == INSN_CALL_IND || in->cls == INSN_RET;
    u8 op = insn_first_opcode(in);
    return known && !in->ends_trace && op != OP_PUSHF && op != OP_POPF;
}

static bool traps(const struct insn *in)
{
    u8 op = insn_first_opcode(in);
    return in->cls == INSN_PLAIN && (op == OP_INT3 || op == OP_INT || op == OP_INT1);
}

bool arch_insn_is(const struct insn *in, enum arch_nature what)
{
    switch (what) {
    case NATURE_NEEDS_VM: return needs_vm(in);
    case NATURE_STEPS: return steps(in);
    case NATURE_REPEAT_KNOWN: return insn_repeats(in) && !lower_repeat_data(in);
    case NATURE_TRAPS: return traps(in);
    }
    return false;
}

bool arch_insn_is_privileged(u64 pc)
{
    struct insn in;
    u8 bytes[15];
    size_t n = os_safe_copy(bytes, (void *)pc, sizeof bytes);
    if (!decode_insn(&in, pc, bytes, n) || in.vex)
        return false;
    u8 op = insn_first_opcode(&in);
    u8 second = in.bytes[in.rex_off == 0xff ? in.prefixes + 1u : in.rex_off + 2u];
    return op == 0x0f ? privileged_two_bytes[second] : privileged_one_byte[op];
}
