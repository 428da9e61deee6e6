/* SPDX-License-Identifier: Apache-2.0
 * What calls of analysis routines come to (src/opt/summary.c): routines that count, compiled at three levels of
 * optimisation, and others that must not be taken for them. */
#include "counters.h"
#include "opt/events.h"
#include "os/os.h"
#include "unit.h"

struct counters counters;
void counters_call(void) { counters.n++; }

/* What summary.c needs of the engine beside what is tested here. */
void *PIN_GetThreadData(int key, u32 thread)
{
    (void)key, (void)thread;
    return NULL;
}

bool os_constant_at(u64 addr, unsigned bytes, u64 *value)
{
    (void)addr, (void)bytes, (void)value;
    return false;
}

static void counts(const struct counting *list)
{
    u32 n = 0;
    for (; list[n].fn; n++) {
        struct summary is;
        const struct counting *c = &list[n];
        if (!summary_of(c->fn, c->arg, c->nargs, c->result, &is))
            fail_msg("%s: not understood", c->what);
        bool same = is.bytes == c->is.bytes && is.delta == c->is.delta && is.locked == c->is.locked &&
                    home_same(&is.at, &c->is.at);
        if (!same)
            fail_msg("%s: adds %ld to %u bytes at %#lx (%u, %#lx)", c->what, is.delta, is.bytes, is.at.v, is.at.base,
                     is.at.at);
    }
    assert_true(n > 10);
}

static void others(const struct counting *list)
{
    u32 n = 0;
    for (; list[n].fn; n++) {
        struct summary is;
        if (summary_of(list[n].fn, list[n].arg, list[n].nargs, list[n].result, &is))
            fail_msg("%s: taken for a counter", list[n].what);
    }
    assert_true(n > 5);
}

static void counts_at_0(void **state)
{
    (void)state;
    counts(counts_0);
}
static void counts_at_1(void **state)
{
    (void)state;
    counts(counts_1);
}
static void counts_at_2(void **state)
{
    (void)state;
    counts(counts_2);
}

static void others_at_all(void **state)
{
    (void)state;
    others(others_0);
    others(others_1);
    others(others_2);
}

int main(void)
{
    opt_events.thread_data = PIN_GetThreadData;
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_at_0), cmocka_unit_test(counts_at_1),
                                       cmocka_unit_test(counts_at_2), cmocka_unit_test(others_at_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
