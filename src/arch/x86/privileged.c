/* SPDX-License-Identifier: Apache-2.0
 * Instructions that fault with a general protection fault because they are the kernel's. Async-signal-safe. */
#include "arch/arch.h"
#include "arch/x86/decode.h"
#include "os/os.h"

static bool one_byte(u8 op)
{
    return op == 0xf4 || op == 0xfa || op == 0xfb || (op >= 0xe4 && op <= 0xe7) || (op >= 0xec && op <= 0xef) || (op >= 0x6c && op <= 0x6f); /* hlt, cli, sti, in, out */
}

static bool two_bytes(u8 op)
{
    return op <= 1 || op == 6 || op == 7 || op == 8 || op == 9 || (op >= 0x20 && op <= 0x23) || (op >= 0x30 && op <= 0x33 && op != 0x31);
}

bool arch_insn_is_privileged(u64 pc)
{
    struct insn in;
    u8 bytes[15];
    size_t n = os_safe_copy(bytes, (void *)pc, sizeof bytes);
    if (!decode_insn(&in, pc, bytes, n) || in.vex)
        return false;
    u32 at = in.rex_off == 0xff ? in.prefixes : in.rex_off + 1u;
    return bytes[at] == 0x0f ? two_bytes(bytes[at + 1]) : one_byte(bytes[at]);
}
