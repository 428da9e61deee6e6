/* SPDX-License-Identifier: Apache-2.0
 * IA-32 instructions as 64-bit code: of random bytes, what is copied must be the same instruction in 64-bit mode, with
 * the same operands, as the full decoder sees both. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "arch/x86/cpu.h"
#include "arch/x86/decode.h"
#include "arch/x86/decoder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 1000000 };

static void tell(const char *why, const u8 *bytes, const struct insn *in, const ZydisDecodedInstruction *z)
{
    char text[160];
    int n = snprintf(text, sizeof text, "%s: %s:", why, ZydisMnemonicGetString(z->mnemonic));
    for (u8 i = 0; i < in->len; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, " %02x", bytes[i]);
    n += snprintf(text + n, sizeof text - (size_t)n, " as");
    for (u8 i = 0; i < in->code_len; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, " %02x", in->bytes[i]);
    print_error("%s\n", text);
}

/* Another name of the same register where 64-bit code has it: the instruction pointer and the flags. */
static bool same_register(ZydisRegister a, ZydisRegister b)
{
    ZydisRegisterClass c = ZydisRegisterGetClass(a);
    return a == b || c == ZYDIS_REGCLASS_IP || c == ZYDIS_REGCLASS_FLAGS || c == ZYDIS_REGCLASS_SEGMENT;
}

/* The same registers by their names of 64 bits: where the sum cannot wrap, or is only computed. */
static bool same_wide(const ZydisDecodedOperand *a, const ZydisDecodedOperand *b)
{
    ZydisRegister index = a->mem.index;
    if (a->mem.type != ZYDIS_MEMOP_TYPE_AGEN && (index || a->mem.disp.value < -128 || a->mem.disp.value > 127))
        return false;
    return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, a->mem.base) == b->mem.base &&
           (index ? ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, index) : index) == b->mem.index;
}

static bool same_memory(const ZydisDecodedOperand *a, const ZydisDecodedOperand *b, bool wraps)
{
    bool same = a->mem.base == b->mem.base && a->mem.index == b->mem.index;
    return (same || same_wide(a, b)) && a->mem.scale == b->mem.scale &&
           ((u32)a->mem.disp.value == (u32)b->mem.disp.value || wraps);
}

static bool same_operand(const ZydisDecodedOperand *a, const ZydisDecodedOperand *b, bool wraps)
{
    bool computed = a->type == ZYDIS_OPERAND_TYPE_MEMORY && a->mem.type == ZYDIS_MEMOP_TYPE_AGEN; /* its size is that of the address */
    if (a->type != b->type || (a->size != b->size && !computed) || a->actions != b->actions)
        return false;
    switch (a->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER: return same_register(a->reg.value, b->reg.value);
    case ZYDIS_OPERAND_TYPE_MEMORY: return same_memory(a, b, wraps);
    case ZYDIS_OPERAND_TYPE_IMMEDIATE: return (u32)a->imm.value.u == (u32)b->imm.value.u;
    default: return true;
    }
}

/* Their operands have another size there: they are system instructions, which fault, store tables' addresses, or do
 * nothing (bounds, which no system has in use). */
static bool is_other_in_64(ZydisMnemonic m)
{
    switch (m) {
    case ZYDIS_MNEMONIC_SGDT: case ZYDIS_MNEMONIC_SIDT: case ZYDIS_MNEMONIC_LGDT: case ZYDIS_MNEMONIC_LIDT:
    case ZYDIS_MNEMONIC_MOV: case ZYDIS_MNEMONIC_INT: case ZYDIS_MNEMONIC_INT3: case ZYDIS_MNEMONIC_INT1:
    case ZYDIS_MNEMONIC_BNDLDX: case ZYDIS_MNEMONIC_BNDSTX: case ZYDIS_MNEMONIC_BNDMK: case ZYDIS_MNEMONIC_BNDCL:
    case ZYDIS_MNEMONIC_BNDCU: case ZYDIS_MNEMONIC_BNDCN: case ZYDIS_MNEMONIC_BNDMOV: case ZYDIS_MNEMONIC_SYSEXIT: case ZYDIS_MNEMONIC_SYSRET:
        return true;
    default:
        return false;
    }
}

static u32 differs(const u8 *bytes, const struct insn *in)
{
    ZydisDecodedInstruction a, b;
    ZydisDecodedOperand x[ZYDIS_MAX_OPERAND_COUNT], y[ZYDIS_MAX_OPERAND_COUNT];
    assert_true(ZYAN_SUCCESS(decoder_full(bytes, 15, DECODER_32, &a, x)));
    if (a.address_width == 16) /* not copied; tests/ia32/fuzz.py has them */
        return 0;
    if (a.meta.category == ZYDIS_CATEGORY_SYSTEM || a.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED)
        return 0;
    if (!ZYAN_SUCCESS(decoder_full(in->bytes, in->code_len, 0, &b, y)) || b.length != in->code_len) {
        tell("no instruction", bytes, in, &a);
        return 1;
    }
    if (is_other_in_64(a.mnemonic) && (a.mnemonic != ZYDIS_MNEMONIC_MOV || a.operand_count_visible != 2))
        return 0;
    if (a.mnemonic == ZYDIS_MNEMONIC_LEA && in->seg)
        return 0; /* its address has a sign, which the result does not show */
    bool bit_test = a.mnemonic == ZYDIS_MNEMONIC_BT || a.mnemonic == ZYDIS_MNEMONIC_BTS || a.mnemonic == ZYDIS_MNEMONIC_BTR || a.mnemonic == ZYDIS_MNEMONIC_BTC;
    if (bit_test && x[0].type == ZYDIS_OPERAND_TYPE_MEMORY && x[1].type == ZYDIS_OPERAND_TYPE_REGISTER && b.address_width != 32) {
        tell("a bit test that does not wrap", bytes, in, &a);
        return 1;
    }
    bool same = a.mnemonic == b.mnemonic && a.operand_count_visible == b.operand_count_visible;
    for (u8 i = 0; same && i < a.operand_count_visible; i++)
        same = same_operand(&x[i], &y[i], false);
    if (!same)
        tell("another instruction", bytes, in, &a);
    return !same;
}

static void test_random(void **state)
{
    u32 wrong = 0, plain = 0;
    (void)state;
    cpu_guest32 = true;
    srand(5);
    for (u32 i = 0; i < TRIES && wrong < 40; i++) {
        struct insn in;
        u8 bytes[15];
        for (u32 k = 0; k < sizeof bytes; k++)
            bytes[k] = (u8)(rand() >> 8);
        if (i % 3 == 0)
            bytes[0] = 0x0f;
        if (i % 11 == 0)
            bytes[0] = (u8)(i & 1 ? 0xc4 : 0xc5), bytes[1] |= 0xc0;
        if (i % 22 == 0)
            bytes[0] = 0xc4, bytes[1] = (u8)(0xe1 + i % 3);
        if (i % 17 == 0)
            bytes[0] = 0x62, bytes[1] = (u8)(0xf1 + i % 3), bytes[2] |= 4, bytes[3] |= 8;
        if (i % 19 == 0)
            bytes[0] = 0x8f, bytes[1] = (u8)(0xe8 + i % 3);
        if (i % 13 == 0)
            bytes[0] = 0x66;
        if (!decode_insn_effect(&in, 0x1000, bytes, sizeof bytes) || in.cls != INSN_PLAIN || in.ends_trace)
            continue;
        plain++;
        wrong += differs(bytes, &in);
    }
    cpu_guest32 = false;
    assert_int_equal(wrong, 0);
    assert_true(plain > TRIES / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
