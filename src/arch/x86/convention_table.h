/* SPDX-License-Identifier: Apache-2.0
 * Registers of the calling convention, for the routine form (opt/rop.h); lift.c has it. */
/* clang-format off: a table */
const struct rop_registers rop_registers = {
    .argument = {RDI, RSI, RDX, RCX, R8, R9},
    .result = RAX,
    .stack = RSP,
    .arguments = BIT(RDI) | BIT(RSI) | BIT(RDX) | BIT(RCX) | BIT(R8) | BIT(R9),
    .call_reads = BIT(RDI) | BIT(RSI) | BIT(RDX) | BIT(RCX) | BIT(R8) | BIT(R9) | BIT(RAX) | BIT(R10),
    .call_loses = BIT(RAX) | BIT(RCX) | BIT(RDX) | BIT(RSI) | BIT(RDI) | BIT(R8) | BIT(R9) | BIT(R10) | BIT(R11),
    .return_reads = BIT(RAX) | BIT(RDX),
};
