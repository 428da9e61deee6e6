// SPDX-License-Identifier: Apache-2.0
// What is kept of a trace in few bytes says the same as what was put in: state maps at every instruction, counters when they are settled.
#include "unit.h"

#include "opt/pass.h"
#include "os/thread.h"

#include <string.h>

__thread struct thread vm_tc;
void *record_chunk[RECORD_KINDS][RECORD_CHUNKS];

// An architecture of its own.
const u8 arch_map_kind[MAP_HOWS + 1] = {0, MAP_GUEST, MAP_TARGET, MAP_COMMIT, [MAP_HOWS] = MAP_LEAVING};

static struct pass b;
static u8 bytes[1 << 20];

static u32 below(u32 n) { return (u32)unit_random(n); }
static u32 any(void) { return (u32)unit_random(1ul << 32); }

// Copied instructions keep their length; anything else may be longer, and go anywhere in the guest's code.
static void random_map(u32 n)
{
    u32 off = 0, pc_off = 0;
    u16 held = 0;
    u8 next_in = 0;
    for (u32 i = 0; i < n; i++) {
        struct map_entry *e = &b.map[i];
        held = below(4) ? held : (u16)any();
        next_in = below(4) ? next_in : (u8)below(17);
        bool copied = below(3) != 0;
        u8 how = (u8)(copied || below(2) ? 0 : 1 + below(MAP_HOWS));
        *e = (struct map_entry){.off = off, .pc_off = (u16)pc_off, .kind = how ? arch_map_kind[how] : (u8)(copied ? MAP_GUEST : below(MAP_KINDS)), .how = how, .copied = copied, .next_in = next_in, .held = held, .data = copied || below(2) ? 0 : (u16)any(),
            .waits = !below(8), .calls_done = !below(8), .stepped = !below(8)};
        u32 length = 1 + below(copied ? 15 : 400);
        off += length;
        pc_off = copied ? pc_off + length : below(10) ? pc_off + below(16) : below(1500);
    }
    b.nmap = n;
}

static void expect_same(struct map_entry got, struct map_entry want)
{
    assert_int_equal(got.off, want.off);
    assert_int_equal(got.pc_off, want.pc_off);
    assert_int_equal(got.kind, want.kind);
    assert_int_equal(got.how, want.how);
    assert_int_equal(got.data, want.data);
    assert_int_equal(got.held, want.held);
    assert_int_equal(got.next_in, want.next_in);
    assert_int_equal(got.waits, want.waits);
    assert_int_equal(got.calls_done, want.calls_done);
    assert_int_equal(got.stepped, want.stepped);
}

static void maps_say_the_same(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        random_map(1 + below(200));
        u8 *end = map_encode(bytes, b.map, b.nmap);
        assert_true(end - bytes <= b.nmap * MAP_ENTRY_MAX_BYTES);
        struct trace t = {.records = bytes, .map_bytes = (u16)(end - bytes)};
        for (u32 i = 0; i < b.nmap; i++) {
            expect_same(map_at(&t, b.map[i].off), b.map[i]);
            if (!b.map[i].copied && i + 1 < b.nmap) // not at its start
                expect_same(map_at(&t, b.map[i + 1].off - 1), b.map[i]);
        }
    }
}

static void largest_entries_have_room(void **state)
{
    (void)state;
    for (u32 i = 0; i < PASS_MAX_MAP; i++)
        b.map[i] = (struct map_entry){.off = i * 2000, .pc_off = i & 1 ? 0 : 0xffff, .kind = MAP_LEAVING, .how = MAP_HOWS, .data = 0xffff, .held = i & 1 ? 0xffff : 0x7fff, .next_in = i & 1 ? 16 : 0, .waits = true, .calls_done = true, .stepped = true};
    u8 *end = map_encode(bytes, b.map, PASS_MAX_MAP);
    assert_true(end - bytes <= PASS_MAX_MAP * MAP_ENTRY_MAX_BYTES && end - bytes < 65536);
    struct trace t = {.records = bytes, .map_bytes = (u16)(end - bytes)};
    for (u32 i = 0; i < PASS_MAX_MAP; i++)
        expect_same(map_at(&t, b.map[i].off), b.map[i]);
}

static void copied_ones_in_a_row_are_one(void **state)
{
    (void)state;
    for (u32 i = 0; i < 100; i++)
        b.map[i] = (struct map_entry){.off = i * 3, .pc_off = (u16)(i * 3), .kind = MAP_GUEST, .copied = true};
    assert_true(map_encode(bytes, b.map, 100) - bytes <= 4);
}

struct place {
    u64 word[4];
};

static u64 read_sized(const void *p, u8 n)
{
    u64 v = 0;
    memcpy(&v, p, n);
    return v;
}

// Adds up, one by one, what settling at off and pc_off should make of each counter.
static void expect_settled(u32 off, u16 pc_off, bool done, u64 left)
{
    for (u32 i = 0; i < b.ncounts; i++) {
        const struct count *k = &b.count[i].c;
        u64 want = off >= k->done_off ? -(u64)k->sum : 0; // modulo 2^64
        for (u32 n = 0; n < k->nitems; n++) {
            const struct count_item *it = &b.count_item[k->item + n];
            if (it->pc_off < pc_off || (it->pc_off == pc_off && done))
                want += (u64)it->delta;
        }
        if (k->repeats) // it leads the trace; all iterations were added, one at least
            want = off >= k->done_off && !pc_off ? (u64)k->sum * (done - (left ? left : 1)) : 0;
        u64 mask = k->bytes == 8 ? ~0ul : (1ul << k->bytes * 8) - 1;
        const u8 *at = k->in_thread ? (const u8 *)&vm_tc + k->addr : (const u8 *)k->addr;
        assert_int_equal(read_sized(at, k->bytes), want & mask);
    }
}

static void random_counts(struct place *place)
{
    b.ncounts = 1 + below(4);
    b.ncount_items = 0;
    for (u32 i = 0; i < b.ncounts; i++) {
        struct count *k = &b.count[i].c;
        *k = (struct count){.addr = (u64)&place->word[i], .done_off = below(3000), .item = (u16)b.ncount_items, .nitems = (u16)below(12), .bytes = (u8)(1u << below(4)), .locked = below(2),
            .in_thread = !below(3), .repeats = !below(4)};
        if (k->in_thread)
            k->addr = offsetof(struct thread, opt.tool_reg) + i * 8;
        for (u32 n = 0; n < k->nitems; n++) {
            b.count_item[b.ncount_items] = (struct count_item){(u16)below(1900), below(2) ? (s32)below(100) : (s32)any()};
            k->sum += b.count_item[b.ncount_items++].delta;
        }
        if (!below(4))
            k->sum = (s64)((u64)any() << 32 | any()); // more than its calls: room that is taken before
    }
}

static void counters_settle_the_same(void **state)
{
    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct place place = {{0}};
        memset(vm_tc.opt.tool_reg, 0, sizeof vm_tc.opt.tool_reg);
        random_counts(&place);
        bytes[0] = 0; // the trace's map is one byte here
        u8 *end = counts_encode(bytes + 1, &b);
        assert_true(end - (bytes + 1) <= counts_max_bytes(&b));
        struct trace t = {.records = bytes, .map_bytes = 1, .count_bytes = (u16)(end - (bytes + 1))};
        u32 off = below(3000);
        u16 pc_off = !below(5) ? 0 : b.ncount_items && below(2) ? b.count_item[below(b.ncount_items)].pc_off : (u16)below(1900);
        bool done = below(2);
        u64 left = below(4);
        counts_settle(&t, off, pc_off, done, left);
        expect_settled(off, pc_off, done, left);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_say_the_same),
        cmocka_unit_test(largest_entries_have_room),
        cmocka_unit_test(copied_ones_in_a_row_are_one),
        cmocka_unit_test(counters_settle_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
