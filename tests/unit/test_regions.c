// SPDX-License-Identifier: Apache-2.0
// Regions of the code cache (cache/region.c): what is found at an address, how they fill up to a limit, and that one that drains is used again only when all threads have left it (E9).
#include "unit.h"

#include "arch/arch.h"
#include "base/options.h"
#include "cache/events.h"
#include "os/os.h"

#include <string.h>

enum { COMMON = 100, LIMIT = 4 << 20 };
#define PC 0x50000000ul // regions for code below 2 GB are there, too

struct options options;
struct cache_events cache_events;
void os_region_made(void) {}

enum { REACH = 8 << 20 };
const struct arch_info arch_info = {.branch_reach = REACH};

void arch_emit_common(struct region *r)
{
    memset(r->base, 0xcc, COMMON);
    r->common_end = r->base + COMMON;
}

static struct trace *new_trace(struct region *r)
{
    u32 number = record_alloc(&r->records, RECORD_TRACE, 1);
    *trace_get(number) = (struct trace){.number = number, .region = r};
    return trace_get(number);
}

static void a_region_is_near_its_code(void **state)
{
    (void)state;
    struct region *r = region_for(PC, 4096);
    assert_non_null(r);
    assert_true((u64)r->end <= 0x80000000ul);
    assert_int_equal(r->end - r->base, LIMIT / 4);
    assert_true(r->code_start >= r->common_end && r->code_next == r->code_start && r->stub_next == r->end);
    assert_ptr_equal(region_for(PC + 1000, 4096), r);
    assert_ptr_equal(region_of(r->base), r);
    assert_ptr_equal(region_of(r->end - 1), r);
    assert_ptr_not_equal(region_of(r->end), r);
    assert_ptr_not_equal(region_of(r->base - 1), r);
}

static void items_are_found_by_every_address(void **state)
{
    (void)state;
    enum { N = 500 };
    static struct code_item item[N];
    struct region *r = region_for(PC, 1 << 19);
    u8 *at = r->code_next;
    assert_null(region_find_item(r, at).trace);
    for (u32 i = 0; i < N; i++) {
        item[i] = (struct code_item){at, new_trace(r), (u8)unit_random(4)};
        region_add_item(r, at, item[i].trace, (enum item_kind)item[i].kind);
        at += 16 * (1 + unit_random(30));
    }
    assert_null(region_find_item(r, item[0].start - 1).trace);
    for (u32 i = 0; i < N; i++)
        for (const u8 *p = item[i].start; p < (i + 1 < N ? item[i + 1].start : at); p++) {
            struct code_item found = region_find_item(r, p);
            assert_ptr_equal(found.start, item[i].start);
            assert_ptr_equal(found.trace, item[i].trace);
            assert_int_equal(found.kind, item[i].kind);
        }
    r->code_next = at;
}

// All but some bytes of it are used.
static void fill(struct region *r) { r->code_next = r->stub_next - 64; }

static u32 fill_all(void)
{
    u32 n = 0;
    for (struct region *r; (r = region_for(PC, 4096)); n++) {
        region_add_item(r, r->code_next, new_trace(r), ITEM_BODY);
        fill(r);
    }
    return n;
}

static void the_limit_holds(void **state)
{
    (void)state;
    fill_all();
    assert_int_equal(region_reserved_bytes(), LIMIT);
    assert_false(region_has_room(PC, 4096));
    assert_false(region_set_limit(LIMIT / 2));
    struct region *more = region_beyond_limit();
    assert_non_null(more);
    assert_int_equal(region_reserved_bytes(), LIMIT + LIMIT / 4);
    fill_all();
}

static void what_drains_waits_for_all_threads(void **state)
{
    (void)state;
    fill_all();
    u32 n = 0;
    for (struct region *r = region_first(); r; r = r->next)
        n += r->state == REGION_ACTIVE;
    region_drain_all(5);
    region_reclaim(4);
    assert_null(region_for(PC, 4096));
    region_reclaim(5);
    struct region *r = region_for(PC, 4096);
    assert_non_null(r);
    assert_true(r->nitems == 0 && r->code_next == r->code_start && r->stub_next == r->end && r->state == REGION_ACTIVE);
    assert_int_equal(fill_all(), n);
}

static void one_that_is_mostly_dead_is_known(void **state)
{
    (void)state;
    fill_all();
    assert_null(region_mostly_dead());
    struct region *r = region_first()->next;
    r->dead_bytes = (u64)(r->end - r->base) * 3 / 4;
    assert_ptr_equal(region_mostly_dead(), r);
    region_drain(r, 9);
    assert_null(region_mostly_dead());
    region_reclaim(9);
    assert_ptr_equal(region_for(PC, 4096), r);
    assert_int_equal(r->dead_bytes, 0);
}

static void a_branch_reaches_all_of_a_region(void **state)
{
    (void)state;
    region_init(0);
    assert_int_equal(region_block_bytes(), REACH);
    assert_true(region_set_block_bytes(REACH));
    assert_false(region_set_block_bytes(REACH + 4096));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_region_is_near_its_code), cmocka_unit_test(items_are_found_by_every_address), cmocka_unit_test(the_limit_holds),
        cmocka_unit_test(what_drains_waits_for_all_threads), cmocka_unit_test(one_that_is_mostly_dead_is_known),
        cmocka_unit_test(a_branch_reaches_all_of_a_region)};
    region_init(LIMIT);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
