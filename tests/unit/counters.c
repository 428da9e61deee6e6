/* SPDX-License-Identifier: Apache-2.0
 * Analysis routines that count, and some that only look so, for test_summary.c; built once for each level of
 * optimisation, which gives the tables other names. */
#include "counters.h"

static void one(void) { counters.n++; }
static void add(u64 n) { counters.n += n; }
static void add_half(u32 n) { counters.half -= n; }
static void add_signed(int n) { counters.n += n; }
static void through(u64 *p, u32 n) { *p += n; }
static void indexed(struct counter *c, u64 i) { c[i].n++; }
static void of_thread(u32 tid) { counters.of_thread[tid].n++; }
static void of_thread_pointer(u32 tid, u32 n) { counters.pointer[tid]->n += n; }
/* Not __atomic_fetch_add: some compilers exchange and add then. */
static void atomic(void) { __asm__ volatile("lock addq $2,%0" : "+m"(counters.n)); }
static u64 in_register(u64 v, u32 n) { return v + n; }
static void of_register(struct counter *c) { c->n += 3; }
static void nothing(u64 n) { (void)n; }
static void of_data(u32 tid) { ((struct counter *)PIN_GetThreadData(5, tid))->n++; }
static void of_data_key(u32 tid) { ((struct counter *)PIN_GetThreadData(counters.key, tid))->n++; }

const struct counting COUNTS[] = {
    {one, "one", {{0}}, 0, -1, {{.v = AT(n)}, 1, 8, false}},
    {add, "add", {{7}}, 1, -1, {{.v = AT(n)}, 7, 8, false}},
    {add, "add a large constant", {{1ul << 40}}, 1, -1, {{.v = AT(n)}, 1l << 40, 8, false}},
    {add_half, "subtract from four bytes", {{3}}, 1, -1, {{.v = AT(half)}, -3, 4, false}},
    {add_signed, "add a negative int", {{(u32)-5}}, 1, -1, {{.v = AT(n)}, -5, 8, false}},
    {through, "through a pointer", {{AT(of_thread)}, {9}}, 2, -1, {{.v = AT(of_thread)}, 9, 8, false}},
    {indexed,
     "of an array",
     {{AT(of_thread)}, {3}},
     2,
     -1,
     {{.v = AT(of_thread) + 3 * sizeof(struct counter)}, 1, 8, false}},
    {of_thread,
     "of a thread",
     {{.by_thread = 1}},
     1,
     -1,
     {{.v = AT(of_thread), .by_thread = sizeof(struct counter)}, 1, 8, false}},
    {of_thread_pointer,
     "through a thread's pointer",
     {{.by_thread = 1}, {2}},
     2,
     -1,
     {{.base = HOME_POINTER, .at = AT(pointer), .at_by_thread = 8}, 2, 8, false}},
    {atomic, "in one step", {{0}}, 0, -1, {{.v = AT(n)}, 2, 8, true}},
    {in_register,
     "a tool register",
     {{.base = HOME_TOOL_REG, .at = 1}, {4}},
     2,
     1,
     {{.base = HOME_TOOL_VALUE, .at = 1}, 4, 8, false}},
    {of_register,
     "where a tool register points",
     {{.base = HOME_TOOL_REG, .at = 2}},
     1,
     -1,
     {{.base = HOME_TOOL_REG, .at = 2}, 3, 8, false}},
    {nothing, "nothing", {{1}}, 1, -1, {{0}, 0, 0, false}},
    {of_data, "the thread's data", {{.by_thread = 1}}, 1, -1, {{.base = HOME_DATA, .at = 5}, 1, 8, false}},
    {of_data_key,
     "the thread's data by a key in memory",
     {{.by_thread = 1}},
     1,
     -1,
     {{.base = HOME_DATA_KEY, .at = AT(key)}, 1, 8, false}},
    {0},
};

static void two(void)
{
    counters.n++;
    counters.half++;
}
static void if_one(u64 n)
{
    if (n)
        counters.n++;
}
static void sets(u64 n) { counters.n = n; }
static void doubles(void) { counters.n += counters.n; }
static void copies(void) { counters.n = counters.of_thread[0].n + 1; }
static void of_other_thread(u32 tid) { ((struct counter *)PIN_GetThreadData(5, tid + 1))->n++; }
static void calls(void)
{
    counters_call();
    counters_call();
}
static u64 other_result(u64 v, u64 n) { return v * n; }
static void shifts(void) { counters.n <<= 1; }
static void loops(u64 n)
{
    for (u64 i = 0; i < n; i++)
        counters.pointer[i]->n++;
}

const struct counting OTHERS[] = {
    {two, "two counters", {{0}}, 0, -1, {{0}, 0, 0, false}},
    {if_one, "on a condition", {{.base = HOME_TOOL_REG, .at = 1}}, 1, -1, {{0}, 0, 0, false}},
    {sets, "an assignment", {{4}}, 1, -1, {{0}, 0, 0, false}},
    {doubles, "doubled", {{0}}, 0, -1, {{0}, 0, 0, false}},
    {copies, "a copy of another", {{0}}, 0, -1, {{0}, 0, 0, false}},
    {of_other_thread, "the data of another thread", {{.by_thread = 1}}, 1, -1, {{0}, 0, 0, false}},
    {calls, "a call", {{0}}, 0, -1, {{0}, 0, 0, false}},
    {other_result, "a product", {{.base = HOME_TOOL_REG, .at = 1}, {4}}, 2, 1, {{0}, 0, 0, false}},
    {shifts, "a shift", {{0}}, 0, -1, {{0}, 0, 0, false}},
    {loops, "a loop", {{2}}, 1, -1, {{0}, 0, 0, false}},
    {0},
};
