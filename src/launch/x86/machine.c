/* SPDX-License-Identifier: Apache-2.0
 * See machine.h. No state. */
#include "launch/machine.h"

#include <cpuid.h>
#include <string.h>

static void fill_xstate(struct boot_info *boot)
{
    u32 a, bytes, c, d, lo, hi;
    const u16 control = 0x37f;
    const u32 mxcsr = 0x1f80;
    u64 features = 3;
    boot->xstate_bytes = 512 + 64;
    if (__get_cpuid_count(1, 0, &a, &bytes, &c, &d) && (c & bit_OSXSAVE) &&
        __get_cpuid_count(0xd, 0, &a, &bytes, &c, &d)) {
        __asm__("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
        features = (u64)hi << 32 | lo;
        if (bytes <= sizeof boot->xstate)
            boot->xstate_bytes = bytes;
    }
    memcpy(boot->xstate, &control, sizeof control);
    memcpy(boot->xstate + 24, &mxcsr, sizeof mxcsr);
    memcpy(boot->xstate + 464, &features, sizeof features); /* where ptrace tells XCR0 */
}

void machine_start_state(struct boot_info *boot, u64 pc, u64 sp)
{
    boot->regs.rip = pc;
    boot->regs.rsp = sp;
    boot->regs.eflags = 0x202;
    boot->regs.orig_rax = (u64)-1;
    boot->regs.cs = 0x33;
    boot->regs.ss = 0x2b;
    fill_xstate(boot);
}

void machine_call_on(u64 sp, void (*fn)(void))
{
    __asm__ volatile("mov %0, %%rsp\n\t"
                     "call *%1" ::"r"(sp), "r"(fn) : "memory");
    __builtin_unreachable();
}

void machine_start(u64 sp, u64 entry)
{
    __asm__ volatile("mov %0, %%rsp\n\t"
                     "xor %%edx, %%edx\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "jmp *%1" ::"a"(sp), "c"(entry) : "memory");
    __builtin_unreachable();
}
