/* SPDX-License-Identifier: Apache-2.0
 * Registers of system calls: by the syscall instruction, and by int $0x80, whose are 32 bits wide. */
#ifndef LP_X86_SYSCALL_REGS_H
#define LP_X86_SYSCALL_REGS_H
#include "cpu.h"

#define SYSCALL_MAX_ERROR 4095
static const u8 syscall_number_reg = RAX; /* and the result */
static const u8 syscall_arg_reg[6] = {RDI, RSI, RDX, R10, R8, R9};
static const u8 syscall_int80_reg[6] = {RBX, RCX, RDX, RSI, RDI, RBP};

#endif
