// SPDX-License-Identifier: Apache-2.0
// Links between traces (cache/link.c) against a plain model: after every change each exit leads where it should, by a near jump, by a far one or to its stub, and each trace knows exactly the exits that lead to it.
#include "unit.h"

#include "base/options.h"
#include "cache/events.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRACES = 24, EXITS = 5, BODY = 64, REGIONS = 3, REGION_BYTES = 1 << 16 };

struct options options;
static u8 memory[REGIONS][4 * REGION_BYTES]; // regions at the end of each: some reach each other, some do not
static struct region region[REGIONS];
static struct trace *trace[TRACES];
static struct trace *to[TRACES][EXITS]; // the model
static u32 events, far_seen;

// --- the architecture: a branch is a rel32, and reaches not far ------------------------------------------------------------
void arch_patch_branch(u8 *patch, const u8 *dest)
{
    s32 rel = (s32)(dest - (patch + 4));
    memcpy(patch, &rel, sizeof rel);
}

bool arch_branch_reaches(const u8 *patch, const u8 *dest) { return dest - patch < 6 * REGION_BYTES && patch - dest < 6 * REGION_BYTES; }
void arch_emit_far_jump(u8 *at, const u8 *dest) { memcpy(at, &dest, sizeof dest); }
void code_open(u8 *from, size_t bytes) { (void)from, (void)bytes; }
void region_open(struct region *r) { (void)r; }
u8 *arch_stub_at(u8 *top, u32 i) { return top - (i + 1) * 8; }
void region_add_item(struct region *r, u8 *start, struct trace *t, enum item_kind kind) { (void)r, (void)start, (void)t, (void)kind; }

static const u8 *leads_to(const struct exit *x)
{
    s32 rel;
    memcpy(&rel, exit_patch(x), sizeof rel);
    const u8 *dest = exit_patch(x) + 4 + rel;
    if (!x->far || dest == exit_stub(x))
        return dest;
    const u8 *literal;
    memcpy(&literal, dest, sizeof literal);
    return literal;
}

// --- traces -----------------------------------------------------------------------------------------------------------------
static void make_trace(u32 n)
{
    struct region *r = &region[unit_random(REGIONS)];
    u32 number = record_alloc(&r->records, RECORD_TRACE, 1), nexits = (u32)unit_random(EXITS + 1);
    struct trace *t = trace[n] = trace_get(number);
    *t = (struct trace){.pc = 0x1000 + n * 16, .number = number, .region = r, .body = r->code_next, .body_bytes = BODY, .guest_bytes = 16, .nexits = (u16)nexits, .stubs_off = (u32)(r->stub_next - r->base)};
    r->code_next += BODY;
    r->stub_next -= 8 * EXITS;
    t->first_exit = record_alloc(&r->records, RECORD_EXIT, nexits ? nexits : 1);
    for (u32 i = 0; i < nexits; i++) {
        struct exit *x = exit_get(t->first_exit + i);
        *x = (struct exit){.from = number, .patch_off = (s32)(i * 8), .target = 0x9000 + i};
        arch_patch_branch(exit_patch(x), exit_stub(x));
        to[n][i] = NULL;
    }
}

static struct exit *exit_of(u32 n, u32 i) { return exit_get(trace[n]->first_exit + i); }

static bool is_listed(const struct trace *t, const struct exit *x)
{
    u32 steps = 0;
    for (u32 at = t->in; at; at = exit_get(at - 1)->next_in) {
        assert_true(steps++ < TRACES * EXITS);
        if (exit_get(at - 1) == x)
            return true;
    }
    return false;
}

static u32 length_of(const struct trace *t)
{
    u32 n = 0;
    for (u32 at = t->in; at; at = exit_get(at - 1)->next_in)
        n++;
    return n;
}

static void expect_model(void)
{
    u32 links = 0, far = 0, listed = 0;
    for (u32 n = 0; n < TRACES; n++) {
        listed += length_of(trace[n]);
        for (u32 i = 0; i < trace[n]->nexits; i++) {
            const struct exit *x = exit_of(n, i);
            assert_ptr_equal(exit_to(x), to[n][i]);
            assert_ptr_equal(leads_to(x), to[n][i] ? to[n][i]->body : exit_stub(x));
            if (to[n][i]) {
                links++;
                far += x->far;
                assert_true(is_listed(to[n][i], x));
                assert_int_equal(x->far, !arch_branch_reaches(exit_patch(x), to[n][i]->body));
            }
        }
    }
    assert_int_equal(listed, links);
    assert_int_equal(cache_live.links, links);
    assert_int_equal(cache_live.far_links, far);
    far_seen += far;
}

static void forget(const struct trace *gone)
{
    for (u32 n = 0; n < TRACES; n++)
        for (u32 i = 0; i < EXITS; i++)
            if (to[n][i] == gone || trace[n] == gone)
                to[n][i] = NULL;
}

static void change(void)
{
    u32 n = (u32)unit_random(TRACES), k = (u32)unit_random(TRACES);
    switch (unit_random(12)) {
    case 0:
        link_drop_trace(trace[n]);
        forget(trace[n]);
        break;
    case 1: // calls that return behind trace k, which are its last exit
        link_redirect(trace[n], trace[k]->pc + trace[k]->guest_bytes, 7);
        if (trace[k]->nexits && to[k][trace[k]->nexits - 1] == trace[n]) {
            to[k][trace[k]->nexits - 1] = NULL;
            assert_int_equal(exit_of(k, trace[k]->nexits - 1u)->version, 7);
        }
        break;
    default:
        if (!trace[n]->nexits)
            break;
        u32 i = (u32)unit_random(trace[n]->nexits);
        link_exit(exit_of(n, i), trace[k]);
        if (!to[n][i])
            to[n][i] = trace[k]; // one that is linked stays as it is
    }
}

static void count_event(const struct exit *x)
{
    assert_non_null(x);
    events++;
}

static void set_up(void)
{
    memset(&cache_live, 0, sizeof cache_live);
    for (u32 i = 0; i < REGIONS; i++) {
        struct region *r = &region[i];
        r->base = memory[i] + 3 * REGION_BYTES;
        r->end = r->base + REGION_BYTES;
        r->code_start = r->code_next = r->base;
        r->stub_next = r->end;
    }
    for (u32 n = 0; n < TRACES; n++)
        make_trace(n);
}

static void exits_lead_where_they_should(void **state)
{
    (void)state;
    cache_events.linked = cache_events.unlinked = count_event;
    for (u32 round = 0; round < 20; round++) {
        set_up();
        for (u32 i = 0; i < 300; i++) {
            change();
            expect_model();
        }
    }
    assert_true(events > 1000 && far_seen > 1000);
}

static void dead_traces_are_not_linked(void **state)
{
    (void)state;
    set_up();
    u32 n = 0;
    while (!trace[n]->nexits)
        n++;
    struct trace *other = trace[n ? 0 : 1];
    other->flags |= TRACE_DEAD;
    link_exit(exit_of(n, 0), other);
    assert_null(exit_to(exit_of(n, 0)));
    other->flags = 0;
    trace[n]->flags |= TRACE_DEAD;
    link_exit(exit_of(n, 0), other);
    assert_null(exit_to(exit_of(n, 0)));
}

static void all_can_be_cut_at_once(void **state)
{
    (void)state;
    set_up();
    for (u32 i = 0; i < 200; i++)
        change();
    for (u32 n = 0; n < TRACES; n++) {
        link_cut_trace(trace[n]);
        assert_int_equal(trace[n]->in, 0);
        for (u32 i = 0; i < trace[n]->nexits; i++)
            assert_ptr_equal(leads_to(exit_of(n, i)), exit_stub(exit_of(n, i)));
    }
}

// Of a trace with three exits the first and the last have bindings.
static struct trace *bind_two(void)
{
    static struct exit_binding records[64]; // as much as a search may look at
    struct trace *t = trace[0];
    set_up();
    do
        make_trace(0);
    while ((t = trace[0])->nexits != 3);
    records[0] = (struct exit_binding){.exit = 0, .constant = 100};
    records[1] = (struct exit_binding){.exit = 2, .constant = 102};
    t->records = (const u8 *)records;
    exit_of(0, 0)->binds = exit_of(0, 2)->binds = true;
    return t;
}

static void bindings_are_found(void **state)
{
    (void)state;
    struct exit_binding b;
    bind_two();
    assert_true(exit_binding(exit_of(0, 0), &b) && b.constant == 100);
    assert_false(exit_binding(exit_of(0, 1), &b));
    assert_true(exit_binding(exit_of(0, 2), &b) && b.constant == 102);
}

// Our own mistake ends with a message, not with a walk through memory.
static void missing_bindings_are_told(void **state)
{
    (void)state;
    struct exit_binding b;
    int status;
    bind_two();
    exit_of(0, 1)->binds = true;
    pid_t child = fork();
    if (child == 0) {
        close(2);
        msg_fd = -1;
        exit_binding(exit_of(0, 1), &b);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exits_lead_where_they_should), cmocka_unit_test(dead_traces_are_not_linked), cmocka_unit_test(all_can_be_cut_at_once),
        cmocka_unit_test(bindings_are_found), cmocka_unit_test(missing_bindings_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
