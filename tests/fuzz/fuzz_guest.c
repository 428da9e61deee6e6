/* SPDX-License-Identifier: Apache-2.0
 * The fuzzer's guest: runs cases A to B-1 of a seed and prints a line for each: number, digest of the state afterwards, a summary. An ordinary
 * program; the driver (fuzz.py) runs it natively and under Linchpin and compares. */
#include "fuzz.h"

#include <Zydis/Zydis.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static struct {
    u64 seed, from, to, skip;
    bool table, dump, flush, coverage, stops;
    const char *supported, *probe;
} opt;

/* Per mnemonic: a template of it ran without #UD. */
static bool seen[ZYDIS_MNEMONIC_MAX_VALUE + 1], ran[ZYDIS_MNEMONIC_MAX_VALUE + 1];

static int template_of(u64 number) { return opt.table ? (int)(number % fuzz_ntemplates) : -1; }

static void report(const struct gen *g, u64 number)
{
    if (opt.dump) { /* the last one; those before it are its history */
        if (number == opt.to - 1)
            dump_case(g, opt.seed, number);
        return;
    }
    printf("%" PRIu64 " %016" PRIx64 " ", number, run_digest(g));
    if (fuzz_out.signo)
        printf("signal %" PRIu64 " code %" PRId64 " rip +%" PRIx64 "\n", fuzz_out.signo, (s64)fuzz_out.code, fuzz_out.rip - g->code);
    else
        printf("ok %u items %u bytes\n", g->nitems, g->n);
    if (opt.flush)
        fflush(stdout);
}

static void note_coverage(const struct gen *g)
{
    if (g->tmpl < 0)
        return;
    u32 m = fuzz_templates[g->tmpl].mnemonic;
    seen[m] = true;
    if (g->item[0].len && fuzz_out.signo != SIGILL)
        ran[m] = true;
}

#ifdef __clang__ /* it copies no function for the values of its arguments */
#define AS_IT_IS __attribute__((noinline))
#else
#define AS_IT_IS __attribute__((noinline, noclone))
#endif

/* Tells observers (tools/seen.cpp, truth.c) that case n begins at `code`, or with 0 that it has ended. */
void AS_IT_IS fuzz_mark(u64 n, u64 code) { __asm__ volatile("" : : "r"(n), "r"(code)); }

/* A case that does not end gets a signal. Of CPU time: a busy machine is no reason. */
static void limit_time(void)
{
    struct itimerval t = {.it_value = {.tv_sec = 60}};
    setitimer(ITIMER_PROF, &t, NULL);
}

/* One arena full: all made, then protected, then run. The RWX arena is written right before each case. */
static void run_group(u64 first, u64 end)
{
    static struct gen g[GROUP];
    limit_time();
    run_protect(true);
    for (u64 n = first; n < end; n++) {
        struct gen *c = &g[n % GROUP];
        gen_case(c, opt.seed, n, template_of(n), n == opt.to - 1 ? opt.skip : 0);
        if (!c->rwx)
            run_write_code(c);
    }
    run_protect(false);
    for (u64 n = first; n < end; n++) {
        struct gen *c = &g[n % GROUP];
        if (c->rwx)
            run_write_code(c);
        fuzz_mark(n, c->code);
        run_case(c, opt.seed, n);
        fuzz_mark(n, 0);
        note_coverage(c);
        report(c, n);
    }
}

static void run_range(void)
{
    for (u64 n = opt.from; n < opt.to;) {
        u64 end = (n / GROUP + 1) * GROUP;
        if (end > opt.to)
            end = opt.to;
        run_group(n, end);
        fflush(stdout);
        n = end;
    }
}

static void print_coverage(void)
{
    u32 all = 0, good = 0;
    for (u32 m = 0; m <= ZYDIS_MNEMONIC_MAX_VALUE; m++) {
        all += seen[m];
        good += ran[m];
    }
    printf("coverage %u of %u mnemonics ran without #UD\n", good, all);
    if (opt.coverage)
        for (u32 m = 0; m <= ZYDIS_MNEMONIC_MAX_VALUE; m++)
            if (seen[m] && !ran[m])
                printf("not run: %s\n", ZydisMnemonicGetString(m));
}

/* Which templates run here: a byte for each, 0 or the signal that all attempts raised. */
static void probe_templates(void)
{
    struct gen g;
    u8 *result = malloc(fuzz_ntemplates);
    gen_all_rwx = true;
    for (u32 t = 0; t < fuzz_ntemplates; t++) {
        result[t] = 0xff;
        for (u64 n = t, i = 0; i < 6 && result[t]; i++, n += fuzz_ntemplates) {
            limit_time();
            gen_case(&g, opt.seed, n, (int)t, 0);
            run_write_code(&g);
            run_case(&g, opt.seed, n);
            if (g.item[0].len)
                result[t] = (u8)fuzz_out.signo;
        }
    }
    FILE *f = fopen(opt.probe, "wb");
    if (!f || fwrite(result, 1, fuzz_ntemplates, f) != fuzz_ntemplates || fclose(f)) {
        perror(opt.probe);
        exit(2);
    }
}

static void load_supported(void)
{
    FILE *f = opt.supported ? fopen(opt.supported, "rb") : NULL;
    fuzz_supported = calloc(1, fuzz_ntemplates);
    if (opt.supported && (!f || fread(fuzz_supported, 1, fuzz_ntemplates, f) != fuzz_ntemplates)) {
        fprintf(stderr, "fuzz_guest: %s is not the result of --probe of this program\n", opt.supported);
        exit(2);
    }
    if (f)
        fclose(f);
}

static void usage(void)
{
    fprintf(stderr, "usage: fuzz_guest --supported FILE [--seed N] [--from N] [--to N] [--table] [--skip MASK]\n"
                    "                  [--dump] [--flush] [--coverage] [--strict] [--stops] [--steps]\n"
                    "                  [--forgive-dead]\n"
                    "       fuzz_guest --probe FILE\n");
    exit(2);
}

static void parse_options(int argc, char **argv)
{
    static const struct option longs[] = {
        {"seed", 1, 0, 's'}, {"from", 1, 0, 'f'}, {"to", 1, 0, 't'}, {"skip", 1, 0, 'k'}, {"table", 0, 0, 'T'}, {"dump", 0, 0, 'd'},
        {"flush", 0, 0, 'l'}, {"coverage", 0, 0, 'c'}, {"supported", 1, 0, 'S'}, {"probe", 1, 0, 'p'}, {"strict", 0, 0, 'X'},
        {"stops", 0, 0, 'P'}, {"steps", 0, 0, 'E'}, {"forgive-dead", 0, 0, 'D'}, {0},
    };
    int c;
    opt.to = 1000;
    while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1)
        switch (c) {
        case 's': opt.seed = strtoull(optarg, NULL, 0); break;
        case 'f': opt.from = strtoull(optarg, NULL, 0); break;
        case 't': opt.to = strtoull(optarg, NULL, 0); break;
        case 'k': opt.skip = strtoull(optarg, NULL, 0); break;
        case 'T': opt.table = true; break;
        case 'd': opt.dump = true; break;
        case 'l': opt.flush = true; break;
        case 'c': opt.coverage = true; break;
        case 'S': opt.supported = optarg; break;
        case 'p': opt.probe = optarg; break;
        case 'X': gen_strict = true; break;
        case 'E': gen_steps = true; break; /* cases as --stops makes them */
        case 'P': opt.stops = gen_steps = true; break;
        case 'D': run_forgive_dead = true; break;
        default: usage();
        }
    if (optind != argc || (!opt.supported && !opt.probe))
        usage();
}

int main(int argc, char **argv)
{
    static char buffer[1 << 16];
    parse_options(argc, argv);
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    load_supported();
    state_init();
    insn_init();
    run_init();
    if (opt.probe) {
        probe_templates();
        return 0;
    }
    if (opt.stops) {
        stops_run(opt.seed, opt.from, opt.to, opt.skip);
        return 0;
    }
    run_range();
    if (opt.table && !opt.dump)
        print_coverage();
    return 0;
}
