/* SPDX-License-Identifier: Apache-2.0
 * What the fuzzer's tool looks at and what it makes of it, in C that both sides compile: the tool (seen.cpp), which is told by the engine, and the
 * native stepper (truth.c), which finds out by itself. Which probes an instruction has, and their constants, follow from the seed and its address.
 * One thread. */
#ifndef LP_FUZZ_PROBES_H
#define LP_FUZZ_PROBES_H
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t word;

/* A probe: its name, and the group of forms that it belongs to: counters, trace records, routines that can be inlined, others. */
#define PROBES(P)                                                                                                                             \
    P(COUNT, 'c') P(TABLE, 'c') P(THREAD, 'c') P(DATA, 'c') P(REGISTER, 'c') P(ANYWHERE, 'c') P(PREDICATED, 'c') P(PAST, 'c') P(TAKEN, 'c')   \
    P(VALUE, 'i') P(NARROW, 'i') P(FLAGS, 'i') P(ACCESS, 'i') P(EXECUTED, 'i') P(FOLD, 'i') P(LOOP, 'i') P(PARTIAL, 'i') P(BRANCH, 'i')       \
    P(IF, 'i') P(CONTEXT, 's') P(CHANGEABLE, 's') P(MANY, 's') P(REFERENCE, 's') P(VECTOR, 's') P(REPEAT, 's') P(AFTER, 's') P(ARRIVED, 's')  \
    P(READ, 's') P(WRITE, 's') P(FILL, 'f') P(FILL_EXECUTED, 'f') P(FILL_VALUE, 'f') P(FILL_THEN, 'f')
#define PROBE_NAME(name, group) PROBE_##name,
enum { PROBES(PROBE_NAME) PROBE_COUNT_ };
#define PROBE_GROUP(name, group) group,
static const char probe_group[] = {PROBES(PROBE_GROUP)};

/* Digests of what was seen in a case; the order-dependent ones are chains. */
#define FIELDS(F)                                                                                                                             \
    F(count) F(table0) F(table1) F(table2) F(table3) F(thread) F(data) F(reg) F(anywhere) F(predicated) F(past) F(taken) F(order) F(access)   \
    F(executed) F(fold) F(fold_table) F(loop) F(rest) F(partial) F(partial_rest) F(branch) F(ifs) F(thens) F(context) F(changeable) F(many)   \
    F(reference) F(vector) F(repeat) F(after) F(arrived) F(read) F(write) F(fill) F(fill_order)
#define FIELD_MEMBER(name) word name;
struct seen { FIELDS(FIELD_MEMBER) };
static struct seen seen;
static struct { word n, room[7]; } seen_thread[16];
static word seen_lines[8], seen_folds[8];
static uint8_t seen_bytes[16];

/* --- the plan ------------------------------------------------------------------------------------------------------- */
static word plan_seed, plan_density = 40;
static char plan_groups[8] = "cifs";

static inline word mix(word h, word v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15ul;
    return h ^ h >> 29;
}
/* A number for a probe at an address; the lowest bits of the result are as good as any. */
static inline word plan_number(word pc, unsigned probe, unsigned which) { return mix(mix(mix(plan_seed, pc), probe * 16 + which), 77) >> 8; }
static inline int plan_has(word pc, unsigned probe)
{
    return strchr(plan_groups, probe_group[probe]) && plan_number(pc, probe, 0) % 100 < plan_density;
}

/* --- routines: what a probe does with its arguments ------------------------------------------------------------------ */
static void see_count(void) { seen.count++; }
static void see_table(word *at, uint32_t n) { *at += n; }
static void see_thread(uint32_t thread, uint32_t n) { seen_thread[thread].n += n; }
static void see_anywhere(uint32_t n) { seen.anywhere += n; }
static void see_predicated(void) { seen.predicated++; }
static void see_past(uint32_t n) { seen.past += n; }
static void see_taken(uint32_t n) { seen.taken += n; }
static void see_value(word pc, word value) { seen.order = (seen.order ^ value) * 0x9e3779b97f4a7c15ul + pc; }
static void see_flags(word flags, uint32_t mask) { seen.order = seen.order * 5 + (flags & mask); }
static void see_access(word ea, uint32_t size, uint32_t how) { seen.access += (ea * 31 + size) * 7 + how; }
static void see_executed(word ea, uint32_t size, word pc) { seen.executed += (ea ^ pc) * 13 + size; }

static void see_fold(word ea, uint32_t a, uint32_t b, word wide)
{
    if (a > b)
        seen_folds[a % 8] += ea;
    else
        seen_folds[b % 8] ^= wide + a;
    seen_bytes[a % 16] = (uint8_t)(seen_bytes[a % 16] + b);
    if ((uint32_t)ea % 8 == a % 8)
        seen.fold += b * 3 + wide;
}

static void __attribute__((noinline)) see_rest(word line, word pc) { seen.rest += line ^ pc; }

static void see_loop(word pc, word ea, uint32_t size)
{
    for (word line = ea >> 4; line <= (ea + size - 1) >> 4 && size < 256; line++) {
        word *at = &seen_lines[line % 8];
        seen.loop += line;
        if (*at != line) {
            *at = line;
            see_rest(line, pc);
        }
    }
}

static void __attribute__((noinline)) see_partial_rest(word value, word pc, uint32_t a)
{
    seen.partial_rest = mix(mix(seen.partial_rest, value), pc + a);
}

static void see_partial(word value, uint32_t a, word pc)
{
    seen.partial += value >> 1;
    if (value % 4 == a)
        see_partial_rest(value, pc, a);
    seen.partial ^= pc;
}

/* Addresses of the guest itself differ from run to run. */
static inline word own_address(word a) { return a >> 36 ? 0 : a; }

static void see_branch(word pc, word target, uint32_t is_taken, word next)
{
    seen.branch = mix(seen.branch, pc + (is_taken ? own_address(target) : next * 3));
}

static word see_if(word value, uint32_t bit) { return seen.ifs++, value >> bit & 1; }
static void see_then(word pc, word value) { seen.thens = mix(seen.thens, pc ^ value); }

/* 16 general registers in the CPU's order, flags, pc */
static void see_registers(word *digest, const word *reg)
{
    for (int i = 0; i < 18; i++)
        *digest = mix(*digest, reg[i]);
}

static void see_many(word pc, word a, word b, word flags, word constant, uint32_t small, uint32_t executing, uint32_t thread, word c, uint32_t size)
{
    word all[] = {pc, a, b, flags, constant, small, !!executing, thread, c, size};
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        seen.many = mix(seen.many, all[i]);
}

static void see_reference(const word *reg, word pc) { seen.reference = mix(seen.reference, *reg + pc); }
static void see_vector(const word *half, uint32_t n) { seen.vector = mix(mix(mix(seen.vector, half[0]), half[1]), n); }
static void see_repeat(word pc, uint32_t first, uint32_t executing, word count)
{
    seen.repeat = mix(seen.repeat, pc + (first ? 1 : 0) + (executing ? 2 : 0) + (count << 8));
}
static void see_after(word pc, word value, word flags) { seen.after = mix(mix(seen.after, value), flags ^ pc); }
static void see_arrived(word pc, word target) { seen.arrived = mix(seen.arrived, own_address(target) * 3 - pc); }
static void see_read(word ea, uint32_t size, word pc) { seen.read = mix(seen.read, ea * size + pc); }
static void see_write(word ea, uint32_t size, word pc) { seen.write = mix(seen.write, ea * size - pc); }

/* A record of the trace buffer. */
struct seen_record { word ea, pc, value; uint32_t size, kind; };
static void see_record(const struct seen_record *r)
{
    seen.fill += (r->ea * 31 + r->size) * 7 + r->kind + r->pc;
    if (r->kind != 0) /* several operands of one instruction come in any order */
        seen.fill_order = mix(mix(seen.fill_order, r->value), r->pc);
}

/* --- a case ---------------------------------------------------------------------------------------------------------- */
static inline void seen_begin(void)
{
    memset(&seen, 0, sizeof seen);
    memset(seen_thread, 0, sizeof seen_thread);
    memset(seen_lines, 0, sizeof seen_lines);
    memset(seen_folds, 0, sizeof seen_folds);
    memset(seen_bytes, 0, sizeof seen_bytes);
}

static inline void seen_end(FILE *out, word number)
{
    seen.thread = seen_thread[0].n;
    for (int i = 0; i < 8; i++)
        seen.fold_table = mix(mix(seen.fold_table, seen_folds[i]), seen_bytes[i] + seen_bytes[i + 8] * 256u);
    fprintf(out, "%lu", number);
#define FIELD_PRINT(name) fprintf(out, " " #name "=%lx", seen.name);
    FIELDS(FIELD_PRINT)
    fputc('\n', out);
}
#endif
