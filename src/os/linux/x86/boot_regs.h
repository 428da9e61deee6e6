/* SPDX-License-Identifier: Apache-2.0
 * The registers of a thread as ptrace shows them, for the boot block: struct user_regs_struct. */
#ifndef LP_X86_BOOT_REGS_H
#define LP_X86_BOOT_REGS_H
#include <sys/user.h>
#endif
