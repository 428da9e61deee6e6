/* SPDX-License-Identifier: Apache-2.0
 * Shows what the decoder of the RISC-V 64 port makes of instructions, for run.py, which asks objdump, too. Runs on the
 * machine that builds.
 * decode halves   every 16 bits that are no long instruction: in hexadecimal, then the long form, 0: not an instruction
 *   decode words    for each word that is read: length, class, and the registers read and written, as sets */
#include "decode.h"

#include <stdio.h>
#include <string.h>

static void halves(void)
{
    for (unsigned h = 0; h < 0x10000; h++)
        if ((h & 3) != 3)
            printf("%04x %08x\n", h, decode_expand((u16)h));
}

static void words(void)
{
    unsigned word;
    while (scanf("%x", &word) == 1) {
        struct insn in;
        u8 bytes[4];
        memcpy(bytes, &word, 4);
        if (!decode_insn(&in, 0x10000, bytes, 4))
            in.len = 0;
        printf("%08x %u %u %x %x\n", word, in.len, in.cls, in.effect.reads, in.effect.writes);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "halves") == 0)
        halves();
    else
        words();
    return 0;
}
