/* SPDX-License-Identifier: Apache-2.0
 * XED's encoder, on every encoding that the decoder knows: what is decoded and encoded again has the same text. Where the encoder refuses, a row says why. */
#include "unit.h"

#include "api/ins_facts.h"
#include "arch/x86/cpu.h"
#include "xed-interface.h"

#include <stdio.h>
#include <string.h>

/* What the modules of the API need of the engine; nothing here has an instruction object. */
struct ins *ins_get(u32 id) { return id ? NULL : NULL; }
void rtn_walk_on(const struct ins *last) { (void)last; }
void *objects_alloc(size_t bytes) { return malloc(bytes); }
void api_misuse(const char *call, const char *file, int line, const char *fmt, ...)
{
    (void)file, (void)line, (void)fmt;
    fprintf(stderr, "%s is called\n", call);
    abort();
}

/* Zydis' encoder has no such operands: registers of hidden no-operations, the constant that VPERMIL2PS shares with a register, a second encoding of PEXTRW and of PREFETCHW, MOVSXD of 16 bits. */
static const char refused[] = " NOP PEXTRW_SSE4 MOVSXD VPERMIL2PS VPERMIL2PD PREFETCHW PREFETCH_RESERVED PCMPESTRI64 PCMPISTRI64 PCMPESTRM64 VPCMPESTRI64 VPCMPESTRM64 VPCMPISTRI64 VPCMPESTRM "
                              "MOV_CR MOV_DR INVLPGB MONITOR MONITORX MWAIT CLZERO WBNOINVD ";

static unsigned seen, wrong, none;

static bool is_refused(const char *iclass)
{
    char word[40];
    snprintf(word, sizeof word, " %s ", iclass);
    return strstr(refused, word) != NULL;
}

static void differs(const xed_decoded_inst_t *d, const char *was, const char *is)
{
    if (wrong++ < 20)
        printf("%s: %s, encoded again %s\n", xed_iform_enum_t2str(xed_decoded_inst_get_iform_enum(d)), was, is);
}

/* The text without prefixes that change nothing where they are, and F2 as REP. */
static const char *meaning(const char *text)
{
    static const char *const idle[] = {"bnd ", "hint-taken ", "hint-not-taken ", "notrack ", "repne ", "rep "};
    for (size_t i = 0; i < ARRAY_LEN(idle); i++)
        if (!strncmp(text, idle[i], strlen(idle[i])))
            return meaning(text + strlen(idle[i]));
    return text;
}

static void look(const u8 *bytes)
{
    xed_state_t mode;
    xed_decoded_inst_t d, again;
    char was[200] = "", is[200] = "";
    u8 out[15];
    unsigned n = 0;
    xed_state_init2(&mode, XED_MACHINE_MODE_LONG_64, XED_ADDRESS_WIDTH_64b);
    xed_decoded_inst_zero_set_mode(&d, &mode);
    if (xed_decode(&d, bytes, 15))
        return;
    seen++;
    xed_format(XED_SYNTAX_INTEL, &d, was, sizeof was, 0x1000);
    xed_encoder_request_init_from_decode(&d);
    if (xed_encode(&d, out, sizeof out, &n)) {
        none++;
        if (!is_refused(xed_iclass_enum_t2str(xed_decoded_inst_get_iclass(&d))))
            differs(&d, was, "nothing");
        return;
    }
    xed_decoded_inst_zero_set_mode(&again, &mode);
    if (!xed_decode(&again, out, n))
        xed_format(XED_SYNTAX_INTEL, &again, is, sizeof is, 0x1000 + xed_decoded_inst_get_length(&d) - n);
    if (strcmp(meaning(was), meaning(is)) || xed_decoded_inst_get_iclass(&d) != xed_decoded_inst_get_iclass(&again))
        differs(&d, was, is);
}

static const u8 tail[10] = {0x24, 0x81, 0x12, 0x34, 0x56, 0x78, 0x9a, 0x11, 0x22, 0x33};

/* A register, and addresses without a displacement and with one of each width. */
static void look_after(const u8 *start, u32 n)
{
    static const u8 modes[] = {0x03, 0x44, 0x83, 0xc1};
    u8 bytes[32];
    for (u32 i = 0; i < 4 * 8; i++) {
        memcpy(bytes, start, n);
        bytes[n] = (u8)(modes[i & 3] | (i & ~3u) << 1);
        memcpy(bytes + n + 1, tail, sizeof tail);
        look(bytes);
    }
}

static void test_legacy(void **state)
{
    static const u8 prefixes[] = {0, 0x66, 0xf0, 0x48, 0x45, 0x64};
    (void)state;
    seen = wrong = none = 0;
    for (u32 p = 0; p < sizeof prefixes; p++)
        for (u32 opcode = 0; opcode < 4 * 256; opcode++) {
            u8 start[5], map = (u8)(opcode >> 8);
            u32 n = 0;
            if (prefixes[p])
                start[n++] = prefixes[p];
            if (map)
                start[n++] = 0x0f;
            if (map > 1)
                start[n++] = map == 2 ? 0x38 : 0x3a;
            start[n++] = (u8)opcode;
            look_after(start, n);
        }
    for (u32 opcode = 0; opcode < 512; opcode++) /* prefixes that are a part of the opcode */
        if ((opcode & 0xf0) != 0x80)
            look_after((u8[]){opcode < 256 ? 0xf2 : 0xf3, 0x0f, (u8)opcode}, 3);
    assert_int_equal(wrong, 0);
    assert_true(seen > 50000 && none < 2000);
}

static void test_vector(void **state)
{
    (void)state;
    seen = wrong = none = 0;
    for (u32 map = 1; map < 4; map++)
        for (u32 third = 0; third < 16; third++) /* W, L, pp */
            for (u32 opcode = 0; opcode < 512; opcode++)
                look_after((u8[]){0xc4, (u8)(0xe0 | map), (u8)((third & 8) << 4 | (third & 7) | (opcode < 256 ? 0x78 : 0x48)), (u8)opcode}, 4);
    for (u32 map = 1; map < 4; map++)
        for (u32 w = 0; w < 32; w++)
            for (u32 opcode = 0; opcode < 512; opcode++) {
                u8 last = (u8)((w & 12) << 3 | (opcode < 256 ? 0x0b : 0x18)); /* a mask; broadcasts and rounding */
                look_after((u8[]){0x62, (u8)(0xf0 | map), (u8)((w & 16) << 3 | 0x4c | (w & 3)), last, (u8)opcode}, 5);
            }
    assert_int_equal(wrong, 0);
    assert_true(seen > 100000 && none < 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_legacy), cmocka_unit_test(test_vector)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
