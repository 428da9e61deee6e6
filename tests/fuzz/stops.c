/* SPDX-License-Identifier: Apache-2.0
 * Signals at every byte. A case of the fuzzer runs natively, step by step: that gives the state at each of its
 * instructions. Then it runs under the engine, again and again from the same start: at each address that it executes in
 * the code cache (and at some in the engine itself) one run is stopped by a hardware breakpoint and gets a signal
 * there. The program's handler must see a state that the native run had at that instruction, once, and the run must end
 * as the native one does. Of a tool's counts the same is asked.
 *
 *   stops [--seed N] [--from N] [--to N] [--skip MASK] [--loose] [--counts MASK] [--engine N] [--targets N] [-v] GUEST
 * SUPPORTED -- ENGINE...
 *
 * ENGINE is the command in front of the guest's. Differences are printed with the place in the cache, the guest's
 * instruction and what is wrong; the last line is `N stops, N cases, N skipped, N differences`. Exit status 1:
 * differences; 2: it could not be tried. */
#include "stops.h"

#include <Zydis/Zydis.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { MAX_STATES = 40000, MAX_STEPS = 60000, MAX_TARGETS = 60000, WARM = 4, MAX_VISIT = 6, MAX_ARGS = 64 };
enum { FLAGS_IGNORED = 0x10100 }; /* RF and TF: the tracer's */

static struct {
    u64 seed, from, to, skip, engine_targets, targets;
    u32 counts; /* one bit for each of struct stops */
    bool loose, verbose;
} opt = {.to = 1, .engine_targets = 60, .targets = 1u << 30};

bool gen_strict; /* fuzz_state.c asks */

/* What the native run of a case gave. */
struct truth {
    struct stop_state *state;
    u8 *effect;  /* of the instruction there: TRAPS, CALLS_SYSTEM */
    u64 *memory; /* MEMORY_WORDS at the end */
    u32 n;
    u64 ends[STOPS_ENDS], counts[STOPS_COUNTS], code, code_bytes;
    bool usable;
};

enum { TRAPS = 1, CALLS_SYSTEM = 2 };
enum { DATA_WORDS = RO_AT / 8, MEMORY_WORDS = DATA_WORDS + STACK_BYTES / 8 };

struct target {
    u64 pc;
    u32 visits;
};

static struct totals {
    u64 stops, missed, cases, skipped, differences;
} total;

/* --- the two kinds of runs --------------------------------------------------------------------------------- */
static struct stops shared_of(const struct tracee *t)
{
    struct stops s;
    if (!tracee_read(t, t->shared, &s, sizeof s)) {
        fprintf(stderr, "stops: the guest's memory cannot be read\n");
        exit(2);
    }
    return s;
}

static void set_shared(const struct tracee *t, size_t offset, u64 value)
{
    tracee_write(t, t->shared + offset, &value, sizeof value);
}

/* To the next marker; the program's own signals are its own. False: it ended, or hangs. */
static bool to_mark(struct tracee *t, enum stop_kind *kind)
{
    *kind = tracee_continue(t, 0);
    while (*kind == STOP_SIGNAL || *kind == STOP_STEP || *kind == STOP_BREAK)
        *kind = tracee_continue(t, *kind == STOP_SIGNAL ? t->signal : 0);
    return *kind == STOP_MARK;
}

static bool in_code(const struct truth *n, u64 pc) { return pc >= n->code && pc < n->code + n->code_bytes; }

static void add_state(struct truth *n, const struct tracee *t)
{
    if (n->n == MAX_STATES) {
        n->usable = false;
        return;
    }
    struct stop_state *s = &n->state[n->n++];
    tracee_state(t, s);
    if (!in_code(n, s->rip))
        return;
    n->counts[0]++;
    n->counts[1] += s->rip;
    n->counts[2] += s->rip;
    n->counts[3]++;
}

/* From a marker to the next, by steps. */
static bool step_native(struct tracee *t, struct truth *n)
{
    enum stop_kind kind = STOP_STEP;
    do {
        if (kind == STOP_STEP) /* before a signal's handler it is the state of the instruction before, or that of the
                                  next one */
            add_state(n, t);
        kind = tracee_step(t, kind == STOP_SIGNAL ? t->signal : 0);
        if (n->n)
            n->effect[n->n - 1] |= (kind == STOP_SIGNAL ? TRAPS : 0) | (t->is_syscall ? CALLS_SYSTEM : 0);
    } while (n->usable && (kind == STOP_STEP || kind == STOP_SIGNAL));
    return n->usable && kind == STOP_MARK;
}

static u64 memory_address(const struct truth *n, u32 word)
{
    u64 base = n->code >= LAYOUT_HIGH ? LAYOUT_HIGH : LAYOUT_LOW;
    return word < DATA_WORDS ? base + word * 8 : base + STACK_AT + (word - DATA_WORDS) * 8;
}

/* At the marker after a case. */
static void read_memory(const struct tracee *t, const struct truth *n, u64 *to)
{
    tracee_read(t, memory_address(n, 0), to, DATA_WORDS * 8);
    tracee_read(t, memory_address(n, DATA_WORDS), to + DATA_WORDS, STACK_BYTES);
}

/* One case natively: an iteration that is left alone gives its end, the next one the states. */
static void learn(struct tracee *t, struct truth *n)
{
    enum stop_kind kind;
    struct stops s = shared_of(t);
    n->state = malloc(MAX_STATES * sizeof *n->state);
    n->effect = calloc(MAX_STATES, sizeof *n->effect);
    n->memory = malloc(MEMORY_WORDS * sizeof *n->memory);
    n->code = s.code;
    n->code_bytes = s.code_bytes;
    n->usable = to_mark(t, &kind) && to_mark(t, &kind);
    if (!n->usable) {
        fprintf(stderr, "stops: the guest fails natively at case %" PRIu64 "\n", s.number);
        exit(2);
    }
    s = shared_of(t);
    memcpy(n->ends, s.ends, sizeof n->ends);
    set_shared(t, offsetof(struct stops, command), STOPS_NEXT);
    bool ended = !step_native(t, n);
    n->state = realloc(n->state, (n->n ? n->n : 1) * sizeof *n->state);
    read_memory(t, n, n->memory);
    if (ended)
        to_mark(t, &kind); /* too long to be stepped: to its end */
    n->usable = !ended;
}

/* --- where to stop ----------------------------------------------------------------------------------------- */
static u32 find_target(struct target *list, u32 n, u64 pc)
{
    static u32 last;
    if (last < n && list[last].pc == pc)
        return last;
    for (last = 0; last < n && list[last].pc != pc; last++)
        ;
    return last;
}

/* Steps through an iteration: every address that is executed, in the order of first visits. */
static bool collect(struct tracee *t, struct target *list, u32 *n, enum stop_kind *kind)
{
    u32 steps = 0;
    *n = 0;
    *kind = STOP_STEP;
    while ((*kind == STOP_STEP || *kind == STOP_SIGNAL) && steps++ < MAX_STEPS) {
        u32 i = find_target(list, *n, tracee_pc(t));
        if (i == *n && *n < MAX_TARGETS)
            list[(*n)++] = (struct target){tracee_pc(t), 0};
        if (i < MAX_TARGETS)
            list[i].visits++;
        *kind = tracee_step(t, *kind == STOP_SIGNAL ? t->signal : 0);
    }
    return *kind == STOP_MARK || ((*kind == STOP_STEP || *kind == STOP_SIGNAL) && to_mark(t, kind));
}

/* All targets in the cache, and some of those in the engine's own code, by chance. */
static u32 choose(const struct tracee *t, struct target *list, u32 n, struct rng *r)
{
    struct code_maps maps;
    u32 kept = 0, others = 0;
    tracee_maps(t, &maps);
    for (u32 i = 0; i < n; i++) {
        const struct code_map *m = map_of(&maps, list[i].pc);
        others += m && !m->cache;
    }
    for (u32 i = 0; i < n; i++) {
        const struct code_map *m = map_of(&maps, list[i].pc);
        if (m && (m->cache || rng_below(r, others) < opt.engine_targets))
            list[kept++] = list[i];
    }
    return kept;
}

/* --- what is wrong ----------------------------------------------------------------------------------------- */
static u32 show_code(const struct tracee *t, u64 pc, const char *what)
{
    u8 code[16];
    ZydisDisassembledInstruction d;
    bool good = tracee_read(t, pc, code, sizeof code) &&
                ZYAN_SUCCESS(ZydisDisassembleATT(ZYDIS_MACHINE_MODE_LONG_64, pc, code, sizeof code, &d));
    printf("  %s %" PRIx64 "  %s\n", what, pc, good ? d.text : "?");
    return good ? d.info.length : 1;
}

/* With -v also what follows: enough to see which part of the engine made it. */
static void show_stop(const struct tracee *t, u64 pc)
{
    pc += show_code(t, pc, "stopped at ");
    for (u32 i = 0; opt.verbose && i < 40; i++)
        pc += show_code(t, pc, "          ");
}

static const char *const end_name[STOPS_ENDS] = {
    "rax",  "rcx",     "rdx",   "rbx",   "rsp",         "rbp",          "rsi",
    "rdi",  "r8",      "r9",    "r10",   "r11",         "r12",          "r13",
    "r14",  "r15",     "rip",   "flags", "fs",          "gs",           "signal",
    "code", "address", "error", "trap",  "breakpoints", "their states", "extended state",
    "data", "stack"};

static u32 wrong_fields(const struct stop_state *want, const struct stop_state *got, bool print)
{
    const u64 *a = (const u64 *)want, *b = (const u64 *)got;
    u32 wrong = 0;
    for (u32 i = 0; i < sizeof *want / sizeof *a; i++) {
        u64 x = a[i], y = b[i];
        if (i == 17) {
            x &= ~(u64)FLAGS_IGNORED;
            y &= ~(u64)FLAGS_IGNORED;
        }
        bool skipped = opt.loose && i != 16 && i != RSP;
        if (x == y || skipped)
            continue;
        wrong++;
        if (print)
            printf("    %s: natively %" PRIx64 ", here %" PRIx64 "\n", i < 20 ? end_name[i] : "extended state", x, y);
    }
    return wrong;
}

/* A system call that was interrupted before it did anything begins again, with the registers that the instruction has changed. */
static bool is_restarted(const struct stop_state *s)
{
    return s->gpr[RCX] == s->rip + 2 && !((s->gpr[R11] ^ s->flags) & ~(u64)FLAGS_IGNORED);
}

/* The native state that is nearest to what the handler saw, among those at the same instruction; *wrong: how far away.
 */
static const struct stop_state *nearest(const struct truth *n, const struct stop_state *got, u32 *wrong)
{
    const struct stop_state *best = NULL;
    *wrong = 100;
    for (u32 i = 0; i < n->n && *wrong; i++) {
        if (n->state[i].rip != got->rip)
            continue;
        u32 w = wrong_fields(&n->state[i], got, false);
        if (w == 2 && n->effect[i] & CALLS_SYSTEM && is_restarted(got))
            w = 0;
        if (w < *wrong) {
            *wrong = w;
            best = &n->state[i];
        }
    }
    return best;
}

static void begin_difference(u64 number, const struct target *at, u32 visit, const char *what)
{
    total.differences++;
    printf("DIFFERENCE case %" PRIu64 " visit %u of cache %" PRIx64 ": %s\n", number, visit, at->pc, what);
}

static bool check_state(const struct tracee *t, u64 number, const struct truth *n, const struct target *at, u32 visit,
                        const struct stop_state *got)
{
    u32 wrong;
    if (!in_code(n, got->rip))
        return true; /* on its way into the case or out of it */
    const struct stop_state *best = nearest(n, got, &wrong);
    if (best && !wrong)
        return true;
    begin_difference(number, at, visit,
                     best ? "the handler saw another state"
                          : "the handler saw an instruction that is not executed natively");
    if (best)
        wrong_fields(best, got, true);
    show_code(t, got->rip, "instruction");
    show_stop(t, at->pc);
    for (u32 i = 0; opt.verbose && !best && i < n->n; i++)
        if (in_code(n, n->state[i].rip))
            printf("    %" PRIx64, n->state[i].rip);
    return false;
}

static bool same_end(const struct truth *n, const struct stops *s) { return !memcmp(n->ends, s->ends, sizeof n->ends); }

static void show_end(const struct truth *n, const struct stops *s, const u64 *memory)
{
    u32 shown = 0;
    for (u32 i = 0; memory && i < MEMORY_WORDS && shown < 8; i++)
        if (memory[i] != n->memory[i] && ++shown)
            printf("    at %" PRIx64 ": natively %" PRIx64 ", here %" PRIx64 "\n", memory_address(n, i), n->memory[i],
                   memory[i]);
    for (u32 i = 0; i < STOPS_ENDS; i++)
        if (n->ends[i] != s->ends[i])
            printf("    %s: natively %" PRIx64 ", here %" PRIx64 "\n", end_name[i], n->ends[i], s->ends[i]);
}

/* An instruction that raises a signal or makes a system call is not completed before a signal that waits is delivered:
 * its calls run again (docs/limits.md). */
static bool calls_again(const struct truth *n, const struct stops *s, u32 count, u64 more)
{
    if (more != (count == 0 || count == 3 ? 1 : s->state.rip))
        return false;
    for (u32 i = 0; i < n->n; i++)
        if (n->state[i].rip == s->state.rip && n->effect[i])
            return true;
    return false;
}

static bool check_counts(u64 number, const struct truth *n, const struct target *at, u32 visit,
                         const struct stops *before, const struct stops *after)
{
    for (u32 i = 0; i < STOPS_COUNTS; i++) {
        u64 got = after->counts[i] - before->counts[i];
        if (got == n->counts[i] || !(opt.counts >> i & 1) || calls_again(n, after, i, got - n->counts[i]))
            continue;
        begin_difference(number, at, visit, "a count of the tool is wrong");
        printf("  count %u: natively %" PRIx64 ", here %" PRIx64 ", difference %" PRId64 "\n", i, n->counts[i], got,
               (s64)(got - n->counts[i]));
        printf("  the signal arrived at %" PRIx64 ", case +%" PRIx64 "\n", after->state.rip,
               after->state.rip - n->code);
        return false;
    }
    return true;
}

/* --- stops ------------------------------------------------------------------------------------------------- */
/* From the marker before a case to the breakpoint's n-th hit and the signal there, to the marker after it. *hit: it was
 * reached. */
static bool run_to_stop(struct tracee *t, u64 pc, u32 visit, bool *hit, enum stop_kind *kind)
{
    u32 seen = 0;
    *hit = false;
    tracee_break_at(t, pc);
    *kind = tracee_continue(t, 0);
    for (;;) {
        int signal = 0;
        if (*kind == STOP_SIGNAL) {
            signal = t->signal;
        } else if (*kind == STOP_BREAK && ++seen == visit) {
            tracee_break_at(t, 0);
            *hit = true;
            signal = SIGUSR1;
        } else if (*kind != STOP_BREAK && *kind != STOP_STEP) {
            break;
        }
        *kind = tracee_continue(t, signal);
    }
    if (*kind == STOP_MARK && !*hit)
        tracee_break_at(t, 0);
    return *kind == STOP_MARK;
}

static bool report_end(struct tracee *t, u64 number, const struct target *at, u32 visit, enum stop_kind kind)
{
    begin_difference(number, at, visit, kind == STOP_HANG ? "nothing happens any more" : "the program ended");
    if (kind == STOP_END && WIFSIGNALED(t->status))
        printf("  by signal %d\n", WTERMSIG(t->status));
    else if (kind == STOP_END)
        printf("  with status %d\n", WEXITSTATUS(t->status));
    return false;
}

/* One iteration with a signal. False: something is wrong, the run is of no use any more. */
static bool try_target(struct tracee *t, u64 number, const struct truth *n, const struct target *at, u32 visit)
{
    enum stop_kind kind;
    bool hit;
    struct stops before = shared_of(t);
    set_shared(t, offsetof(struct stops, taken), 0);
    if (!run_to_stop(t, at->pc, visit, &hit, &kind))
        return report_end(t, number, at, visit, kind);
    static u64 memory[MEMORY_WORDS];
    struct stops middle = shared_of(t);
    read_memory(t, n, memory);
    if (!to_mark(t, &kind))
        return report_end(t, number, at, visit, kind);
    struct stops after = shared_of(t);
    total.stops += hit;
    total.missed += !hit;
    if (after.taken != hit) {
        begin_difference(number, at, visit, after.taken ? "the signal came twice" : "the signal is lost");
        return false;
    }
    if (hit && !check_state(t, number, n, at, visit, &after.state))
        return false;
    if (!same_end(n, &after)) {
        begin_difference(number, at, visit, "the case ends in another state");
        show_end(n, &after, memory);
        printf("  the signal arrived at %" PRIx64 ", case +%" PRIx64 "\n", after.state.rip, after.state.rip - n->code);
        show_code(t, after.state.rip, "instruction");
        show_stop(t, at->pc);
        return false;
    }
    return check_counts(number, n, at, visit, &before, &middle);
}

static bool try_targets(struct tracee *t, u64 number, const struct truth *n, struct target *list, u32 count)
{
    struct rng r = rng_make(opt.seed, number, 3001);
    u64 missed = total.missed;
    for (u32 i = 0; i < count; i++) {
        u32 most = list[i].visits < MAX_VISIT ? list[i].visits : MAX_VISIT;
        u32 visit = rng_percent(&r, 75) ? 1 : 1 + rng_below(&r, most);
        if (count > opt.targets && rng_below(&r, count) >= opt.targets)
            continue;
        if (!try_target(t, number, n, &list[i], visit))
            return false;
    }
    if (opt.verbose)
        printf("case %" PRIu64 ": %u native states, %u targets, %" PRIu64 " not reached again\n", number, n->n, count,
               total.missed - missed);
    return true;
}

/* One case under the engine, which stands at the marker before its first iteration. */
static bool try_case(struct tracee *t, u64 number, const struct truth *n)
{
    static struct target list[MAX_TARGETS];
    struct rng r = rng_make(opt.seed, number, 3000);
    struct target none = {0};
    enum stop_kind kind;
    u32 count;
    for (u32 i = 0; i < 2 * WARM; i++)
        if (!to_mark(t, &kind))
            return report_end(t, number, &none, 0, kind);
    struct stops s = shared_of(t);
    if (!same_end(n, &s)) {
        begin_difference(number, &none, 0, "the case ends in another state, without a signal");
        show_end(n, &s, NULL);
        return false;
    }
    if (!collect(t, list, &count, &kind) || !to_mark(t, &kind))
        return report_end(t, number, &none, 0, kind);
    return try_targets(t, number, n, list, choose(t, list, count, &r));
}

/* --- all cases --------------------------------------------------------------------------------------------- */
static void make_command(char **to, char **engine, char **guest, u64 from)
{
    static char text[4][32];
    u32 n = 0;
    snprintf(text[0], sizeof text[0], "%" PRIu64, opt.seed);
    snprintf(text[1], sizeof text[1], "%" PRIu64, from);
    snprintf(text[2], sizeof text[2], "%" PRIu64, opt.to);
    snprintf(text[3], sizeof text[3], "%" PRIu64, opt.skip);
    for (char **e = engine; e && *e && n < MAX_ARGS - 16; e++)
        to[n++] = *e;
    char *rest[] = {guest[0], "--supported", guest[1], "--stops", "--seed", text[0], "--from",
                    text[1],  "--to",        text[2],  "--skip",  text[3],
                    opt.loose ? "--forgive-dead" : NULL, NULL}; /* a case may end in a handler, too */
    memcpy(to + n, rest, sizeof rest);
}

static void learn_all(struct truth *truth, char **guest)
{
    char *command[MAX_ARGS];
    struct tracee t;
    enum stop_kind kind;
    make_command(command, NULL, guest, opt.from);
    if (!tracee_start(&t, command)) {
        fprintf(stderr, "stops: the guest ends before its first case\n");
        exit(2);
    }
    for (u64 n = opt.from; n < opt.to; n++) {
        if (!to_mark(&t, &kind)) {
            fprintf(stderr, "stops: the guest fails natively at case %" PRIu64 "\n", n);
            exit(2);
        }
        learn(&t, &truth[n - opt.from]);
    }
    tracee_kill(&t);
}

/* Cases from `from` on with one process, up to the first that differs; returns the next case to try. */
static u64 try_some(const struct truth *truth, char **engine, char **guest, u64 from)
{
    char *command[MAX_ARGS];
    struct tracee t;
    struct target none = {0};
    enum stop_kind kind = STOP_END;
    make_command(command, engine, guest, from);
    if (!tracee_start(&t, command)) {
        report_end(&t, from, &none, 0, STOP_END);
        return opt.to;
    }
    bool good = true;
    u64 n = from;
    for (; good && n < opt.to; n++) {
        const struct truth *own = &truth[n - opt.from];
        if (!to_mark(&t, &kind))
            good = report_end(&t, n, &none, 0, kind);
        else if (own->usable)
            good = try_case(&t, n, own);
        total.cases += own->usable;
        total.skipped += !own->usable;
        set_shared(&t, offsetof(struct stops, command), STOPS_NEXT);
        if (good && !to_mark(&t, &kind))
            good = report_end(&t, n, &none, 0, kind);
    }
    tracee_kill(&t);
    return n;
}

static void usage(void)
{
    fprintf(stderr, "usage: stops [--seed N] [--from N] [--to N] [--skip MASK] [--loose] [--counts MASK] [--engine N] "
                    "[--targets N] [-v]\n"
                    "             GUEST SUPPORTED -- ENGINE...\n");
    exit(2);
}

static void parse_options(int argc, char **argv)
{
    static const struct option longs[] = {{"seed", 1, 0, 's'},   {"from", 1, 0, 'f'},    {"to", 1, 0, 't'},
                                          {"skip", 1, 0, 'k'},   {"loose", 0, 0, 'l'},   {"counts", 1, 0, 'c'},
                                          {"engine", 1, 0, 'e'}, {"targets", 1, 0, 'n'}, {0}};
    int c;
    while ((c = getopt_long(argc, argv, "+v", longs, NULL)) != -1)
        switch (c) {
        case 's': opt.seed = strtoull(optarg, NULL, 0); break;
        case 'f': opt.from = strtoull(optarg, NULL, 0); break;
        case 't': opt.to = strtoull(optarg, NULL, 0); break;
        case 'k': opt.skip = strtoull(optarg, NULL, 0); break;
        case 'l': opt.loose = true; break;
        case 'c': opt.counts = (u32)strtoul(optarg, NULL, 0); break;
        case 'e': opt.engine_targets = strtoull(optarg, NULL, 0); break;
        case 'n': opt.targets = strtoull(optarg, NULL, 0); break;
        case 'v': opt.verbose = true; break;
        default: usage();
        }
    if (argc - optind < 3 || strcmp(argv[optind + 2], "--") || opt.to <= opt.from)
        usage();
}

/* Tracer and tracee take turns: on one CPU a turn takes a tenth of the time. */
static void stay_on_this_cpu(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((unsigned)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
}

int main(int argc, char **argv)
{
    parse_options(argc, argv);
    stay_on_this_cpu();
    state_init();
    setvbuf(stdout, NULL, _IOLBF, 0);
    char **guest = argv + optind, **engine = guest + 3;
    struct truth *truth = calloc(opt.to - opt.from, sizeof *truth);
    learn_all(truth, guest);
    for (u64 n = opt.from; n < opt.to;)
        n = try_some(truth, engine, guest, n);
    if (opt.verbose)
        printf("%" PRIu64 " addresses were not reached again\n", total.missed);
    printf("%" PRIu64 " stops, %" PRIu64 " cases, %" PRIu64 " skipped, %" PRIu64 " differences\n", total.stops,
           total.cases, total.skipped, total.differences);
    return total.differences ? 1 : 0;
}
