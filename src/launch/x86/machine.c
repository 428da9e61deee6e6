/* SPDX-License-Identifier: Apache-2.0
 * See machine.h. No state. */
#include "launch/machine.h"

#include <cpuid.h>
#include <string.h>
#include <sys/mman.h>

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

void machine_start_state(struct boot_info *boot, u64 pc, u64 sp, bool narrow)
{
    boot->regs.rip = pc;
    boot->regs.rsp = sp;
    boot->regs.eflags = 0x202;
    boot->regs.orig_rax = (u64)-1;
    boot->regs.cs = narrow ? 0x23 : 0x33;
    boot->regs.ss = 0x2b;
    fill_xstate(boot);
}

u64 machine_narrow_place(u64 bytes)
{
    enum { NR_MMAP2 = 192, NONE = 0, PRIVATE_ANONYMOUS = 0x4022 /* and without reserve */ };
    u64 r;
    __asm__ volatile("push %%rbp\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "int $0x80\n\t"
                     "pop %%rbp"
                     : "=a"(r)
                     : "a"((u64)NR_MMAP2), "b"(0ul), "c"(bytes), "d"((u64)NONE), "S"((u64)PRIVATE_ANONYMOUS),
                       "D"((u64)0xffffffff)
                     : "memory", "r8", "r9", "r10", "r11");
    if ((u32)r > (u32)-4096)
        return 0;
    munmap((void *)(u64)(u32)r, bytes);
    return (u32)r;
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
