/* SPDX-License-Identifier: Apache-2.0
 * See report.h. Async-signal-safe: the bug report may come from a signal handler with any lock held, so it takes
 * none. */
#include "main/report.h"

#include "arch/arch.h"
#include "base/options.h"
#include "jit/jit_internal.h"
#include "os/events.h"
#include "os/os.h"
#include "vm/clock.h"
#include "main/footprint.h"
#include "os/thread.h"
#include "vm/tally.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void print_bytes(const char *what, const u8 *p, size_t n)
{
    char line[256];
    u8 byte[64];
    n = os_safe_copy(byte, p, n < sizeof byte ? n : sizeof byte);
    int at = 0;
    for (size_t i = 0; i < n; i++)
        at += base_format(line + at, sizeof line - (size_t)at, " %02x", byte[i]);
    msg("  %s%s", what, line);
}

static void print_trace(u64 cache_pc)
{
    const struct region *r = region_of((void *)cache_pc);
    struct code_item item = {0};
    if (r)
        item = region_find_item(r, (void *)cache_pc);
    const struct trace *t = item.trace;
    if (!t)
        return;
    msg("  cache pc %lx is +%lx in %s of the trace at guest %lx (%u guest bytes, %u cache bytes%s)", cache_pc,
        cache_pc - (u64)item.start, item.kind != ITEM_BODY ? "an entry" : "the body", t->pc, t->guest_bytes,
        t->body_bytes, t->flags & TRACE_DEAD ? ", dead" : "");
    print_bytes("guest:", (const u8 *)t->pc, t->guest_bytes);
    print_bytes("cache:", item.start, t->body_bytes);
}

static void report_bug(void)
{
    const struct thread *t = &vm_tc;
    msg("  thread %u (tid %d), guest pc %lx, last dispatched %lx, entered cache at %lx, exit %lx", t->id, t->os.tid,
        arch_pc(&t->cpu), t->jit.last_pc, t->cpu.enter, t->cpu.exit_id);
    print_trace(t->cpu.enter);
    msg("  please report this with the command line and the lines above");
}

struct counter {
    const char *name;
    const u64 *value;
};

static struct tally all; /* of all threads, at the end */

static const struct counter counters[] = {
    {"traces made", &jit_stats.traces},
    {"guest bytes translated", &jit_stats.guest_bytes},
    {"cache bytes of traces", &jit_stats.cache_bytes},
    {"direct links", &jit_stats.links},
    {"of these, with registers in the context", &jit_stats.bound},
    {"entries into the cache", &jit_stats.entries},
    {"indirect misses", &jit_stats.indirect},
    {"system calls in the cache", &all.gate_calls},
    {"system calls in the VM", &all.vm_calls},
    {"instructions emulated", &all.emulated},
    {"traces invalidated", &jit_stats.killed},
    {"writes to code pages", &jit_stats.write_faults},
    {"stale checked traces", &jit_stats.stale},
    {"cache flushes", &jit_stats.flushes},
    {"cache regions reclaimed", &jit_stats.reclaimed},
    {"signals delivered", &os_signals},
    {"functions cloned", &jit_stats.clones},
};

static const char *const place_name[CLOCK_PLACES] = {
    [CLOCK_START] = "start", [CLOCK_CACHE] = "program and analysis routines", [CLOCK_DIRECT] = "VM: direct exits",
    [CLOCK_INDIRECT] = "VM: indirect misses", [CLOCK_SYSCALL] = "VM: system calls",
    [CLOCK_EMULATED] = "VM: emulated instructions", [CLOCK_SIGNAL] = "VM: signals and stops",
    [CLOCK_STALE] = "VM: changed code", [CLOCK_FULL] = "VM: full buffers", [CLOCK_REPLACED] = "VM: replaced routines",
    [CLOCK_OTHER] = "VM: other", [CLOCK_DECODE] = "translation: decoding", [CLOCK_TOOL] = "translation: tool functions",
    [CLOCK_OPTIMISE] = "translation: optimising", [CLOCK_ENCODE] = "translation: writing code",
};

static u64 all_cycles(void)
{
    u64 sum = 0;
    for (u32 i = 0; i < CLOCK_PLACES; i++)
        sum += clock_total[i].cycles;
    return sum ? sum : 1;
}

static const char *const indirect_name[INDIRECT_KINDS] = {[INDIRECT_JUMP] = "indirect jumps",
    [INDIRECT_CALL] = "indirect calls", [INDIRECT_RETURN] = "returns"};

static void print_indirect(void)
{
    const struct tally *c = &all;
    msg("%-32s %15s %15s %15s %12s", "indirect branches", "executed", "table", "directory", "missed");
    for (u32 k = 0; k < INDIRECT_KINDS; k++)
        msg("%-32s %15lu %15lu %15lu %12lu", indirect_name[k], c->executed[k],
            c->executed[k] - c->directory[k] - c->missed[k], c->directory[k], c->missed[k]);
}

static void write_indirect(FILE *f)
{
    const struct tally *c = &all;
    fprintf(f, "\"indirect branches\": {\n");
    for (u32 k = 0; k < INDIRECT_KINDS; k++)
        fprintf(f, "  \"%s\": {\"executed\": %lu, \"table\": %lu, \"directory\": %lu, \"missed\": %lu}%s\n",
                indirect_name[k], c->executed[k], c->executed[k] - c->directory[k] - c->missed[k], c->directory[k],
                c->missed[k], k + 1 < INDIRECT_KINDS ? "," : "},");
}

/* In bytes, and per byte of guest code. */
static void print_memory(void)
{
    struct footprint_row row[FOOTPRINT_ROWS];
    u32 n = footprint(row);
    u64 guest = footprint_guest_bytes(); /* asked afterwards, because it takes memory itself */
    msg("%-32s %15lu", "guest bytes in the cache, once", guest);
    msg("%-32s %15s %14s", "memory", "bytes", "per guest byte");
    for (u32 i = 0; i < n; i++) {
        u64 part = guest ? row[i].bytes * 100 / guest : 0;
        msg("%-32s %15lu %11lu.%02lu", row[i].name, row[i].bytes, part / 100, part % 100);
    }
}

static void print_table(void)
{
    u64 cycles = all_cycles();
    msg("%-32s %15s %7s %12s", "where the time went", "cycles", "percent", "times");
    for (u32 i = 0; i < CLOCK_PLACES; i++) {
        u64 part = clock_total[i].cycles * 1000 / cycles;
        msg("%-32s %15lu %5lu.%lu %12lu", place_name[i], clock_total[i].cycles, part / 10, part % 10,
            clock_total[i].times);
    }
    for (size_t i = 0; i < ARRAY_LEN(counters); i++)
        msg("%-32s %15lu", counters[i].name, *counters[i].value);
    print_indirect();
    print_memory();
}

/* One object: places with cycles and times, counters, memory. */
static void write_json(const char *path)
{
    FILE *f = fopen(path, "we");
    if (!f) {
        msg("-stats_json %s: %s", path, strerror(errno));
        return;
    }
    fprintf(f, "{\"process\": %d, \"cycles\": {\n", getpid());
    for (u32 i = 0; i < CLOCK_PLACES; i++)
        fprintf(f, "  \"%s\": {\"cycles\": %lu, \"times\": %lu}%s\n", place_name[i], clock_total[i].cycles,
                clock_total[i].times, i + 1 < CLOCK_PLACES ? "," : "},");
    struct footprint_row row[FOOTPRINT_ROWS];
    u32 n = footprint(row);
    fprintf(f, "\"counters\": {\n");
    for (size_t i = 0; i < ARRAY_LEN(counters); i++)
        fprintf(f, "  \"%s\": %lu,\n", counters[i].name, *counters[i].value);
    fprintf(f, "  \"guest bytes in the cache, once\": %lu},\n", footprint_guest_bytes());
    write_indirect(f);
    fprintf(f, "\"memory\": {\n");
    for (u32 i = 0; i < n; i++)
        fprintf(f, "  \"%s\": %lu%s\n", row[i].name, row[i].bytes, i + 1 < n ? "," : "}}");
    if (fclose(f))
        msg("-stats_json %s: %s", path, strerror(errno));
}

static void print_stats(int status)
{
    (void)status;
    clock_stop();
    all = tally_sum();
    if (options.stats_json)
        write_json(options.stats_json);
    else
        print_table();
}

static void leave(void) { print_stats(0); }

void report_init(void)
{
    bug_hook = report_bug;
    options.stats |= options.stats_json != NULL;
    if (options.stats) {
        os_at_exit(print_stats);
        os_events.leave = leave;
    }
    clock_at(CLOCK_START);
}
