/* SPDX-License-Identifier: Apache-2.0
 * For taint: 16 bytes in, and out: copies, each from what the comment says. Output that changes with an input byte depends on it: the test tries that out. */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static unsigned char in[16], out[40];
static volatile int quiet;

int main(int argc, char **argv)
{
    unsigned char copy[16];
    uint32_t word;
    uint64_t wide;
    if (read(0, in, 16) != 16)
        return 1;
    memcpy(copy, in, 16);
    out[0] = copy[3];               /* a copy */
    out[1] = (unsigned char)(in[1] ^ 0x55);
    out[2] = (unsigned char)(in[2] + in[5]); /* two */
    memcpy(&word, in + 4, 4);
    word = __builtin_bswap32(word);
    memcpy(out + 4, &word, 4);      /* turned round: each of all four, for this tool */
    memcpy(&wide, in + 8, 8);
    wide >>= 32;
    memcpy(out + 8, &wide, 4);
    out[12] = 7;                    /* constants */
    out[13] = (unsigned char)(in[0] - in[0]);
    in[6] = 1;
    out[14] = in[6];                /* overwritten */
    if (in[7] > 100)                /* decided, not copied: a branch */
        quiet = 1;
    out[15] = argc > 1 ? (unsigned char)argv[1][1] : 0;
    memmove(out + 16, out, 16);     /* once more */
    if (write(1, out, 32) != 32)
        return 1;
    return 0;
}
