/* SPDX-License-Identifier: Apache-2.0
 * linchpin points: reads its words, clusters, writes. */
#include "points.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void die(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fflush(stdout);
    fprintf(stderr, "linchpin: points: ");
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, "\n");
    exit(1);
}

void *grow(void *array, u64 n, size_t bytes)
{
    if (n & (n - 1) && n)
        return array; /* there is room up to the next power of two */
    void *p = realloc(array, (n ? n * 2 : 1) * bytes);
    if (!p)
        die("no memory for %lu of %zu bytes", n * 2, bytes);
    return p;
}

/* --- words -------------------------------------------------------------------------------------------------------- */

static const char usage[] =
    "usage: linchpin points [options] VECTORS.bb...\n\n"
    "Finds the few intervals of a run that stand for all of it, from the block vectors that the tool bbv writes.\n"
    "Several files (other inputs of the same program) are clustered together.\n\n"
    "  -maxk N         at most so many points (30)\n"
    "  -dim N          dimensions to which the vectors are projected (15)\n"
    "  -seeds N        starts of the clustering, of which the best counts (5)\n"
    "  -iterations N   steps of each at most (100)\n"
    "  -seed N         of the random numbers (1)\n"
    "  -bic X          score that is good enough, from 0 (the worst) to 1 (the best) of all numbers of clusters (0.9)\n"
    "  -figures X      how much figures of the intervals count in distances, beside the blocks: 1 is as much (0)\n"
    "  -o PREFIX       of the files: PREFIX.simpoints, .weights, .labels, .regions.csv (the first file's name)\n"
    "  -page           also PREFIX.html, .phases.svg and .clusters.svg: pictures of phases and clusters\n\n"
    "Where the tool has written figures of the intervals (bbv -figures), their values for the whole run are compared\n"
    "with what the points foretell, also in PREFIX.prediction.csv.\n";

static u64 number(const char *option, const char *word, u64 least, u64 most)
{
    char *end;
    errno = 0;
    unsigned long long n = word ? strtoull(word, &end, 10) : 0;
    if (!word || *end || !*word || *word == '-' || errno || n < least || n > most)
        die("%s wants a number from %lu to %lu, not %s", option, least, most, word ? word : "nothing");
    return n;
}

static double fraction(const char *option, const char *word, double most)
{
    char *end;
    double x = word ? strtod(word, &end) : -1;
    if (!word || *end || !*word || !(x >= 0 && x <= most))
        die("%s wants a number from 0 to %g, not %s", option, most, word ? word : "nothing");
    return x;
}

static void set(struct options *o, const char *name, const char *word)
{
    static const struct {
        const char *name;
        size_t field;
        u64 most;
    } numbers[] = {{"-maxk", offsetof(struct options, maxk), 10000},
                   {"-dim", offsetof(struct options, dims), 1000},
                   {"-seeds", offsetof(struct options, seeds), 10000},
                   {"-iterations", offsetof(struct options, iterations), 1000000}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(name, numbers[i].name) == 0) {
            *(u32 *)((char *)o + numbers[i].field) = (u32)number(name, word, 1, numbers[i].most);
            return;
        }
    if (strcmp(name, "-seed") == 0)
        o->seed = number(name, word, 0, ~0ul >> 1);
    else if (strcmp(name, "-bic") == 0)
        o->bic = fraction(name, word, 1);
    else if (strcmp(name, "-figures") == 0)
        o->figures = fraction(name, word, 1000);
    else if (strcmp(name, "-o") == 0 && word)
        o->prefix = word;
    else
        die("%s is no option of it (linchpin points -help)", name);
}

/* The name of the first file without its ending. */
static const char *default_prefix(const char *path)
{
    char *copy = strdup(path);
    if (!copy)
        die("no memory");
    size_t n = strlen(copy);
    if (n > 3 && strcmp(copy + n - 3, ".bb") == 0)
        copy[n - 3] = '\0';
    return copy;
}

/* Options and files may come in any order. Returns the files. */
static int read_words(struct options *o, int argc, char **argv)
{
    int files = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-help") == 0 || strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(usage, stdout);
            exit(0);
        }
        if (strcmp(argv[i], "-page") == 0) {
            o->page = true;
        } else if (argv[i][0] == '-') {
            set(o, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
            i++;
        } else {
            argv[files++] = argv[i];
        }
    }
    if (!files)
        die("no file of block vectors is given (linchpin -t bbv -o NAME -- PROGRAM writes NAME.T.0.bb)");
    if (!o->prefix)
        o->prefix = default_prefix(argv[0]);
    return files;
}

/* --- weights: each interval counts as much as its share of its input's instructions, and each input as much as every
 * other --------------------------------------------------------------------------------------------------------- */

static double *weights(const struct vectors *v)
{
    double *w = malloc(v->nintervals * sizeof *w);
    if (!w)
        die("no memory");
    for (u32 i = 0; i < v->nintervals; i++)
        w[i] = (double)v->interval[i].length / (double)v->instructions[v->interval[i].input] * v->nintervals /
               v->ninputs;
    return w;
}

/* How many points each input would need by itself. */
static u32 points_apart(const struct vectors *v, const struct points_in *in, const struct options *o)
{
    u32 sum = 0;
    for (u32 i = 0, end; i < v->nintervals; i = end) {
        for (end = i; end < v->nintervals && v->interval[end].input == v->interval[i].input;)
            end++;
        struct points_in one = {in->x + (size_t)i * in->dims, in->weight + i, end - i, in->dims};
        double *w = malloc(one.n * sizeof *w);
        for (u32 k = 0; w && k < one.n; k++)
            w[k] = one.weight[k] * one.n / ((double)v->nintervals / v->ninputs);
        one.weight = w;
        if (!w)
            die("no memory");
        struct clusters c = cluster_best(&one, o);
        sum += c.k;
        clusters_free(&c);
        free(w);
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct options o = {.maxk = 30, .dims = 15, .seeds = 5, .iterations = 100, .seed = 1, .bic = 0.9};
    struct vectors v = {0};
    struct choice ch;
    vectors_read(&v, read_words(&o, argc, argv), argv);
    struct points_in in = {vectors_project(&v, &o), weights(&v), v.nintervals, o.dims};
    struct figures figures;
    bool has_figures = figures_read(&figures, &v);
    if (o.figures > 0 && !has_figures)
        die("-figures: there is no file of figures beside %s (bbv -figures writes it)", v.name[0]);
    if (o.figures > 0)
        in = figures_join(&figures, &v, &in, o.figures);
    struct clusters c = cluster_best(&in, &o);
    choose(&ch, &v, &c, &in);
    write_files(&ch, &in, &o);
    write_summary(&ch, &o);
    if (has_figures) {
        figures_print(&figures, &ch);
        figures_write(&figures, &ch, &o);
    }
    if (o.page)
        page_write(&ch, &in, has_figures ? &figures : NULL, &o);
    if (v.ninputs > 1)
        printf("%u points for all inputs; each by itself would need %u in all\n", c.k, points_apart(&v, &in, &o));
    return fflush(stdout) ? 1 : 0;
}
