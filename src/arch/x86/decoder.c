/* SPDX-License-Identifier: Apache-2.0
 * See decoder.h. No state but the decoder's settings, which are made anew for each instruction: that is a few
 * stores. */
#include "arch/x86/decoder.h"

/* Zydis takes F3 90 for pause whatever REX says; for the CPU it is an exchange with r8 where REX.B is set. Then the
 * prefix becomes one that means nothing there. */
static const u8 *input(const u8 *bytes, size_t n, u8 copy[15])
{
    size_t at = 0;
    bool repeat = false;
    u8 rex = 0;
    for (; at < n; at++) {
        u8 b = bytes[at];
        if (b != 0xf3 && b != 0xf2 && b != 0x66 && b != 0x67 && (b & 0xe7) != 0x26 && (b & 0xfe) != 0x64 &&
            (b & 0xf0) != 0x40)
            break;
        repeat |= b == 0xf3;
        rex = (b & 0xf0) == 0x40 ? b : 0; /* the last byte before the opcode counts */
    }
    if (LIKELY(!repeat) || at >= n || !(rex & 1) || bytes[at] != 0x90)
        return bytes;
    for (size_t i = 0; i < n; i++)
        copy[i] = i < at && bytes[i] == 0xf3 ? 0x3e : bytes[i];
    return copy;
}

static ZyanStatus decode(const ZydisDecoder *d, const u8 *bytes, size_t n, ZydisDecodedInstruction *z,
                         ZydisDecodedOperand *op)
{
    ZydisDecoderContext context;
    return op ? ZydisDecoderDecodeFull(d, bytes, n, z, op) : ZydisDecoderDecodeInstruction(d, &context, bytes, n, z);
}

ZyanStatus decoder_full(const u8 *bytes, size_t avail, u32 how, ZydisDecodedInstruction *z, ZydisDecodedOperand *op)
{
    ZydisDecoder d;
    u8 copy[15];
    size_t n = avail > 15 ? 15 : avail;
    bool mode32 = how & (DECODER_32 | DECODER_16);
    if (UNLIKELY(how & DECODER_16))
        ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LEGACY_16, ZYDIS_STACK_WIDTH_16);
    else
        ZydisDecoderInit(&d, mode32 ? ZYDIS_MACHINE_MODE_LONG_COMPAT_32 : ZYDIS_MACHINE_MODE_LONG_64,
                         mode32 ? ZYDIS_STACK_WIDTH_32 : ZYDIS_STACK_WIDTH_64);
    ZydisDecoderEnableMode(&d, ZYDIS_DECODER_MODE_AMD_BRANCHES, !!(how & DECODER_AMD));
    const u8 *from = mode32 ? bytes : input(bytes, n, copy);
    ZyanStatus s = decode(&d, from, n, z, op);
    if (LIKELY(ZYAN_SUCCESS(s)) || s == ZYDIS_STATUS_NO_MORE_DATA)
        return s;
    /* What that extension had no use for does nothing, whatever its operand. */
    ZydisDecoderEnableMode(&d, ZYDIS_DECODER_MODE_MPX, ZYAN_FALSE);
    return decode(&d, from, n, z, op);
}

bool decoder_host(const void *pc, ZydisDecodedInstruction *z, ZydisDecodedOperand *op)
{
    return ZYAN_SUCCESS(decoder_full(pc, 15, 0, z, op));
}
