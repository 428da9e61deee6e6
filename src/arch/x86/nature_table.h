/* SPDX-License-Identifier: Apache-2.0
 * Opcodes of instructions that only the kernel may execute (nature.c), of one byte and after 0F. */
/* clang-format off: tables */
/* ins, outs, in, out, hlt, cli, sti */
static const bool privileged_one_byte[256] = {
    [0x6c ... 0x6f] = true, [0xe4 ... 0xe7] = true, [0xec ... 0xef] = true, [0xf4] = true, [0xfa ... 0xfb] = true,
};

static const bool privileged_two_bytes[256] = {
    [0x00 ... 0x01] = true, [0x06 ... 0x09] = true, [0x20 ... 0x23] = true, [0x30] = true, [0x32 ... 0x33] = true,
};
