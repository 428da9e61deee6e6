/* SPDX-License-Identifier: Apache-2.0
 * The short cut of the decoder (quick.c) against the full one, on random bytes of the kinds that it takes: the same instruction, and effects that are never less careful. And its runs against single instructions. */
#include "arch/x86/cpu.h"
#include "arch/x86/quick.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static u64 state = 88172645463325252ul;

static u64 next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void make(u8 *b)
{
    static const u8 prefix[] = {0x66, 0xf2, 0xf3, 0x64};
    for (int i = 0; i < 16; i++)
        b[i] = (u8)(next() >> 20);
    u8 *p = b;
    u64 how = next() >> 8;
    if ((how & 3) == 0)
        *p++ = prefix[(how >> 2) % 4];
    if ((how & 0x300) == 0)
        *p++ = prefix[(how >> 14) % 4];
    if (how & 0x1000)
        *p++ = (u8)(0x40 | (how >> 20 & 15));
    if (how & 0x2000)
        *p++ = 0x0f;
}

static void show(const u8 *b, u8 len)
{
    for (u8 i = 0; i < len; i++)
        print_message("%02x ", b[i]);
    print_message("\n");
}

static void check_same(void)
{
    u32 taken = 0;
    decode_init();
    for (u32 i = 0; i < 5000000; i++) {
        u8 b[16];
        struct insn q, f;
        make(b);
        size_t n = i % 16 == 0 ? next() % 15 + 1 : 15;
        memset(&q, 0, sizeof q);
        memcpy(q.bytes, b, n);
        if (!quick_decode(&q, 0x10000, n, true))
            continue;
        taken++;
        bool ok = decode_insn_fully(&f, 0x10000, b, n, true) && f.cls != INSN_BAD;
        struct effect qe = q.effect, fe = f.effect;
        memset(&q.effect, 0, sizeof q.effect);
        memset(&f.effect, 0, sizeof f.effect);
        ok = ok && memcmp(&q, &f, sizeof q) == 0;
        if (!ok) {
            show(b, (u8)n);
            print_message("len %u %u class %u %u\n", q.len, f.len, q.cls, f.cls);
        }
        assert_true(ok);
        ok = qe.known && fe.known && qe.cls == fe.cls && qe.copied == fe.copied && qe.in_steps == fe.in_steps && (qe.reads & fe.reads) == fe.reads && (qe.kills & fe.kills) == qe.kills && (qe.flags_read & fe.flags_read) == fe.flags_read
            && (qe.flags_killed & fe.flags_killed) == qe.flags_killed && (qe.writes & fe.writes) == fe.writes
            && (qe.flags_touched || !fe.flags_touched);
        if (!ok) {
            show(b, f.len);
            print_message("reads %x %x kills %x %x writes %x %x flags read %x %x killed %x %x\n", qe.reads, fe.reads, qe.kills, fe.kills, qe.writes, fe.writes, qe.flags_read, fe.flags_read, qe.flags_killed, fe.flags_killed);
        }
        assert_true(ok);
    }
    assert_true(taken > 500000);
}

static void test_same(void **arg)
{
    (void)arg;
    check_same();
}

static void test_same_narrow(void **arg)
{
    (void)arg;
    cpu_guest32 = true;
    check_same();
    cpu_guest32 = false;
}

static bool is_copied(const struct insn *in)
{
    return in->cls == INSN_PLAIN && !in->rip_relative && !in->seg && !in->ends_trace && in->effect.copied &&
           in->effect.cls == EFFECT_PLAIN;
}

/* Fills the buffer with random instructions, one after the other. */
static void make_many(u8 *b, size_t bytes)
{
    for (size_t at = 0; at + 16 <= bytes;) {
        struct insn in;
        make(b + at);
        decode_insn_fully(&in, 0x10000, b + at, 15, false);
        at += in.len;
    }
}

/* Does it move a constant that may be the address of a section's descriptor: 64 bits, or 32 in a program below 2 GiB? */
static bool names_address(const struct insn *in, gpc_t pc)
{
    u8 op = insn_first_opcode(in);
    bool wide = (op & 0xf8) == 0xb8 && in->rex_off != 0xff && in->bytes[in->rex_off] & 8;
    u64 constant = 0;
    if ((op & 0xf8) != 0xb8 && op != 0xc7)
        return false;
    memcpy(&constant, in->bytes + in->len - (wide ? 8 : 4), wide ? 8 : 4);
    return constant % 32 == 0 && (wide || (pc < 0x80000000 && constant >= 0x10000 && constant < 0x80000000));
}

/* Is the instruction one that a run may end before, because its last bytes look like such an address? */
static bool seems_to_name(const struct insn *in, gpc_t pc, const u8 *end)
{
    u32 tail;
    memcpy(&tail, end - 4, 4);
    return names_address(in, pc) || (pc < 0x80000000 && tail % 32 == 0 && tail >= 0x10000 && tail < 0x80000000);
}

/* A run is as long as the full decoder says, and ends where the quick one has no copied instruction any more, or where
 * one may name the address of a section's descriptor. */
static void test_run(void **arg)
{
    u32 taken = 0, named = 0;
    (void)arg;
    decode_init();
    for (u32 i = 0; i < 500000; i++) {
        u8 b[64];
        struct insn run, q, f;
        u32 max = i % 8 ? 100 : (u32)(next() % 3), n = 0;
        gpc_t pc = i % 2 ? 0x10000 : 0x7f0000010000;
        size_t at = 0;
        memset(b, 0x90, sizeof b);
        make_many(b, sizeof b);
        u32 got = decode_run(&run, pc, b, sizeof b, max);
        for (; n < max && sizeof b - at >= 15; n++, at += q.len) {
            memcpy(q.bytes, b + at, 15);
            if (!quick_decode(&q, pc, 15, false) || !is_copied(&q))
                break;
            assert_true(decode_insn_fully(&f, pc, b + at, 15, false) && is_copied(&f) && f.len == q.len);
            if (n == got && at + q.len > 4 && seems_to_name(&q, pc, b + at + q.len))
                break;
            assert_false(names_address(&q, pc));
            named += (insn_first_opcode(&q) & 0xf8) == 0xb8;
        }
        if (got != n || (n && run.len != at))
            show(b, sizeof b);
        assert_int_equal(got, n);
        assert_true(!n || (run.len == at && run.cls == INSN_RUN && run.effect.cls == EFFECT_PLAIN && !run.ends_trace));
        taken += got > 1;
    }
    assert_true(taken > 20000 && named > 1000);
}

/* The same of IA-32: those that are copied have the program's own bytes. */
static void test_run_narrow(void **arg)
{
    u32 taken = 0;
    (void)arg;
    decode_init();
    cpu_guest32 = true;
    for (u32 i = 0; i < 500000; i++) {
        u8 b[64];
        struct insn run, q, f;
        u32 max = i % 8 ? 100 : (u32)(next() % 3), n = 0;
        size_t at = 0;
        memset(b, 0x90, sizeof b);
        make_many(b, sizeof b);
        u32 got = decode_run(&run, 0x10000, b, sizeof b, max);
        for (; n < max && sizeof b - at >= 15; n++, at += q.len) {
            memcpy(q.bytes, b + at, 15);
            if (!quick_decode(&q, 0x10000, 15, false) || !is_copied(&q) || q.len != q.code_len || memcmp(q.bytes, b + at, q.len))
                break;
            assert_true(decode_insn_fully(&f, 0x10000, b + at, 15, false) && is_copied(&f) && f.len == q.len && f.code_len == q.len && !memcmp(f.bytes, b + at, f.len));
        }
        if (got != n || (n && run.len != at))
            show(b, sizeof b);
        assert_int_equal(got, n);
        assert_true(!n || (run.len == at && run.cls == INSN_RUN));
        taken += got > 1;
    }
    cpu_guest32 = false;
    assert_true(taken > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same), cmocka_unit_test(test_same_narrow), cmocka_unit_test(test_run), cmocka_unit_test(test_run_narrow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
