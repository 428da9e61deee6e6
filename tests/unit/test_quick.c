/* SPDX-License-Identifier: Apache-2.0
 * The short cut of the decoder (quick.c) against the full one, on random bytes of the kinds that it takes: the same instruction, and effects that are never less careful. */
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
    static const u8 prefix[] = {0x66, 0xf2, 0xf3};
    for (int i = 0; i < 16; i++)
        b[i] = (u8)(next() >> 20);
    u8 *p = b;
    u64 how = next() >> 8;
    if ((how & 3) == 0)
        *p++ = prefix[(how >> 2) % 3];
    if ((how & 0x300) == 0)
        *p++ = prefix[(how >> 12) % 3];
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

static void test_same(void **arg)
{
    u32 taken = 0;
    (void)arg;
    decode_init();
    for (u32 i = 0; i < 3000000; i++) {
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
