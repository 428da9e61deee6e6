/* SPDX-License-Identifier: Apache-2.0
 * The registers of a thread as ptrace shows them, for the boot block: struct user_regs_struct. */
#ifndef LP_RISCV64_BOOT_REGS_H
#define LP_RISCV64_BOOT_REGS_H
#include <asm/ptrace.h>
#endif
