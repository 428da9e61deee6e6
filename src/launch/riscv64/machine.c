/* SPDX-License-Identifier: Apache-2.0
 * See machine.h. No state. */
#include "launch/machine.h"

void machine_start_state(struct boot_info *boot, u64 pc, u64 sp, bool narrow)
{
    (void)narrow;
    boot->regs.pc = pc;
    boot->regs.sp = sp;
}

void machine_call_on(u64 sp, void (*fn)(void))
{
    __asm__ volatile("mv sp, %0\n\t"
                     "jalr %1" ::"r"(sp),
                     "r"(fn)
                     : "memory");
    __builtin_unreachable();
}

void machine_start(u64 sp, u64 entry)
{
    __asm__ volatile("mv sp, %0\n\t"
                     "li a0, 0\n\t"
                     "li s0, 0\n\t"
                     "jr %1" ::"r"(sp),
                     "r"(entry)
                     : "memory", "a0");
    __builtin_unreachable();
}

u64 machine_narrow_place(u64 bytes) { return (void)bytes, 0; }
u64 machine_narrow_vdso(struct boot_info *boot) { return (void)boot, 0; }
