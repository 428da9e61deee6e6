/* SPDX-License-Identifier: Apache-2.0
 * A stub that notes that it was passed through and goes on to a function; registers, flags and stack stay as they are. */
#include "arch/arch.h"

#include <string.h>

void arch_make_mark_stub(u8 *stub, u32 *mark, void *target)
{
    static const u8 code[ARCH_MARK_STUB_BYTES] = {0xf3, 0x0f, 0x1e, 0xfa,       /* endbr64 */
                                                  0xc6, 0x05, 0, 0, 0, 0, 1,    /* movb $1, mark(%rip) */
                                                  0xff, 0x25, 0, 0, 0, 0};      /* jmp *behind(%rip) */
    s32 distance = (s32)((u8 *)mark - (stub + 11));
    memcpy(stub, code, sizeof code);
    memcpy(stub + 6, &distance, 4);
    memcpy(stub + 17, &target, 8);
}
