/* SPDX-License-Identifier: Apache-2.0
 * What the way in without ptrace needs to know of the machine, by architecture: places in its address space and names
 * (machine_layout.h), the state that a program starts with, and the jump into the host's ld.so. */
#ifndef LP_LAUNCH_MACHINE_H
#define LP_LAUNCH_MACHINE_H
#include "machine_layout.h"
#include "os/linux/boot.h"

/* What ptrace would have read from a fresh process at its first instruction. */
void machine_start_state(struct boot_info *boot, u64 pc, u64 sp, bool narrow);
/* Where the kernel would put a mapping of a narrow program; 0: nowhere. */
u64 machine_narrow_place(u64 bytes);
/* Maps the vdso of a narrow program in place of this process' own, and notes its functions. Returns its address; 0: the
 * kernel has none; then there may be none at all any more. */
u64 machine_narrow_vdso(struct boot_info *boot);
/* On another stack: calls fn; starts ld.so as the kernel would. */
void machine_call_on(u64 sp, void (*fn)(void)) NORETURN;
void machine_start(u64 sp, u64 entry) NORETURN;

#endif
